package tools_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"

	"wb/agent"
	"wb/agent/tools"
)

// workdir is a directory with files, and the run's tree over it.
func workdir(t *testing.T, files map[string]string) (string, *agent.Tree) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := agent.NewTree(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return dir, tree
}

// git commits what changed and nothing that is private, once per call.
func TestGit(t *testing.T) {
	dir, _ := workdir(t, map[string]string{"a.org": "* A\n", "events.org": "* private\n", "sub/_steps.jsonl": "{}\n", ".wb/x": "x"})
	tool := tools.Git(tools.Repository{Dir: dir, Tenant: "ada", Now: func() time.Time { return time.Unix(1e9, 0) }})
	if got := call(t, tool, map[string]any{"message": "first"}); !strings.Contains(got, "not a git repository") {
		t.Errorf("without a repository: %q", got)
	}
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, tool, map[string]any{"message": "first\n\nwhy"}); !strings.HasPrefix(got, "committed: ") || !strings.HasSuffix(got, " (no remote)") {
		t.Errorf("%q", got)
	}
	head, _ := repo.Head()
	commit, err := repo.CommitObject(head.Hash())
	if err != nil || commit.Author.Name != "ada" || !strings.HasPrefix(commit.Message, "first\n\nwhy\n\nWb-Call: ") {
		t.Errorf("%+v %v", commit, err)
	}
	files, _ := commit.Files()
	var names []string
	for f, err := files.Next(); err == nil; f, err = files.Next() {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "a.org" {
		t.Errorf("committed %s", got)
	}
	again := call(t, tool, map[string]any{"message": "first\n\nwhy"})
	if after, _ := repo.Head(); after.Hash() != head.Hash() || !strings.HasPrefix(again, "committed: ") {
		t.Errorf("the same call again made %s: %q", after.Hash(), again)
	}
}

// An index that a process left empty when it died is made anew.
func TestGitMends(t *testing.T) {
	dir, _ := workdir(t, map[string]string{"a.org": "* A\n", "b.org": "* B\n"})
	repo, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	empty := func() {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".git", "index"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(run string) string {
		t.Helper()
		out, err := tools.Git(tools.Repository{Dir: dir, Tenant: "ada", Now: time.Now}).Call(agent.WithCallKey(t.Context(), run), agent.Args{"message": []byte(`"m"`)})
		if err != nil {
			t.Fatal(err)
		}
		return out.Text
	}
	empty()
	if got := commit("1"); !strings.HasPrefix(got, "committed: ") {
		t.Errorf("before the first commit: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.org"), []byte("* A, changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty()
	if got := commit("2"); !strings.HasPrefix(got, "committed: ") {
		t.Errorf("after it: %q", got)
	}
	head, _ := repo.Head()
	last, err := repo.CommitObject(head.Hash())
	if err != nil {
		t.Fatal(err)
	}
	stats, err := last.Stats()
	if err != nil || len(stats) != 1 || stats[0].Name != "a.org" {
		t.Errorf("committed %v %v", stats, err)
	}
	if got := commit("1"); !strings.HasPrefix(got, "committed: ") || got == commit("2") {
		t.Errorf("a call that is made again behind another: %q", got)
	}
}

func TestPublish(t *testing.T) {
	_, tree := workdir(t, map[string]string{"content/a.html": "a", "blog/deep/b.html": "b", "secret.txt": "s", "content/_steps.jsonl": "x"})
	if got := call(t, tools.Publish(tree, "", "/home/ada/.config/wb/wb.toml"), nil); !strings.Contains(got, "publishing is not configured") || !strings.Contains(got, "wb.toml") {
		t.Errorf("%q", got)
	}
	web := t.TempDir()
	publish := tools.Publish(tree, web, "")
	if got := call(t, publish, nil); got != "published 2 files (0 unchanged)" {
		t.Errorf("%q", got)
	}
	if got := call(t, publish, nil); got != "published 0 files (2 unchanged)" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]bool{"content/a.html": true, "blog/deep/b.html": true, "secret.txt": false, "content/_steps.jsonl": false} {
		if _, err := os.Stat(filepath.Join(web, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two pictures a run, counted when they are attempted.
func TestImage(t *testing.T) {
	_, tree := workdir(t, nil)
	if got := call(t, tools.Image(tree, nil), map[string]any{"prompt": "x", "dest": "a.png"}); !strings.HasPrefix(got, "! image has no provider") {
		t.Errorf("%q", got)
	}
	grants, err := tools.PublicGrants([]string{"draw.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	web := site(t, grants, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if asked == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"data":[{"b64_json":"UE5H"}]}`)
	})
	draw := tools.Image(tree, &tools.ImageProvider{URL: "http://draw.example.org/v1", Key: "k", Web: web})
	args := func(dest string) map[string]any { return map[string]any{"prompt": "a cat", "dest": dest} }
	for _, c := range []struct{ dest, want string }{
		{"../a.png", "! write blocked: path escapes your working dir"},
		{"a.png", "! image failed: HTTP 503"},
		{"a.png", "drew a.png (3 bytes)"},
		{"b.png", "! image budget exhausted (2/run) — plan banners, don't spray"},
	} {
		if got := call(t, draw, args(c.dest)); got != c.want {
			t.Errorf("%s: %q, want %q", c.dest, got, c.want)
		}
	}
	if data, err := tree.Read("a.png"); string(data) != "PNG" || err != nil || asked != 2 {
		t.Errorf("%q %v, asked %d times", data, err, asked)
	}
	resumed := tools.Image(tree, &tools.ImageProvider{URL: "http://draw.example.org/v1", Web: web})
	for range 2 {
		resumed.(interface{ Recorded() }).Recorded()
	}
	if got := call(t, resumed, args("c.png")); !strings.Contains(got, "exhausted") {
		t.Errorf("a resumed run may draw again: %q", got)
	}
}
