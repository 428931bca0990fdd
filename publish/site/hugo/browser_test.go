package hugo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/proof/manifest"
)

// serve serves the files of a site below /garden, with the types that web servers give them.
func serve(t *testing.T, files manifest.Files) string {
	t.Helper()
	types := map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/garden/")
		data, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if at := strings.LastIndexByte(name, '.'); at >= 0 && types[name[at:]] != "" {
			w.Header().Set("Content-Type", types[name[at:]])
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestBrowser opens pages of a site in Chromium: they fit, axe-core has nothing
// to complain about, nothing is asked of anybody else, and the keyboard reaches
// what there is.
func TestBrowser(t *testing.T) {
	axe := chromium.NeedAxe(t)
	browser := chromium.Start(t)
	address := serve(t, siteOf(t, unpack(t, "site.txtar"))) + "/garden"
	for name, views := range map[string][]string{
		"index.html": {"phone-light", "desktop-dark"}, "guide/start.html": {"phone-light", "phone-dark", "desktop-light", "desktop-dark"},
		"all-pages.html": {"phone-dark"}, "404.html": {"desktop-light"}} {
		page := browser.Open(t, address+"/"+name)
		for _, view := range views {
			page.Look(chromium.Views[view])
			if wide := page.Overflow(); wide > 0 {
				t.Errorf("%s, %s: %v pixels too wide", name, view, wide)
			}
			for _, v := range page.Violations(axe) {
				t.Errorf("%s, %s: %s", name, view, v)
			}
			page.Keep("site-" + strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "/", "-") + "-" + view)
		}
		for _, url := range page.Requests() {
			if !strings.HasPrefix(url, address+"/") {
				t.Errorf("%s asks %s", name, url)
			}
		}
		if troubles := page.Troubles(); len(troubles) > 0 {
			t.Errorf("%s complains: %v", name, troubles)
		}
		reached := map[string]bool{}
		for range 60 {
			page.Key("Tab")
			reached[page.Text(`document.activeElement.id || document.activeElement.className || document.activeElement.localName`)] = true
		}
		for _, want := range []string{"skip", "wb-search", "theme"} {
			if !reached[want] {
				t.Errorf("%s: Tab does not reach %s: %v", name, want, reached)
			}
		}
	}
}

// TestSearchFits: what a search finds is all on the screen, and has room there; a
// page that wb makes looks like those of the author's.
func TestSearchFits(t *testing.T) {
	browser := chromium.Start(t)
	address := serve(t, siteOf(t, unpack(t, "site.txtar"))) + "/garden"
	page := browser.Open(t, address+"/index.html")
	for name, view := range chromium.Views {
		page.Look(view)
		page.Click("#wb-search")
		page.Eval(`document.getElementById("wb-search").value = ""`)
		page.Type("#wb-search", "water")
		page.Wait(`document.querySelector("#wb-found a") !== null && !document.getElementById("wb-found").hidden`)
		page.Wait(`document.querySelector("#wb-found span mark") !== null`) // the passage comes from the page
		if off := page.Text(`(() => { const r = document.getElementById("wb-found").getBoundingClientRect(); return r.left < 0 || r.right > innerWidth || r.width < Math.min(300, innerWidth - 60) ? r.left + " to " + r.right + " of " + innerWidth : "" })()`); off != "" {
			t.Errorf("%s: results are at %s", name, off)
		}
	}
	size := page.Text(`getComputedStyle(document.querySelector("#content p")).fontSize`)
	page.Navigate(address + "/tags.html")
	if got := page.Text(`getComputedStyle(document.querySelector("#content li")).fontSize`); got != size {
		t.Errorf("text on the page of tags is %s, elsewhere %s", got, size)
	}
}
