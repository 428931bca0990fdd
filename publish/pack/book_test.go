package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/workbook"
)

const bookSource = `#+TITLE: A book & more
#+AUTHOR: Ada
#+DATE: <2026-01-02>
#+LANGUAGE: en
Before the first chapter, see [[#two]], [[file:gone.org]] and a note.[fn:1]

#+CAPTION: A picture
[[file:pic.svg]]
* One
$x^2$ and [[https://example.org/a%b][an address]].

| a | b |
|---+---|
| 1 | 2 |
* Two
:PROPERTIES:
:CUSTOM_ID: two
:END:
#+begin_src js :exports both
return "<&>"
#+end_src

#+RESULTS:
: <&>
** Below
Text.

[fn:1] The note.
`

// TestBook writes a book, whose files are XML and which epubcheck has nothing to say
// about where it is installed.
func TestBook(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.org")
	svg := `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>`
	for name, text := range map[string]string{"a.org": bookSource, "pic.svg": svg} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	book := workbook.Book{File: file, Source: []byte(bookSource)}
	data, _, err := Book(context.Background(), book)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := Book(context.Background(), book); err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same document gives another book: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if first := z.File[0]; first.Name != "mimetype" || first.Method != zip.Store || len(first.Extra) > 0 {
		t.Errorf("begins with %+v", first)
	}
	texts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
		if !strings.HasSuffix(f.Name, "html") && !strings.HasSuffix(f.Name, ".opf") {
			continue
		}
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", f.Name, err)
				break
			}
		}
	}
	for _, c := range []struct{ name, has string }{
		{"OEBPS/text-0.xhtml", `<a href="text-2.xhtml#two">`},
		{"OEBPS/text-1.xhtml", `<math xmlns="http://www.w3.org/1998/Math/MathML">`},
		{"OEBPS/text-2.xhtml", "&lt;&amp;&gt;"},
		{"OEBPS/nav.xhtml", `<li><a href="text-2.xhtml">Two</a></li>`},
		{"OEBPS/book.opf", `<dc:title>A book &amp; more</dc:title>`},
		{"OEBPS/book.opf", `media-type="image/svg+xml"`},
	} {
		if !strings.Contains(texts[c.name], c.has) {
			t.Errorf("%s lacks %s:\n%s", c.name, c.has, texts[c.name])
		}
	}
	epubcheck, err := exec.LookPath("epubcheck")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("epubcheck is not installed: apt-get install epubcheck")
	}
	name := filepath.Join(dir, "a.epub")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("java", "-jar", epubcheck, name).CombinedOutput(); err != nil {
		t.Errorf("epubcheck: %v\n%s", err, out)
	}
}
