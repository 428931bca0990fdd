//go:build long

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/test/chromium"
	"wb/internal/test/lanetest"
)

// runnable are documents whose components all run in a browser, with the
// toolchains that they need.
var runnable = map[string][]string{
	"compiled.org": {"clang", "wabt"}, "scripts.org": {"quickjs", "typescript"}, "lua.org": {"lua"}, "sql.org": {"sqlite"},
	"python.org": {"python"}, "ruby.org": {"ruby"}, "shell.org": {"toolbox", "awk", "shell"}, "go.org": {"go"},
}

// TestRunWhereItIsPublished publishes a site with every language that runs in the
// page to every target, and presses each Run in Chromium, where the site is served
// with the headers of that target: the same bytes and the same fuel as here.
func TestRunWhereItIsPublished(t *testing.T) {
	if err := layout(); err != nil {
		t.Fatal(err)
	}
	browser := chromium.Start(t)
	u := newPublisher(t)
	names := u.workbooks("notes", runnable)
	for target, publish := range map[string]func(*publisher) string{
		"local": (*publisher).local, "self-hosted": (*publisher).selfHosted, "gh-pages": (*publisher).ghPages, "cloudflare-pages": (*publisher).cloudflare,
	} {
		t.Run(target, func(t *testing.T) {
			u.t = t
			address := publish(u)
			for _, name := range names {
				page := browser.Open(t, address+strings.TrimSuffix(name, ".org")+".html")
				pressAll(t, page, name)
				if troubles := page.Troubles(); len(troubles) > 0 {
					t.Errorf("%s complains: %v", name, troubles)
				}
			}
		})
	}
}

// pressAll presses each Run of a page and expects what was published.
func pressAll(t *testing.T, page *chromium.Page, name string) {
	t.Helper()
	ids := strings.Fields(page.Text(`[...document.querySelectorAll("[data-live]")].map((s) => s.dataset.live).join(" ")`))
	if len(ids) == 0 {
		t.Errorf("%s: nothing runs", name)
	}
	for _, id := range ids {
		panel := fmt.Sprintf("[data-live=%q]", id)
		page.Eval(fmt.Sprintf(`globalThis.result = new Promise((r) => document.querySelector(%q).addEventListener("wb:result",
			(e) => r(e.detail.same + " " + (e.detail.error || e.detail.value + " after " + e.detail.fuel + ": " + e.detail.stderr)), { once: true })); 0`, panel))
		page.Click(panel + " .live-run")
		if got := page.Text("globalThis.result"); !strings.HasPrefix(got, "yes ") {
			t.Errorf("%s: %s gives %q", name, id, got)
		}
	}
}

// firstView is how many bytes a reader may have to fetch to read a page whose
// blocks can run.
const firstView = 150_000

// TestFirstView: a page of five small blocks weighs little until somebody presses
// Run, as part of a site and alone; the whole in one file stays a choice.
func TestFirstView(t *testing.T) {
	if err := layout(); err != nil {
		t.Fatal(err)
	}
	browser := chromium.Start(t)
	u := newPublisher(t)
	const text = "#+TITLE: Five\n#+PROPERTY: header-args :exports both\n\n#+begin_src python\nreturn sum(range(10))\n#+end_src\n\n#+begin_src js\nreturn 6 * 7\n#+end_src\n\n" +
		"#+begin_src lua\nreturn 1 + 1\n#+end_src\n\n#+begin_src sqlite\nselect 1 as a, 2 as b;\n#+end_src\n\n#+begin_src C\nprintf(\"%d\\n\", 42);\n#+end_src\n"
	u.need("python", "quickjs", "lua", "sqlite", "clang")
	u.write("five/five.org", text)
	u.write("five/index.org", "#+TITLE: Home\n\n[[file:five.org][Five]]\n")
	u.wb("run", "-q", "five/five.org")
	u.wb("publish", "site", "five")
	u.wb("publish", "apply", "five/five.org")
	for dir, name := range map[string]string{"five/.publish_out": "five.html", "five/.publish_five": "index.html"} {
		address := serveWith(t, filepath.Join(u.dir, dir), "/", nil)
		page := browser.Open(t, address+name)
		page.Wait(`document.querySelectorAll("[data-live]:not([hidden])").length === 5`)
		sent := page.Eval(`performance.getEntriesByType("resource").reduce((n, e) => n + e.decodedBodySize, performance.getEntriesByType("navigation")[0].decodedBodySize)`)
		if n, _ := sent.(float64); n == 0 || n > firstView {
			t.Errorf("%s: %v bytes before anybody runs anything", dir, sent)
		} else {
			t.Logf("%s: %v bytes", dir, sent)
		}
		pressAll(t, page, name)
	}

	u.write("five/five.org", "#+PUBLISH_RUNTIME: page\n#+PUBLISH_LIVE: all\n"+text)
	u.wb("run", "-q", "five/five.org")
	u.wb("publish", "apply", "five/five.org")
	page := browser.Open(t, "file://"+filepath.Join(u.dir, "five/.publish_five/index.html"))
	pressAll(t, page, "one file")
	if requests := page.Requests(); len(requests) != 1 {
		t.Errorf("one file asks for %v", requests)
	}
}

// publisher is somebody who publishes, with a home of their own.
type publisher struct {
	t   *testing.T
	dir string
	env []string
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return &publisher{t: t, dir: t.TempDir(), env: append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+cache, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home,
		"WB_PUBLISH_TOKEN=token-of-a-test-only", "GIT_CONFIG_GLOBAL=/dev/null")}
}

func (u *publisher) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(u.t.Context(), "wb", args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	return cmd
}

func (u *publisher) wb(args ...string) string {
	u.t.Helper()
	var errs bytes.Buffer
	cmd := u.command(args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("wb %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.Bytes())
	}
	return string(out)
}

func (u *publisher) write(name, text string) {
	u.t.Helper()
	file := filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// need skips unless toolchains are there.
func (u *publisher) need(tools ...string) {
	u.t.Helper()
	env, err := compile.NewEnv(u.t.Context(), compile.EnvConfig{})
	if err != nil {
		u.t.Fatal(err)
	}
	defer env.Close(u.t.Context())
	if _, err := lanes.New(env); err != nil { // which know how toolchains are made
		u.t.Fatal(err)
	}
	lanetest.Need(u.t, env, tools...)
}

// workbooks puts documents that ran into a directory, and a home page. It gives
// their names.
func (u *publisher) workbooks(dir string, docs map[string][]string) []string {
	u.t.Helper()
	names, home := []string{}, "#+TITLE: Home\n\n"
	for name, tools := range docs {
		u.need(tools...)
		text, err := os.ReadFile(filepath.Join("../../publish/live/testdata", name))
		if err != nil {
			u.t.Fatal(err)
		}
		u.write(path.Join(dir, name), string(text))
		u.wb("run", "-q", path.Join(dir, name))
		names = append(names, name)
		home += "[[file:" + name + "]]\n"
	}
	slices.Sort(names)
	u.write(dir+"/index.org", home)
	return names
}

// site publishes the directory notes as keywords say.
func (u *publisher) site(keywords string) {
	u.t.Helper()
	u.write("notes/publish.org", "#+PUBLISH_TITLE: Notes\n"+keywords)
	u.wb("publish", "site", "notes")
}

func (u *publisher) local() string {
	u.site("#+PUBLISH_DIR: ../www\n#+PUBLISH_OUTPUT: ../out-local\n")
	return serveWith(u.t, filepath.Join(u.dir, "www/current"), "/", nil)
}

// selfHosted publishes to a wb serve of this machine.
func (u *publisher) selfHosted() string {
	u.t.Helper()
	u.write("served/a.org", "#+TITLE: A\n")
	cmd := u.command("serve", "served", "--addr", "127.0.0.1:0", "--publish-token", "env:WB_PUBLISH_TOKEN")
	out, err := cmd.StderrPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		u.t.Fatal(err)
	}
	_, at, found := strings.Cut(strings.TrimSpace(line), " on ")
	if !found {
		u.t.Fatalf("wb serve says %q", line)
	}
	u.site("#+PUBLISH_TARGET: self-hosted\n#+PUBLISH_SERVER: " + at + "\n#+PUBLISH_PROJECT: notes\n#+PUBLISH_OUTPUT: ../out-self\n")
	return at + "/w/notes/"
}

// ghPages publishes to a branch and serves it as GitHub does a project's.
func (u *publisher) ghPages() string {
	u.t.Helper()
	remote, clone := filepath.Join(u.dir, "remote.git"), filepath.Join(u.t.TempDir(), "clone")
	if _, err := git.PlainInit(remote, true); err != nil {
		u.t.Fatal(err)
	}
	repo, err := git.PlainInit(filepath.Join(u.dir, "notes"), false)
	if err != nil {
		u.t.Fatal(err)
	}
	if _, err := repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{remote}}); err != nil {
		u.t.Fatal(err)
	}
	u.site("#+PUBLISH_TARGET: gh-pages\n#+PUBLISH_REPO: .\n#+PUBLISH_OUTPUT: ../out-gh\n")
	if _, err := git.PlainClone(clone, false, &git.CloneOptions{URL: remote, ReferenceName: plumbing.NewBranchReferenceName("gh-pages")}); err != nil {
		u.t.Fatal(err)
	}
	return serveWith(u.t, clone, "/notes/", http.Header{"Access-Control-Allow-Origin": {"*"}, "Cache-Control": {"max-age=600"}, "X-Frame-Options": {"deny"}})
}

// cloudflare publishes with a stand-in for wrangler that copies what it is given,
// and serves that as Cloudflare Pages does: addresses lose their .html.
func (u *publisher) cloudflare() string {
	u.t.Helper()
	bin, cloud := u.t.TempDir(), filepath.Join(u.t.TempDir(), "site")
	if err := os.WriteFile(filepath.Join(bin, "wrangler"), []byte("#!/bin/sh\ncp -R \"$3\" "+cloud+"\n"), 0o755); err != nil {
		u.t.Fatal(err)
	}
	u.env = append(u.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	u.site("#+PUBLISH_TARGET: cloudflare-pages\n#+PUBLISH_PROJECT: notes\n#+PUBLISH_OUTPUT: ../out-cf\n")
	return serveWith(u.t, cloud, "/", http.Header{"Access-Control-Allow-Origin": {"*"}, "Cache-Control": {"public, max-age=0, must-revalidate"},
		"Referrer-Policy": {"strict-origin-when-cross-origin"}, "X-Content-Type-Options": {"nosniff"}, "Pretty": {"yes"}})
}

// serveWith serves a directory below a path with headers; Pretty redirects from
// a page to its address without .html.
func serveWith(t *testing.T, dir, below string, headers http.Header) string {
	t.Helper()
	files := http.StripPrefix(strings.TrimSuffix(below, "/"), http.FileServer(http.Dir(dir)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range headers {
			w.Header()[name] = values
		}
		if headers.Get("Pretty") != "" {
			if bare, ok := strings.CutSuffix(r.URL.Path, ".html"); ok {
				http.Redirect(w, r, bare, http.StatusPermanentRedirect)
				return
			}
			if _, err := os.Stat(filepath.Join(dir, r.URL.Path+".html")); err == nil {
				r.URL.Path += ".html"
			}
		}
		if name := path.Ext(r.URL.Path); name == ".mjs" {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + below
}
