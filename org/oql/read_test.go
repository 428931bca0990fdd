package oql

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/test/corpus"
	"wb/org"
	"wb/org/index"
)

// A query reads the files it is given and nothing that they, or links in their
// directories, lead to.
func TestReadsNothingElse(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret.org")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(secret, "* HUSH a secret heading\n#+begin_src sh\nhush\n#+end_src\n")
	write(filepath.Join(dir, "open.org"), "#+SETUPFILE: "+secret+"\n#+INCLUDE: \""+secret+"\"\n* Open\n[[file:"+secret+"][link]]\n#+INCLUDE: "+secret+" :lines 1-2\n")
	write(filepath.Join(dir, ".hidden.txt"), "* HUSH\n")
	for name, target := range map[string]string{"link.org": secret, "links": outside, "loop": dir} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, text := range []string{"", "hush", "from:blocks", "from:links", "from:tables", "regexp:hush", "(ancestors)", "from:events", "from:runs", `(text "hush")`} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Ask(context.Background(), Request{Paths: []string{dir}, Query: q})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		a.Write(&out, "ndjson")
		a.Close()
		if strings.Contains(strings.ToLower(out.String()), "hush") {
			t.Errorf("%q reads what it must not: %s", text, out.String())
		}
	}
	for _, from := range []string{"../" + filepath.Base(outside), "link.org", "./links", "links/secret.org", secret, "/etc/passwd", "loop/../../" + filepath.Base(outside)} {
		q, err := Parse(`(from ` + quote(from) + `)`)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Ask(context.Background(), Request{Paths: []string{dir}, Query: q, Below: dir})
		var refused *OutsideError
		if !errors.As(err, &refused) {
			t.Errorf("from %s: got %v", from, err)
		}
	}
}

// FuzzLog changes event logs in every way. Whatever packLog takes for a log,
// its columns must say what parsing the text as org says.
func FuzzLog(f *testing.F) {
	var b bytes.Buffer
	if err := corpus.Events(&b, 12, 3); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("* Run 1 a.org :run:session:\n  :PROPERTIES:\n  :ID: 1\n  :END:\n** x :log:\n   :PROPERTIES:\n   :RUN: 1\n   :RUN: 2\n   :EMPTY:\n   :END:\n   text\n** Result :result:\n   :PROPERTIES:\n   :RUN: 1"))
	f.Add([]byte("** a :b:\n*** c :d:\n** TODO x :y:\n* COMMENT z :q:\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if !bytes.HasPrefix(src, []byte("* ")) {
			return
		}
		data, err := packLog(src)
		if err != nil {
			return
		}
		c := openChunk(data, func() (string, error) { return string(src), nil })
		chain([]*chunk{c})
		want := Flatten("events.org", org.Parse(src))
		if c.n != len(want.Entries) {
			t.Fatalf("%d rows, not %d", c.n, len(want.Entries))
		}
		for i := range want.Entries {
			w := &want.Entries[i]
			if c.line(i) != w.Line || c.level(i) != w.Level || c.title(i) != w.Title || !slices.Equal(c.tags(i), w.Tags) || !slices.Equal(c.inherited(i), w.Inherited) {
				t.Fatalf("row %d: %d %d %q %q %q\nwant %d %d %q %q %q", i, c.line(i), c.level(i), c.title(i), c.tags(i), c.inherited(i), w.Line, w.Level, w.Title, w.Tags, w.Inherited)
			}
			if w.State != "" || w.Priority != 0 || w.Heading != w.Title || w.Scheduled != nil || w.Deadline != nil || w.Closed != nil || len(w.Clocks)+len(w.Blocks) > 0 || w.Category != "events" {
				t.Fatalf("row %d has more than a log can: %+v", i, w)
			}
			for name := range c.columns {
				got, has := c.prop(i, name)
				if v, ok := w.Prop(name); ok != has || v != got {
					t.Fatalf("row %d: %s is %q %v, want %q %v", i, name, got, has, v, ok)
				}
			}
			for _, p := range w.Props {
				if _, has := c.prop(i, p.Name); !has {
					t.Fatalf("row %d: no column for %s", i, p.Name)
				}
			}
			if got := c.entry("events.org", i); got.Text != w.Text || got.Body != w.Body || got.Line != w.Line || len(got.Links) != len(w.Links) || len(got.Stamps) != len(w.Stamps) {
				t.Fatalf("row %d: decoded as %+v, want %+v", i, got, w)
			}
		}
	})
}

// pack writes the rows of f, which src was flattened to, as PackText does without a tree.
func pack(f *File, src string) []byte {
	p := newPacker(src, len(f.Entries))
	for i := range f.Entries {
		p.add(&f.Entries[i])
	}
	return p.file(f)
}

// FuzzPack packs whatever org file there is and reads it back.
func FuzzPack(f *testing.F) {
	f.Add(corpus.File(corpus.Size{Files: 10, Headlines: 20, Bytes: 6_000}, 1))
	f.Add([]byte("#+FILETAGS: :a:\n| 1 |\n* TODO [#A] x :b:\nDEADLINE: <2026-02-30 Mon 9:00-10:00 +1w -2d>\n:PROPERTIES:\n:K: v\n:K+: w\n:END:\n[[a][b]] http://x.y\n#+begin_src c\n#+end_src\n: CLOCK\nCLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:00] =>  1:00\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		doc := org.Parse(src)
		want := Flatten("a.org", doc)
		packed := pack(want, doc.Source())
		if streamed := PackText("a.org", doc.Source(), org.Presets{}); !bytes.Equal(packed, streamed) {
			t.Fatalf("packed another way without a tree: %d bytes, not %d", len(streamed), len(packed))
		}
		got := Unpack("a.org", packed)
		if got.Len() != want.Len() {
			t.Fatalf("%d rows, not %d", got.Len(), want.Len())
		}
		for _, kind := range []string{"headlines", "blocks", "links", "tables"} {
			if a, b := dump(derive(want, kind)), dump(derive(got, kind)); a != b {
				t.Fatalf("%s:\n%s", kind, firstDifference(a, b))
			}
		}
		for _, text := range []string{"todo:", "tags:", "src:", "ts:", "heading:x", "regexp:b.", "priority:>=B", "k:v", "(children)", "!(parent)", "deadline:to=2027-01-01"} {
			q, err := Parse(text)
			if err != nil {
				continue
			}
			a, err := Run(context.Background(), q, Options{Corpus: &Corpus{Files: []*File{want}}})
			if err != nil {
				t.Fatal(err)
			}
			b, err := Run(context.Background(), q, Options{Corpus: &Corpus{Files: []*File{got}}})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Rows) != len(b.Rows) {
				t.Fatalf("%s: %d rows, packed %d", text, len(a.Rows), len(b.Rows))
			}
		}
	})
}

// dump shows every column of every row.
func dump(f *File) string {
	var b strings.Builder
	for i := range f.Len() {
		for _, name := range append(slices.Clone(headlineColumns), "closed", "alltags", "k", "name", "args", "result", "target", "description", "cells") {
			v, ok := f.Field(i, name)
			if ok {
				b.WriteString(name + "=" + plainText(v) + " ")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A store whose segment was cut short, as only damage from outside can do,
// answers as if there were none.
func TestDamagedSegment(t *testing.T) {
	dir := notes(t, corpus.Size{Files: 10, Headlines: 300, Bytes: 400_000})
	store := index.Open(filepath.Join(t.TempDir(), "index"), PackVersion)
	want := indexed(t, store, dir)
	rows := want.Files[3].Len()
	if err := want.Close(); err != nil {
		t.Fatal(err)
	}
	segments, _ := filepath.Glob(filepath.Join(store.Dir(), "segment-*"))
	if len(segments) != 1 {
		t.Fatal(segments)
	}
	if err := os.Truncate(segments[0], 1000); err != nil {
		t.Fatal(err)
	}
	got := indexed(t, store, dir)
	defer got.Close()
	if got.Files[3].Len() != rows || got.IndexStats().Built == 0 {
		t.Errorf("%d rows, want %d; %+v", got.Files[3].Len(), rows, *got.IndexStats())
	}
}
