package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"wb/agent"
)

// private are names that never leave the machine: what runs recorded, and what
// the host keeps for them.
var private = []string{"events.org", "_steps.jsonl", "_ledger.json", "approvals.org", ".wb", "vfs.sqlite", "vfs.sqlite-wal", "vfs.sqlite-shm"}

// neverLeaves reports whether a file is private, wherever it stands.
func neverLeaves(name string) bool {
	for part := range strings.SplitSeq(path.Clean(filepath.ToSlash(name)), "/") {
		if slices.Contains(private, part) {
			return true
		}
	}
	return false
}

// Repository is the working directory as the git tool commits it.
type Repository struct {
	Dir    string
	Tenant string // who the commits are by
	// User and Token are the credentials for the remote, empty for none.
	User, Token string
	Now         func() time.Time
}

// Git commits the working directory. The agent gives a message and nothing
// else: what is added, as whom, and where it is pushed is fixed here. A commit
// carries the key of its call, so that a resumed run makes no second one.
func Git(repo Repository) agent.Tool {
	return &tool{name: "git", description: "Commit everything that changed in the working directory with a message, and push it when a remote is set.",
		schema: object("message string the commit message"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			message := strings.TrimSpace(args.Text("message"))
			if message == "" {
				return agent.Output{}, errors.New("git error: the message is empty")
			}
			text, err := repo.commit(ctx, message)
			if err != nil {
				return agent.Output{}, fmt.Errorf("git error: %w", err)
			}
			return agent.Output{Text: text}, nil
		}}
}

// callTrailer names the tool call in a commit's message.
const callTrailer = "Wb-Call: "

func (r Repository) commit(ctx context.Context, message string) (string, error) {
	repo, err := git.PlainOpenWithOptions(r.Dir, &git.PlainOpenOptions{DetectDotGit: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return "", errors.New("the working directory is not a git repository; nothing was committed")
	}
	if err != nil {
		return "", err
	}
	tree, err := repo.Worktree()
	if err != nil {
		return "", err
	}
	key := sha256.Sum256([]byte(agent.CallKey(ctx)))
	trailer := callTrailer + hex.EncodeToString(key[:8])
	hash, done := committed(repo, trailer)
	if !done { // by this very call, before the run was killed
		if err := mend(repo, tree); err != nil {
			return "", err
		}
		changed, err := r.stage(tree)
		if err != nil {
			return "", err
		}
		if !changed {
			return "nothing to commit (working tree clean)", nil
		}
		who := &gitobject.Signature{Name: r.Tenant, Email: r.Tenant + "@wb.invalid", When: r.Now()}
		if hash, err = tree.Commit(message+"\n\n"+trailer+"\n", &git.CommitOptions{Author: who}); err != nil {
			return "", err
		}
	}
	return r.push(ctx, repo, hash)
}

// committedBefore is how many commits a call that is made again looks back for its
// own: others may have committed since its process died.
const committedBefore = 1000

// committed is the commit that this call made, if it made one.
func committed(repo *git.Repository, trailer string) (plumbing.Hash, bool) {
	head, err := repo.Head()
	if err != nil {
		return plumbing.ZeroHash, false
	}
	commits, err := repo.Log(&git.LogOptions{From: head.Hash()})
	if err != nil {
		return plumbing.ZeroHash, false
	}
	defer commits.Close()
	for range committedBefore {
		c, err := commits.Next()
		if err != nil {
			break
		}
		if strings.HasSuffix(strings.TrimSpace(c.Message), trailer) {
			return c.Hash, true
		}
	}
	return plumbing.ZeroHash, false
}

// mend makes the index anew from the last commit where it is empty: a process that
// dies while it writes the index leaves such a file, which no git can read.
func mend(repo *git.Repository, tree *git.Worktree) error {
	path := filepath.Join(tree.Filesystem.Root(), git.GitDirName, "index")
	info, err := os.Stat(path)
	if err != nil || info.Size() > 0 {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	if _, err := repo.Head(); err != nil { // there is no commit yet
		return nil
	}
	return tree.Reset(&git.ResetOptions{Mode: git.MixedReset})
}

// stage adds what changed in the working directory, but what is private. What
// somebody else has staged outside of it is not the agent's to commit.
func (r Repository) stage(tree *git.Worktree) (changed bool, err error) {
	root, err := filepath.EvalSymlinks(tree.Filesystem.Root())
	if err != nil {
		return false, err
	}
	dir, err := filepath.EvalSymlinks(r.Dir)
	if err != nil {
		return false, err
	}
	below, err := filepath.Rel(root, dir)
	if err != nil {
		return false, err
	}
	status, err := tree.Status()
	if err != nil {
		return false, err
	}
	for name, s := range status {
		staged := s.Staging != git.Unmodified && s.Staging != git.Untracked
		own := below == "." || strings.HasPrefix(name, filepath.ToSlash(below)+"/")
		switch {
		case staged && !own:
			return false, fmt.Errorf("%s is staged but lies outside the working directory", name)
		case staged && neverLeaves(name):
			return false, fmt.Errorf("%s is staged but must never leave this machine; unstage it", name)
		case !own || neverLeaves(name) || s.Worktree == git.Unmodified && !staged:
			continue
		}
		changed = true
		if s.Worktree != git.Unmodified {
			if _, err := tree.Add(name); err != nil {
				return false, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return changed, nil
}

// loopback reports whether a host is this machine, by its address.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// push sends the branch to origin over https, on this machine over http too.
// Other ways to reach a remote would start programs, or show a token to others.
func (r Repository) push(ctx context.Context, repo *git.Repository, hash plumbing.Hash) (string, error) {
	short := hash.String()[:12]
	remote, err := repo.Remote(git.DefaultRemoteName)
	if errors.Is(err, git.ErrRemoteNotFound) {
		return fmt.Sprintf("committed: %s (no remote)", short), nil
	}
	if err != nil {
		return "", err
	}
	for _, address := range remote.Config().URLs {
		if u, err := url.Parse(address); err != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
			return fmt.Sprintf("committed: %s (not pushed: the remote is not https)", short), nil
		}
	}
	options := &git.PushOptions{RemoteName: git.DefaultRemoteName}
	if r.Token != "" {
		user := r.User
		if user == "" {
			user = "git"
		}
		options.Auth = &http.BasicAuth{Username: user, Password: r.Token}
	}
	err = repo.PushContext(ctx, options)
	if err != nil && !errors.Is(err, git.NoErrAlreadyUpToDate) {
		reason := err.Error()
		if r.Token != "" {
			reason = strings.ReplaceAll(reason, r.Token, "[token]")
		}
		return fmt.Sprintf("committed: %s (push failed: %s)", short, reason), nil
	}
	return "committed + pushed: " + short, nil
}
