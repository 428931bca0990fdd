package pack

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/workbook"
)

const talk = `#+TITLE: A talk
#+AUTHOR: Ada
* First
- one
- two
#+begin_notes
Say it slowly.
#+end_notes
** Below
$x^2$, see [[*Long]]
* Code
#+begin_src python
def total(rows):
    return sum(n for _, n in rows)
#+end_src

| town  | crates |
|-------+--------|
| Ghent |      3 |
* Long
`

// TestSlides: in a browser the keyboard walks through the slides, each is all on the
// screen, a link leads to its slide, and axe-core has nothing to complain about.
func TestSlides(t *testing.T) {
	axe := chromium.NeedAxe(t)
	browser := chromium.Start(t)
	src := talk + strings.Repeat("- an item of a long list\n", 24)
	file := filepath.Join(t.TempDir(), "talk.org")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	html, found, err := Slides(context.Background(), workbook.Book{File: file, Source: []byte(src)})
	if err != nil || len(found) > 0 {
		t.Fatal(found, err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(html) }))
	t.Cleanup(server.Close)
	page := browser.Open(t, server.URL)
	for name, view := range chromium.Views {
		page.Look(view)
		page.Key("Home")
		for n := 1; n <= 5; n++ {
			page.Wait(`document.body.dataset.at === "` + strconv.Itoa(n) + `"`)
			if wide := page.Overflow(); wide > 0 {
				t.Errorf("%s, slide %d: %v pixels too wide", name, n, wide)
			}
			page.Keep("slides-" + strconv.Itoa(n) + "-" + name)
			if n < 5 {
				page.Key("PageDown")
			}
		}
		for _, v := range page.Violations(axe) {
			t.Errorf("%s: %s", name, v)
		}
		if high := page.Text(`String([...document.querySelectorAll(".slide")].filter((s) => s.scrollHeight > s.clientHeight + 1).length)`); high != "0" && strings.HasPrefix(name, "desktop") {
			t.Errorf("%s: %s slides are too high", name, high)
		}
	}
	page.Key("Home")
	page.Eval(`document.querySelector('a[href="#long"]').click()`)
	page.Wait(`document.body.dataset.at === "5"`)
	if shown := page.Text(`getComputedStyle(document.querySelector(".notes")).display`); shown != "none" {
		t.Errorf("the speaker's notes are shown: %s", shown)
	}
	page.Key("n")
	page.Wait(`getComputedStyle(document.querySelector(".notes")).display === "block"`)
	if requests := page.Requests(); len(requests) != 1 {
		t.Errorf("the page asks for %v", requests)
	}
}
