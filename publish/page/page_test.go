package page

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"wb/internal/identity"
	"wb/internal/test/golden"
	"wb/org"
	"wb/proof/manifest"
	"wb/proof/verify"
	"wb/workbook"
)

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
			read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", name)) }
			html, found, err := Render(context.Background(), filepath.Base(file), src, Options{Read: read, Show: ShowNone})
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, html)
			got := string(between(html, "<main>\n", "<section class=\"provenance\""))
			for _, d := range found {
				got += "<!-- " + d.String() + " -->\n"
			}
			golden.Check(t, strings.TrimSuffix(file, ".org")+".html", got)
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

// FuzzRender: whatever the document, the page is HTML that nests, runs nothing
// of the author's and asks nobody for anything.
func FuzzRender(f *testing.F) {
	files, err := filepath.Glob("testdata/*.org")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte("* a\n[fn:1] [fn:2] x\n- [ ] a :: b\n"))
	f.Add([]byte("[fn:1] see [fn:1]\n\nx[fn:1]\n"))
	f.Add([]byte("#+HTML: <p><table><tr><p></div>\n@@html:<svg><style>@@<b>\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, found, err := Fragment(context.Background(), "x.org", src, Options{})
		if err != nil {
			return
		}
		for _, d := range found {
			if d.Pos.Line < 1 || d.Pos.Line > 2+bytes.Count(src, []byte("\n")) {
				t.Fatalf("%s lies outside the document", d)
			}
		}
		checkHTML(t, p.Header+p.TOC+p.Body+p.Provenance+p.View)
	})
}

// loads are attributes that make a browser ask for something.
var loads = map[string]bool{"src": true, "srcset": true, "poster": true, "data": true, "background": true, "action": true, "formaction": true, "manifest": true, "ping": true}

// checkHTML parses a page and looks at every element.
func checkHTML(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		t.Fatalf("no text: %q", text)
	}
	once := parsed(t, text)
	var written strings.Builder
	if err := nethtml.Render(&written, once); err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := nethtml.Render(&again, parsed(t, written.String())); err != nil {
		t.Fatal(err)
	}
	if written.String() != again.String() {
		t.Fatalf("written anew it is another page:\n%s\n%s", written.String(), again.String())
	}
	ids := map[string]bool{}
	var links []string
	for n := range once.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		switch n.Data {
		case "script", "iframe", "object", "embed", "link", "base", "meta", "form":
			t.Fatalf("<%s> came through", n.Data)
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case strings.HasPrefix(a.Key, "on"):
				t.Fatalf("%s came through", a.Key)
			case loads[a.Key] && (strings.Contains(value, "//") && !strings.HasPrefix(value, "data:") && !strings.HasPrefix(value, "./")):
				t.Fatalf("%s=%q asks for something", a.Key, a.Val)
			case a.Key == "href" && strings.HasPrefix(value, "javascript:"):
				t.Fatal("a script came through")
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				links = append(links, a.Val[1:])
			case a.Key == "id":
				if ids[a.Val] {
					t.Fatalf("id %s twice", a.Val)
				}
				ids[a.Val] = true
			}
		}
	}
	for _, id := range links {
		if id != "event-trail" && id != "page-source" && !ids[id] {
			if unescaped, err := url.PathUnescape(id); err != nil || !ids[unescaped] {
				t.Fatalf("#%s leads nowhere", id)
			}
		}
	}
}

func parsed(t *testing.T, text string) *nethtml.Node {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader("<!DOCTYPE html><html><body>" + text + "</body></html>"))
	if err != nil {
		t.Fatal(err)
	}
	return root
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
			prepare(context.Background(), "x.org", src, source{}, nil)
		}
	})
}
