package page

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"wb/org"
	"wb/publish/manifest"
	"wb/publish/verify"
	"wb/trace/identity"
	"wb/workbook"
)

var update = flag.Bool("update", false, "write golden files")

// TestGolden compares the text of pages, without style and scripts, with
// testdata/NAME.html.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.org")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			html, found, err := Render(context.Background(), filepath.Base(file), src, Options{})
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, html)
			got := string(between(html, "<main>\n", "<section class=\"provenance\""))
			for _, d := range found {
				got += "<!-- " + d.String() + " -->\n"
			}
			golden := strings.TrimSuffix(file, ".org") + ".html"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (-update writes it):\n%s", golden, got)
			}
		})
	}
}

func between(text []byte, from, to string) []byte {
	_, rest, _ := bytes.Cut(text, []byte(from))
	if before, _, ok := bytes.Cut(rest, []byte(to)); ok {
		return before
	}
	body, _, _ := bytes.Cut(rest, []byte("<footer>"))
	return body
}

var (
	void = regexp.MustCompile(`<(meta|img|br|hr|input)\b([^>]*?)/?>`)
	used = regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`)
	made = regexp.MustCompile(` id="([^"]+)"`)
)

// wellFormed checks that elements nest, ids are unique and links within the
// page lead somewhere.
func wellFormed(t *testing.T, html []byte) {
	t.Helper()
	text := string(between(html, "<body>", "<footer>"))
	dec := xml.NewDecoder(strings.NewReader("<body>" + void.ReplaceAllString(text, "<$1$2/>") + "</body>"))
	dec.Entity = xml.HTMLEntity
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ := dec.InputPos()
			t.Errorf("not well-formed: %v: %s", err, strings.Split(text, "\n")[max(0, line-1)])
			break
		}
	}
	ids := map[string]bool{}
	for _, m := range made.FindAllStringSubmatch(text, -1) {
		if ids[m[1]] {
			t.Errorf("id %s twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range used.FindAllStringSubmatch(text, -1) {
		if !ids[m[1]] {
			t.Errorf("#%s leads nowhere", m[1])
		}
	}
}

// TestSelfContained: a page asks nobody for anything, and signing it with the
// verifier in it works.
func TestSelfContained(t *testing.T) {
	src := []byte("#+TITLE: x\n\n[[file:a.png]] [[https://example.org/a.png]]\n")
	read := func(string) ([]byte, error) { return []byte("\x89PNG"), nil }
	html, _, err := Render(context.Background(), "x.org", src, Options{Read: read})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`src="http`, `src="//`, `@import`, `url(`, `<link`, `<iframe`} {
		if bytes.Contains(html, []byte(bad)) {
			t.Errorf("the page has %s", bad)
		}
	}
	if !bytes.Contains(html, []byte(`<img src="data:image/png;base64,`)) {
		t.Error("the picture is not in the page")
	}
	key, err := identity.FromSeed(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := manifest.SignPage(html, key, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if r := verify.Page(signed, verify.Options{}); !r.Valid {
		t.Errorf("%+v", r)
	}
}

// TestDeterministic: the same document gives the same page.
func TestDeterministic(t *testing.T) {
	src, err := os.ReadFile("testdata/elements.org")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := Render(context.Background(), "x.org", src, Options{})
	for range 5 {
		again, _, _ := Render(context.Background(), "x.org", src, Options{})
		if !bytes.Equal(first, again) {
			t.Fatal("two renderings differ")
		}
	}
}

// FuzzRender: whatever the document, the page nests.
func FuzzRender(f *testing.F) {
	src, err := os.ReadFile("testdata/elements.org")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte("* a\n[fn:1] [fn:2] x\n- [ ] a :: b\n"))
	f.Add([]byte("[fn:1] see [fn:1]\n\nx[fn:1]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if bytes.ContainsAny(src, "@\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f") || bytes.Contains(bytes.ToLower(src), []byte("export")) || !bytes.Equal(bytes.ToValidUTF8(src, nil), src) || bytes.ContainsAny(src, "\ufffe\uffff") {
			t.Skip() // raw HTML of the author, and what XML cannot hold
		}
		html, _, err := Render(context.Background(), "x.org", src, Options{})
		if err != nil {
			return
		}
		if bytes.Contains(between(html, "<body>", "<footer>"), []byte("<script")) {
			t.Fatal("a script came through")
		}
	})
}

func BenchmarkRender(b *testing.B) {
	src, err := os.ReadFile("testdata/elements.org")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, _, err := Render(context.Background(), "x.org", src, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// typical is a page of about 10 KB: prose, lists, a table, code, links; no
// formulas.
func typical() []byte {
	var out bytes.Buffer
	out.WriteString("#+TITLE: A typical page\n#+AUTHOR: Ada\n\n")
	for i := 1; out.Len() < 10_000; i++ {
		fmt.Fprintf(&out, `* Section %d
:PROPERTIES:
:CUSTOM_ID: s%d
:END:
Prose with *bold*, /italic/ and ~code~ words, a [[https://example.org/%d][link]], another to [[#s1]] and a
footnote[fn:: It says %d.] that goes on for some lines, as prose does, until the paragraph ends.

- an item with =verbatim=
- [X] another, done
  1. nested
  2. again

| name | value |
|------+-------|
| a    |    %d |
| b    |     2 |

#+begin_src js :exports both
return [1, 2, 3].map((x) => x * %d)
#+end_src

#+RESULTS:
| 1 | 2 | 3 |

`, i, i, i, i, i, i)
	}
	return out.Bytes()
}

func BenchmarkFragment(b *testing.B) {
	src := typical()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Fragment(context.Background(), "x.org", src, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParts(b *testing.B) {
	src := typical()
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			org.Parse(src)
		}
	})
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			workbook.NewPlan("x.org", src)
		}
	})
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			prepare(context.Background(), "x.org", src, nil)
		}
	})
}
