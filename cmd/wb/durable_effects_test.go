package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"

	"wb/workbook/capability"
)

// commitID is the part of the git tool's answer that differs from run to run.
var commitID = regexp.MustCompile(`committed: [0-9a-f]{12}`)

// furnish makes what the scripted runs work on: a document, a workbook, a repository,
// a web root and an endpoint that draws, each picture once for a key.
func (c *crashBench) furnish() {
	c.t.Helper()
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	draws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Prompt string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		c.mu.Lock()
		c.drawn[r.Header.Get("Idempotency-Key")] = q.Prompt
		c.mu.Unlock()
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprintf(w, "a picture of %s", q.Prompt)
	}))
	c.t.Cleanup(draws.Close)
	settings := filepath.Join(c.state, "wb")
	must(os.MkdirAll(settings, 0o755))
	must(os.WriteFile(filepath.Join(settings, "wb.toml"), fmt.Appendf(nil, "[publish]\nweb_root = %q\n[image]\nurl = %q\n", c.web, draws.URL), 0o644))
	must(os.MkdirAll(filepath.Join(c.dir, "content"), 0o755))
	for name, text := range map[string]string{"team.org": durableTeam, "count.org": durableCount, "content/page.html": "<p>page</p>\n"} {
		must(os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644))
	}
	_, err := git.PlainInit(c.dir, false)
	must(err)
}

// outside is what a run did outside of its directory's files: commits, what was
// published, pictures, keys and queues.
func (c *crashBench) outside() string {
	c.t.Helper()
	var b strings.Builder
	c.commits(&b)
	for _, dir := range []string{c.web, filepath.Join(c.dir, "content")} {
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				text, _ := os.ReadFile(path)
				fmt.Fprintf(&b, "== %s/%s\n%s\n", filepath.Base(filepath.Dir(path)), entry.Name(), text)
			}
			return nil
		})
	}
	c.mu.Lock()
	fmt.Fprintf(&b, "== drawn\n%q\n", slices.Sorted(maps.Values(c.drawn)))
	c.mu.Unlock()
	host := &capability.Host{Tenant: "default", StateDir: c.state}
	defer host.Close()
	store := host.Project(c.dir)
	n, _, err := store.Get(c.t.Context(), "default", "n")
	if err != nil {
		c.t.Fatal(err)
	}
	fmt.Fprintf(&b, "== n is %s\n", n)
	for {
		message, found, err := store.Pop(c.t.Context(), "default", "jobs")
		if err != nil {
			c.t.Fatal(err)
		}
		if !found {
			return b.String()
		}
		fmt.Fprintf(&b, "queued %s\n", message)
	}
}

// commits are the commits of a run, latest first, with the files of each.
func (c *crashBench) commits(b *strings.Builder) {
	repo, err := git.PlainOpen(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	log, err := repo.Log(&git.LogOptions{})
	if err != nil {
		return // there is none
	}
	_ = log.ForEach(func(commit *gitobject.Commit) error {
		message, _, _ := strings.Cut(commit.Message, "\n")
		fmt.Fprintf(b, "== commit %s\n", message)
		files, err := commit.Files()
		if err != nil {
			return err
		}
		return files.ForEach(func(f *gitobject.File) error {
			fmt.Fprintf(b, "%s\n", f.Name)
			return nil
		})
	})
}
