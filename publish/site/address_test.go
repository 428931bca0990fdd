package site

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestAddresses follows what HTML of the author's names: files beside the document
// are published, addresses below the site's path are those of the site, and pictures
// of other servers are links.
func TestAddresses(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(`
-- publish.org --
#+PUBLISH_BASE_PATH: /notes/
-- images/a.png --
-- guide/b.png --
-- guide/paper.pdf --
-- guide/at 10:15.png --
-- guide/c.org --
#+TITLE: C
#+ATTR_HTML: :alt screenshot
[[file:at 10:15.png]]
#+begin_export html
<img src="/notes/images/a.png" alt="a"> <img src="b.png"> <a href="paper.pdf#page=2">paper</a> <a href="c.html#x">here</a> <a href="c.org">source</a>
<a href="https://example.org/" rel="nofollow"><img src="https://example.org/logo.png"></a> <div align="right"><img alt="a sign" src="http://example.org/sign.png"></div>
<a href="/elsewhere/x">other</a> <a href="none.pdf">none</a> <img src="/notes/none.png"> <img src="/images/a.png">
#+end_export
`)).Files)
	p, err := Open(dir, Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := NewBuilder(p, &plain{}, Options{}).Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"images/a.png", "guide/b.png", "guide/paper.pdf", "guide/at 10=3A15.png"} {
		if _, ok := r.Files[name]; !ok {
			t.Errorf("%s is not published", name)
		}
	}
	page := string(r.Files["guide/c.html"])
	for _, want := range []string{`<img src="at%2010=3A15.png" alt="screenshot"/>`, `<img src="../images/a.png" alt="a"/>`, `<img src="b.png"/>`, `<a href="paper.pdf#page=2">`, `<a href="c.html#x">`, `<a href="c.html">source</a>`,
		`<a href="https://example.org/" rel="nofollow"><span class="elsewhere">logo.png</span></a>`, `<div align="right"><a class="elsewhere" href="http://example.org/sign.png">a sign</a>`,
		`<a href="/elsewhere/x">`, `<a>none</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	var found []string
	for _, f := range r.Found {
		found = append(found, f.Code+" "+f.Message)
	}
	want := "raw-html https://example.org/logo.png is a picture of another server: a link leads to it\nraw-html http://example.org/sign.png is a picture of another server: a link leads to it\n" +
		"broken-link none.pdf leads nowhere\nmissing-image /notes/none.png is not there"
	if got := strings.Join(found, "\n"); got != want {
		t.Errorf("found\n%s\nnot\n%s", got, want)
	}
}
