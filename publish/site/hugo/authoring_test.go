package hugo

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/proof/manifest"
)

// TestAuthoring: aliases, lists, series, taxonomies, languages, comments and pages that
// search engines are to leave out, as hugo makes them of what authors say.
func TestAuthoring(t *testing.T) {
	files := siteOf(t, unpack(t, "authoring.txtar"))
	whole := manifest.Files{} // a page that leads on has neither landmarks nor anything to find
	for name, data := range files {
		if !strings.Contains(string(data), `http-equiv="refresh"`) {
			whole[name] = data
		}
	}
	for _, problem := range problems(whole) {
		if !strings.Contains(problem, "talk.example") && !strings.Contains(problem, "script") {
			t.Error(problem)
		}
	}
	for _, c := range []struct{ name, has string }{
		{"old.html", `content="0; url=./guide/about.html"`},
		{"very old/index.html", `<link rel="canonical" href="https://example.org/garden/guide/about.html">`},
		{"guide/earlier/index.html", `content="0; url=../../guide/about.html"`},
		{"de/guide/alt/index.html", `content="0; url=../../../de/guide/about.html"`},
		{"guide/about.html", `<meta name="robots" content="noindex">`},
		{"guide/about.html", `<p class="tags">Categories:  <a rel="tag" href="../categories/soil.html">soil</a>`},
		{"guide/about.html", `script-src 'self' https://talk.example &#39;sha256-TMFma7PHrBUjZEUKY/MwBLuX3/HrQe2&#43;A1FmjMS7ppA=&#39;;`},
		{"guide/about.html", `frame-src https://talk.example;`},
		{"guide/about.html", `<a lang="de" hreflang="de" href="../de/guide/about.html">Deutsch</a>`},
		{"de/guide/about.html", `<html lang="de">`},
		{"de/guide/about.html", `<link rel="alternate" hreflang="en" href="https://example.org/garden/guide/about.html">`},
		{"de/guide/about.html", `<a class="site-title" href="../../de/index.html">Garten</a>`},
		{"de/guide/about.html", `<h2>Anleitung</h2>`},
		{"de/guide/about.html", `placeholder="Suche"`},
		{"de/guide/about.html", `href="../../guide/about.html">English page</a>`},
		{"de/tags/a.html", `<a href="../../de/index.html">Daheim</a>`},
		{"de/assets/search-index.js", `["de/guide/about.html","Über"]`},
		{"blog/index.html", `<li><a href="../blog/p3.html">Post 3</a> <time datetime="2026-01-03">`},
		{"blog/index.html", `<a rel="next" href="../blog/page/2/index.html">Next</a>`},
		{"blog/page/2/index.html", `<li><a href="../../../blog/p1.html">Post 1</a>`},
		{"tags/b.html", `<a rel="next" href="../tags/b/page/2.html">Next</a>`},
		{"tags/b/page/2.html", `<link rel="stylesheet" href="../../../assets/style.css">`},
		{"tags/b/page/2.html", `<a rel="prev" href="../../../tags/b.html">Previous</a>`},
		{"series/roses.html", "Post 1"},
		{"series/roses/page/2.html", "Post 2"}, // the author says that it is the ninth
		{"blog/p3.html", `<p><a href="../series/roses.html">Roses</a>, 2 / 3</p>`},
		{"feed.xml", `<link rel="self" href="https://example.org/garden/feed.xml"/>`},
		{"sitemap.xml", "https://example.org/garden/de/sitemap.xml"},
	} {
		if !strings.Contains(string(files[c.name]), c.has) {
			t.Errorf("%s lacks %s:\n%.3000s", c.name, c.has, files[c.name])
		}
	}
	for _, c := range []struct{ name, has string }{
		{"en/sitemap.xml", "guide/about.html"}, {"de/guide/about.html", "talk.example"}, {"index.html", "talk.example"}, {"old.html", "<script"},
		{"assets/search-index.js", "Über"}, {"series/roses.html", "Post 2</a> <time"},
	} {
		if files[c.name] == nil || strings.Contains(string(files[c.name]), c.has) {
			t.Errorf("%s has %s, or is not there", c.name, c.has)
		}
	}
	if files["blog/draft.html"] != nil || files["index.htmlen/index.html"] != nil {
		t.Error("there is a page too many")
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// TestLost: the page for addresses that lead nowhere works where the host serves the site
// below a path that its author did not state.
func TestLost(t *testing.T) {
	browser := chromium.Start(t)
	dir := t.TempDir()
	put(t, dir, "index.org", "#+TITLE: Home\nText.\n")
	put(t, dir, "deep/page.org", "#+TITLE: Deep\nText.\n")
	files := siteOf(t, dir)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/some/project/")
		data, ok := files[name]
		switch {
		case strings.HasSuffix(name, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
		case strings.HasSuffix(name, ".css"):
			w.Header().Set("Content-Type", "text/css")
		}
		if !ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			data = files["404.html"]
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(server.Close)
	page := browser.Open(t, server.URL+"/some/project/deep/gone/away.html")
	page.Wait(`document.body.dataset.root === "/some/project/" && !document.querySelector("form.search").hidden`)
	if to := page.Text(`document.querySelector(".site-title").getAttribute("href")`); to != "/some/project/index.html" {
		t.Errorf("the site's title leads to %s", to)
	}
	page.Wait(`getComputedStyle(document.querySelector(".site-header")).position === "sticky"`)
}
