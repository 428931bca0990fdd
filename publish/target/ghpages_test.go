package target_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	gitclient "github.com/go-git/go-git/v5/plumbing/transport/client"
	gitserver "github.com/go-git/go-git/v5/plumbing/transport/server"

	"wb/publish/target"
)

func TestMain(m *testing.M) {
	// Remotes in directories are served by this process, so that the tests need
	// no git.
	gitclient.InstallProtocol("file", gitserver.NewClient(gitserver.DefaultLoader))
	os.Exit(m.Run())
}

// project is a repository with work in it, and its bare remote.
func project(t *testing.T) (dir, remote string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // no settings of whoever runs this
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, remote = t.TempDir(), t.TempDir()
	_, err := git.PlainInit(remote, true)
	must(t, err)
	repo, err := git.PlainInit(dir, false)
	must(t, err)
	_, err = repo.CreateRemote(&gitconfig.RemoteConfig{Name: "origin", URLs: []string{remote}})
	must(t, err)
	settings, err := repo.Config()
	must(t, err)
	settings.User.Name, settings.User.Email = "Ada", "ada@example.org"
	must(t, repo.SetConfig(settings))
	must(t, os.WriteFile(filepath.Join(dir, "paper.org"), []byte("* Paper\n"), 0o644))
	tree, err := repo.Worktree()
	must(t, err)
	_, err = tree.Add("paper.org")
	must(t, err)
	_, err = tree.Commit("paper", &git.CommitOptions{})
	must(t, err)
	must(t, repo.Push(&git.PushOptions{}))
	must(t, os.WriteFile(filepath.Join(dir, "paper.org"), []byte("* Paper, unfinished\n"), 0o644))
	must(t, os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
	return dir, remote
}

// pushed is the tip of the remote's branch.
func pushed(t *testing.T, remote string) *object.Commit {
	t.Helper()
	repo, err := git.PlainOpen(remote)
	must(t, err)
	ref, err := repo.Reference(plumbing.NewBranchReferenceName("gh-pages"), true)
	must(t, err)
	c, err := repo.CommitObject(ref.Hash())
	must(t, err)
	return c
}

// state is everything of a work tree that publishing must leave alone.
func state(t *testing.T, dir string) string {
	t.Helper()
	repo, err := git.PlainOpen(dir)
	must(t, err)
	head, err := repo.Storer.Reference(plumbing.HEAD)
	must(t, err)
	at, err := repo.Head()
	must(t, err)
	index, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	must(t, err)
	paper, err := os.ReadFile(filepath.Join(dir, "paper.org"))
	must(t, err)
	settings, err := os.ReadFile(filepath.Join(dir, ".git", "config"))
	must(t, err)
	entries, err := os.ReadDir(dir)
	must(t, err)
	return head.String() + at.String() + string(index) + string(paper) + string(settings) + string(rune(len(entries)))
}

func TestGHPages(t *testing.T) {
	dir, remote := project(t)
	before := state(t, dir)
	config := target.Config{Kind: target.GHPages, Repo: filepath.Join(dir, "docs"), Domain: "example.org", Keep: 3}
	read := func(path string) string {
		f, err := pushed(t, remote).File(path)
		must(t, err)
		text, err := f.Contents()
		must(t, err)
		return text
	}
	behaves(t, config, read)
	if state(t, dir) != before {
		t.Error("the work tree, the index, the settings or the branch changed")
	}
	if got := read("CNAME"); got != "example.org\n" {
		t.Errorf("CNAME %q", got)
	}
	if got := read(".nojekyll"); got != "" {
		t.Errorf(".nojekyll %q", got)
	}
	tip := pushed(t, remote)
	if tip.Author.Name != "Ada" || !strings.HasPrefix(tip.Message, "Release ") {
		t.Errorf("%s", tip)
	}
	n := 0
	for at := tip; ; n++ {
		if at.NumParents() == 0 {
			break
		}
		var err error
		at, err = at.Parent(0)
		must(t, err)
	}
	if n != 6 { // four releases, two roll backs, and the one with the token
		t.Errorf("%d commits before the last", n)
	}
	if program, err := exec.LookPath("git"); err == nil {
		if out, err := exec.Command(program, "-C", remote, "fsck", "--strict").CombinedOutput(); err != nil {
			t.Errorf("git fsck: %v\n%s", err, out)
		}
	}
}

// TestGHPagesElsewhere deploys from two machines to one remote, by its URL.
func TestGHPagesElsewhere(t *testing.T) {
	ctx := context.Background()
	here, remote := project(t)
	there := t.TempDir()
	_, err := git.PlainInit(there, false)
	must(t, err)
	b := newBuilder(t, 1)
	first, second := newTarget(t, target.Config{Kind: target.GHPages, Repo: here}), newTarget(t, target.Config{Kind: target.GHPages, Repo: there, Remote: remote})
	deploy(t, first, b.release("one"))
	deploy(t, second, b.release("two"))
	deploy(t, first, b.release("three"))
	all, err := second.List(ctx)
	if err != nil || len(all) != 3 || all[0].Sequence != 3 {
		t.Fatalf("%+v %v", all, err)
	}
}

func TestGHPagesRefuses(t *testing.T) {
	ctx := context.Background()
	b := newBuilder(t, 1)
	b.release("one")
	fails := func(config target.Config, code int, words string) {
		t.Helper()
		config.Kind = target.GHPages
		place, err := target.New(config)
		if err == nil {
			_, err = place.Deploy(ctx, b.dir)
		}
		var exit interface{ ExitCode() int }
		if err == nil || !strings.Contains(err.Error(), words) || !errors.As(err, &exit) || exit.ExitCode() != code {
			t.Errorf("%+v: %v", config, err)
		}
	}
	fails(target.Config{Repo: t.TempDir()}, 2, "not in a git repository")
	dir, remote := project(t)
	fails(target.Config{Repo: dir, Remote: "upstream"}, 2, "no remote upstream")
	fails(target.Config{Repo: dir, Branch: "a..b"}, 2, "cannot be the name of a branch")
	fails(target.Config{Repo: dir, Branch: "master"}, 6, "checked out")

	// the branch has a commit here that the remote lacks, and the other way round
	place := newTarget(t, target.Config{Kind: target.GHPages, Repo: dir})
	deploy(t, place, b.dir)
	repo, err := git.PlainOpen(dir)
	must(t, err)
	mine, err := repo.Reference("refs/heads/gh-pages", true)
	must(t, err)
	base := pushed(t, remote)
	fork := func(message string) plumbing.Hash {
		c := &object.Commit{Author: base.Author, Committer: base.Author, Message: message, TreeHash: base.TreeHash, ParentHashes: []plumbing.Hash{mine.Hash()}}
		stored := repo.Storer.NewEncodedObject()
		must(t, c.Encode(stored))
		hash, err := repo.Storer.SetEncodedObject(stored)
		must(t, err)
		return hash
	}
	must(t, repo.Storer.SetReference(plumbing.NewHashReference("refs/heads/other", fork("theirs"))))
	must(t, repo.Push(&git.PushOptions{RefSpecs: []gitconfig.RefSpec{"refs/heads/other:refs/heads/gh-pages"}}))
	must(t, repo.Storer.SetReference(plumbing.NewHashReference("refs/heads/gh-pages", fork("mine"))))
	b.release("two")
	fails(target.Config{Repo: dir}, 6, "diverged")
}

// TestCloudflare runs a stand-in for wrangler that copies what it is given.
func TestCloudflare(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	bin, cloud := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >> " + cloud + "/args\nif [ -e " + cloud + "/fail ]; then echo not logged in; exit 4; fi\nrm -rf " + cloud + "/site\ncp -R \"$3\" " + cloud + "/site\n"
	must(t, os.WriteFile(filepath.Join(bin, "wrangler"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	stateDir := t.TempDir()
	getenv := func(name string) string { return map[string]string{"WB_STATE_DIR": stateDir}[name] }
	config := target.Config{Kind: target.Cloudflare, Project: "my-site", Keep: 3, Getenv: getenv}
	behaves(t, config, func(path string) string {
		text, err := os.ReadFile(filepath.Join(cloud, "site", path))
		must(t, err)
		return string(text)
	})
	args, err := os.ReadFile(filepath.Join(cloud, "args"))
	must(t, err)
	for line := range bytes.Lines(args) {
		words := strings.Fields(string(line))
		if len(words) != 7 || strings.Join(append(words[:2:2], words[3:]...), " ") != "pages deploy --project-name my-site --branch main" {
			t.Fatalf("wrangler %s", line)
		}
	}

	// one that fails changes nothing
	place := newTarget(t, config)
	before, err := place.List(context.Background())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(cloud, "fail"), nil, 0o644))
	if _, err := place.Rollback(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "exit 4") || !strings.Contains(err.Error(), "not logged in") {
		t.Errorf("%v", err)
	}
	after, err := place.List(context.Background())
	must(t, err)
	if len(before) != len(after) || before[0] != after[0] {
		t.Errorf("%+v, then %+v", before, after)
	}

	t.Setenv("PATH", t.TempDir())
	var exit interface{ ExitCode() int }
	if _, err := place.Rollback(context.Background(), ""); !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(err.Error(), "wrangler") {
		t.Errorf("without wrangler: %v", err)
	}
	for _, bad := range []string{"", "--branch", "a b"} {
		place, err := target.New(target.Config{Kind: target.Cloudflare, Project: bad, Getenv: getenv})
		if err == nil {
			_, err = place.Deploy(context.Background(), newBuilder(t, 1).release("x"))
		}
		if err == nil {
			t.Errorf("project %q passed", bad)
		}
	}
}
