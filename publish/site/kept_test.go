package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/diag"
	"wb/proof/manifest"
)

// FuzzKept: whatever authors do to a directory, a site that is built on from what an
// earlier process kept has the bytes and the findings of one that is built from nothing.
// Each pair of bytes is a change: what is done, and to what.
func FuzzKept(f *testing.F) {
	f.Add([]byte{0, 1, 0, 2, 0, 3, 1, 1, 2, 2, 3, 3})
	f.Add([]byte{0, 0, 10, 0, 20, 0, 30, 0, 40, 0, 50, 0, 60, 0, 70, 0})
	f.Add([]byte{43, 19, 42, 10, 41, 9, 42, 14, 41, 5, 42, 6}) // c names an id that b, then a has
	f.Add([]byte("changes of all kinds, in the order of these letters"))
	for seed := range byte(8) {
		var changes []byte
		for i := range byte(40) {
			changes = append(changes, i*37+seed*11, i*i*13+seed*29)
		}
		f.Add(changes)
	}
	f.Fuzz(func(t *testing.T, changes []byte) {
		if len(changes) > 120 {
			t.Skip("long")
		}
		dir, kept := t.TempDir(), t.TempDir()
		for n, name := range authored {
			author(t, dir, name, n%8)
		}
		checkKept(t, dir, kept, "the beginning")
		for i := 0; i+1 < len(changes); i += 2 {
			what := change(t, dir, changes[i], changes[i+1])
			checkKept(t, dir, kept, what)
		}
	})
}

// checkKept builds the site both ways.
func checkKept(t *testing.T, dir, kept, what string) {
	t.Helper()
	opts := Options{State: func(dir string) string {
		text, _ := os.ReadFile(filepath.Join(dir, "state.txt"))
		return string(text)
	}, Know: func(_ context.Context, d *Document, _ Config) (Known, error) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(d.File), "state.txt"))
		if err != nil {
			return Known{}, nil
		}
		known := Known{Files: map[string][]byte{"assets/live/" + manifest.SHA256(text): text}, Said: []manifest.Assertion{{Label: string(text), Data: map[string]any{
			"subject": []any{map[string]any{"digest": map[string]any{"sha256": manifest.SHA256(text)}, "size": len(text)}}}}}}
		known.Foot.Script = string(text)
		return known, nil
	}}
	fresh := opened(t, dir)
	want, err := NewBuilder(fresh, &plain{}, opts).Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p := opened(t, dir)
	k, err := OpenKept(kept, p, "this machine")
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuilder(p, &plain{}, opts)
	b.Resume(k)
	got, err := b.Build(context.Background())
	if err != nil {
		t.Fatalf("after %s: %v", what, err)
	}
	at, digests, err := k.Keep(b, got)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sorted2(got.Found), sorted2(want.Found)) {
		t.Fatalf("after %s: found\n%v\nfrom nothing\n%v", what, got.Found, want.Found)
	}
	if fmt.Sprint(got.Said) != fmt.Sprint(want.Said) {
		t.Fatalf("after %s: said\n%v\nfrom nothing\n%v", what, got.Said, want.Said)
	}
	files := manifest.Files{}
	err = fs.WalkDir(os.DirFS(at), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(at, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range maps.Keys(want.Files) {
		if !bytes.Equal(files[name], want.Files[name]) {
			t.Fatalf("after %s: %s is\n%s\nfrom nothing\n%s", what, name, files[name], want.Files[name])
		}
		if digests[name] != manifest.SHA256(want.Files[name]) {
			t.Fatalf("after %s: the digest of %s is another one", what, name)
		}
	}
	if len(files) != len(want.Files) || len(digests) != len(files) {
		t.Fatalf("after %s: %d files and %d digests, from nothing %d", what, len(files), len(digests), len(want.Files))
	}
}

func sorted2(found []diag.Finding) []diag.Finding {
	out := slices.Clone(found)
	sortFound(out)
	return out
}

func opened(t *testing.T, dir string) *Project {
	t.Helper()
	p, err := Open(dir, Ask{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

var authored = []string{"index.org", "a.org", "b.org", "c.org", "sub/index.org", "sub/d.org", "part.txt", "p.png"}

// author writes a file in one of its forms.
func author(t *testing.T, dir, name string, form int) {
	t.Helper()
	// The first sentence describes the page in its frame, which is often the same.
	lines := []string{"This is the first sentence of a page, and it is always the same one, however long.", fmt.Sprintf("Text %d.", form)}
	add := func(bit int, line string) {
		if form&bit != 0 {
			lines = append(lines, line)
		}
	}
	if strings.HasSuffix(name, ".org") {
		add(1, "#+TITLE: Title of "+name)
		add(2, "#+FILETAGS: :water:soil:")
		add(4, "* First\nOne.")
		add(8, "* Second\n:PROPERTIES:\n:ID: x1\n:END:\nTwo, with [[id:x2]].")
		add(16, "To [[id:x1]].")
		add(32, "#+INCLUDE: \"part.txt\"\n#+DATE: 2025-01-02")
		add(64, "To [[file:a.org::*First]], [[file:sub/d.org]], [[file:b.org::*Second][b]], [[file:p.png]], [[file:sub]].")
		add(128, "#+DESCRIPTION: About it\n* Third\n:PROPERTIES:\n:ID: x2\n:END:")
	}
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(strings.Join(lines, "\n")+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// change does one thing to the directory and says what.
func change(t *testing.T, dir string, what, how byte) string {
	t.Helper()
	name := authored[int(what)%len(authored)]
	at := filepath.Join(dir, filepath.FromSlash(name))
	other := filepath.Join(dir, fmt.Sprintf("other%d.org", how%3))
	text := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s = %q", name, text)
	}
	switch what / 8 % 8 {
	case 0:
		_ = os.Remove(at) // or it is not there
		return "removing " + name
	case 1:
		_ = os.Rename(at, other) // or it is not there
		return "renaming " + name
	case 2:
		return text("state.txt", fmt.Sprint(how%4))
	case 3:
		return text(ConfigFile, []string{"", "#+TITLE: Another\n", "#+PUBLISH_SOURCE: none\n", "#+PUBLISH_URL: https://example.org/\n"}[how%4])
	case 4:
		if how%3 == 0 {
			_ = os.Remove(filepath.Join(dir, NavFile)) // or it is not there
			return "removing " + NavFile
		}
		return text(NavFile, "* Part\n- [[file:a.org]]\n- [[file:"+[]string{"b.org", "sub/"}[how%2]+"]]\n")
	}
	author(t, dir, name, int(how))
	return fmt.Sprintf("writing form %d of %s", how, name)
}

// TestKeptTitle: a title that only lists and frames show makes one page anew, and a page
// that somebody changed where it was kept is made again.
func TestKeptTitle(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	for _, name := range []string{"index.org", "a.org", "b.org"} {
		write(t, dir, name, "#+TITLE: "+name+"\nText.\n")
	}
	build := func(want string) {
		t.Helper()
		p := opened(t, dir)
		k, err := OpenKept(kept, p, "this machine")
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder(p, listing{}, Options{})
		b.Resume(k)
		r, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := k.Keep(b, r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Rebuilt, " "); got != want {
			t.Errorf("made %s, want %s", got, want)
		}
		text, err := os.ReadFile(filepath.Join(kept, "site", "b.html"))
		if err != nil || !strings.Contains(string(text), "<p>Text.</p>") {
			t.Errorf("b.html is %s, %v", text, err)
		}
	}
	build("a.org b.org index.org")
	write(t, dir, "a.org", "#+TITLE: Another\nText.\n")
	build("a.org")
	if text, err := os.ReadFile(filepath.Join(kept, "site", "b.html")); err != nil || !strings.Contains(string(text), "Another") {
		t.Errorf("b.html does not list the new title: %s, %v", text, err)
	}
	write(t, kept, "site/b.html", "somebody else's")
	write(t, dir, "a.org", "#+TITLE: A third\nText.\n")
	build("a.org b.org")
}

// listing is a layout whose every frame lists all titles.
type listing struct{}

func (listing) Frames(_ context.Context, o *Outline) (manifest.Files, error) {
	files, list := manifest.Files{"404.html": []byte("<body>nothing</body>"), "assets/style.css": []byte("p{}")}, ""
	for _, page := range o.Pages {
		list += page.Title + " "
	}
	for _, page := range o.Pages {
		files[page.Path] = []byte("<body>" + list + SlotBody + "</body>")
	}
	return files, nil
}
