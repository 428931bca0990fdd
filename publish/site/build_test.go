package site

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wb/proof/manifest"
)

// plain is a layout without any: marks for what there is. It counts how often
// it is asked.
type plain struct{ asked int }

func (p *plain) Frames(_ context.Context, o *Outline) (manifest.Files, error) {
	p.asked++
	files := manifest.Files{"404.html": []byte("<body>nothing</body>"), "assets/style.css": []byte("p{}")}
	for _, page := range o.Pages {
		files[page.Path] = fmt.Appendf(nil, "<title>%s</title><body>%s%s</body>", page.Title, SlotHeader, SlotBody)
	}
	return files, nil
}

const threePages = `
-- index.org --
#+TITLE: Home
[[file:a.org::*First][to a]]
-- a.org --
#+TITLE: A
* First
One.
-- b.org --
#+TITLE: B
Two.
`

// write replaces a file.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestIncremental: only pages that a change can matter to are made again, and
// they are what a build from nothing gives.
func TestIncremental(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(threePages)).Files)
	p, err := Open(dir, Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	layout := &plain{}
	b := NewBuilder(p, layout, Options{})
	for _, step := range []struct {
		name, text string // what is written before the build
		rebuilt    string
		framed     bool
		broken     int
	}{
		{"index.org", "#+TITLE: Home\n[[file:a.org::*First][to a]]\n", "a.org b.org index.org", true, 0},
		{"b.org", "#+TITLE: B\n#+DESCRIPTION: two\nTwo, again.\n", "b.org", true, 0}, // its description is in the frame
		{"b.org", "#+TITLE: B\n#+DESCRIPTION: two\nTwo, once more.\n", "b.org", false, 0},
		{"b.org", "#+TITLE: B\n#+DESCRIPTION: two\nTwo, once more.\n", "", false, 0},
		{"b.org", "#+TITLE: The B\n#+DESCRIPTION: two\nTwo, once more.\n", "b.org", true, 0},
		{"a.org", "#+TITLE: A\n#+DESCRIPTION: one\n* First\nOne.\n", "a.org index.org", true, 0}, // index.org names a place of a.org
		{"a.org", "#+TITLE: A\n#+DESCRIPTION: one\n* Second\nOne.\n", "a.org index.org", false, 1},
		{"a.org", "#+TITLE: A\n#+DESCRIPTION: one\n* First\nOne.\n", "a.org index.org", false, 0},
		{"c.org", "#+TITLE: C\n", "a.org b.org c.org index.org", true, 0},    // links may lead to it
		{"c.org", "#+TITLE: C\n#+INCLUDE: \"part.txt\"\n", "c.org", true, 1}, // what is missing shows
		{"part.txt", "* Inside\n", "c.org", true, 0},
		{"b.org", "#+TITLE: B\n[[file:c.org::*Inside]]\n", "b.org", true, 0},
		{"part.txt", "* Elsewhere\n", "b.org c.org", true, 1}, // b.org names a place that c.org includes
		{"part.txt", "* Inside\nText.\n", "b.org c.org", true, 0},
	} {
		write(t, dir, step.name, step.text)
		if err := p.Reload(); err != nil {
			t.Fatal(err)
		}
		asked := layout.asked
		r, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(r.Rebuilt)
		if got := strings.Join(r.Rebuilt, " "); got != step.rebuilt || r.Framed != step.framed || layout.asked-asked > 1 || len(r.Found) != step.broken {
			t.Errorf("%s: rebuilt %q, framed %v, found %v", step.text, got, r.Framed, r.Found)
		}
		fresh, err := NewBuilder(p, &plain{}, Options{}).Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range fresh.Files {
			if !bytes.Equal(data, r.Files[name]) {
				t.Errorf("after %q, %s is\n%s\nfrom nothing\n%s", step.text, name, r.Files[name], data)
			}
		}
		if len(fresh.Files) != len(r.Files) {
			t.Errorf("after %q there are %d files, from nothing %d", step.text, len(r.Files), len(fresh.Files))
		}
	}
}

func TestBuildIsCanceled(t *testing.T) {
	p, err := Open(unpack(t, txtar.Parse([]byte(threePages)).Files), Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewBuilder(p, &plain{}, Options{}).Build(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestSplice(t *testing.T) {
	parts := map[string]string{SlotBody: "<!--wb:header--> $1", SlotHeader: "H"}
	got, slots := splice([]byte("a"+SlotHeader+"b"+SlotBody+"c<!-- other -->"), parts)
	if want := "aHb<!--wb:header--> $1c<!-- other -->"; string(got) != want {
		t.Errorf("%s", got)
	}
	if out := takeOut(got, slots); !maps.Equal(out, parts) {
		t.Errorf("%q", out)
	}
}

// preview serves a site until the test ends and gives its address.
func preview(t *testing.T, dir string) string {
	t.Helper()
	p, err := Open(dir, Ask{})
	if err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan string, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	v := &Preview{Builder: NewBuilder(p, &plain{}, Options{}), Ready: func(url string) error { ready <- url; return nil }}
	go func() { done <- v.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		p.Close()
	})
	select {
	case url := <-ready:
		return url
	case err := <-done:
		done <- err
		t.Fatal(err)
		return ""
	}
}

func get(t *testing.T, url string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestPreview(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(threePages)).Files)
	write(t, dir, ConfigFile, "#+PUBLISH_BASE_PATH: /notes/\n")
	write(t, dir, "events.org", "canary")
	url := preview(t, dir)
	if !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/notes/") {
		t.Fatal(url)
	}
	for _, c := range []struct {
		path   string
		status int
		has    string
	}{
		{"", 200, "to a"},
		{"a.html", 200, `<script src="/notes/_wb/preview.js" defer>`},
		{"_wb/preview.js", 200, "EventSource"},
		{"assets/style.css", 200, "p{}"},
		{"none.html", 404, "nothing"},
		{"events.org", 404, "nothing"},
		{"a.org", 404, "nothing"},
		{"../a.html", 404, "nothing"},
	} {
		if status, text := get(t, url+c.path, nil); status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s: %d %s", c.path, status, text)
		}
	}
	if status, _ := get(t, url, func(r *http.Request) { r.Host = "evil.example" }); status != http.StatusForbidden {
		t.Errorf("another host: %d", status)
	}
}

// TestPreviewFollows: an open page hears which pages are other than before, and
// of mistakes.
func TestPreviewFollows(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(threePages)).Files)
	url := preview(t, dir)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"_wb/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	hear := func() (change struct {
		Changed []string
		Found   []struct{ Message string }
	}) {
		t.Helper()
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(text), &change); err != nil {
					t.Fatal(err)
				}
				return change
			}
		}
		t.Fatal("the stream ended", lines.Err())
		return change
	}
	if first := hear(); len(first.Changed) > 0 || len(first.Found) > 0 {
		t.Errorf("at first %v", first)
	}
	write(t, dir, "b.org", "#+TITLE: B\nTwo, and [[file:none.org][a mistake]].\n")
	change := hear()
	for !slices.Contains(change.Changed, "b.html") || len(change.Found) == 0 {
		change = hear() // the file may have been seen before all of it was there
	}
	if slices.Contains(change.Changed, "a.html") || change.Found[0].Message != "file:none.org leads nowhere" {
		t.Errorf("%v", change)
	}
	if _, text := get(t, url+"b.html", nil); !strings.Contains(text, "Two, and") {
		t.Errorf("%s", text)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Crème brûlée, twice!":          "creme brulee twice",
		"a b_c don't x2":                "b_c don x2",
		"日本語":                           "日本 本語",
		"WebAssembly: 漢字 text":          "webassembly 漢字 text",
		strings.Repeat("0123456789", 4): "",
	} {
		if got := strings.Join(slices.Collect(words(text)), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
