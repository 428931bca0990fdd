package hugo

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/page"
	"wb/publish/site"
)

// unpack writes an archive of testdata into a new directory.
func unpack(t *testing.T, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// know gives every document a run that wrote something, for pages of events.
func know(_ context.Context, d *site.Document, _ site.Config) (site.Known, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(d.File), "events.org"))
	if err != nil {
		return site.Known{}, nil
	}
	return site.Known{Events: page.RunEvents(text, d.File)}, nil
}

func siteOf(t *testing.T, dir string) manifest.Files {
	t.Helper()
	p, err := site.Open(dir, site.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := site.NewBuilder(p, Layout{}, site.Options{Know: know}).Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Found {
		if d.Severity == diag.Note {
			continue
		}
		t.Errorf("%s", d)
	}
	return r.Files
}

// TestSite builds a site with everything in it and looks at all of it.
func TestSite(t *testing.T) {
	dir := unpack(t, "site.txtar")
	files := siteOf(t, dir)
	for _, problem := range problems(files) {
		t.Error(problem)
	}
	if t.Failed() {
		return
	}
	again := siteOf(t, dir)
	elsewhere := siteOf(t, unpack(t, "site.txtar"))
	for _, other := range []manifest.Files{again, elsewhere} {
		if !maps.EqualFunc(files, other, bytes.Equal) {
			t.Error("the same documents give another site")
		}
	}
	t.Run("pages", func(t *testing.T) {
		var got []string
		for name := range files {
			if !strings.HasPrefix(name, "assets/") {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		want := "404.html all-pages.html blog/new.html blog/new.source.html blog/old.html blog/old.source.html feed.xml guide/data.csv guide/plot.png guide/start.html " +
			"guide/start.source.html index.html index.source.html index.xml robots.txt sitemap.xml tags.html tags/c-2.html tags/c.html tags/plants.html"
		if strings.Join(got, " ") != want {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, " "), want)
		}
	})
	text := func(name string) string { return string(files[name]) }
	for _, c := range []struct{ name, has string }{
		{"index.html", `<a aria-current="page" href="./index.html">Welcome</a>`},
		{"index.html", `<link rel="canonical" href="https://example.org/garden/index.html">`},
		{"guide/start.html", `<a aria-current="page" href="../guide/start.html">Start here</a>`},
		{"guide/start.html", `<html lang="nl">`},
		{"guide/start.html", `<a rel="prev" href="../index.html">`},
		{"guide/start.html", `<a rel="next" href="../blog/new.html">`},
		{"guide/start.html", `href="https://example.org/edit/guide/start.org"`},
		{"guide/start.html", `<a rel="tag" href="../tags/plants.html">plants</a>`},
		{"guide/start.html", `<img src="plot.png" alt="Growth`},
		{"guide/start.html", `{{&lt; shortcode &gt;}}`},
		{"guide/start.html", `href="../blog/new.html#the-second"`},
		{"guide/start.html", `href="../index.html#water"`},
		{"tags/c.html", `../blog/new.html`},
		{"tags/c-2.html", `../blog/old.html`},
		{"all-pages.html", `<h2 id="blog">Blog</h2>`},
		{"404.html", `href="/garden/assets/style.css"`},
		{"robots.txt", "Sitemap: https://example.org/garden/sitemap.xml"},
		{"sitemap.xml", "<loc>https://example.org/garden/guide/start.html</loc>\n<lastmod>2026-11-20</lastmod>"},
		{"index.xml", "<pubDate>Sat, 21 Nov 2026 10:30:00 +0000</pubDate>"},
		{"feed.xml", "<updated>2026-11-21T10:30:00Z</updated>"},
		{"assets/search-index.js", `["guide/start.html","Beginnen"]`},
		{"assets/search-index.js", `ulpen `},
	} {
		if !strings.Contains(text(c.name), c.has) {
			t.Errorf("%s lacks %s", c.name, c.has)
		}
	}
	if strings.Contains(text("sitemap.xml"), "source.html") || strings.Contains(text("index.xml"), "source") {
		t.Error("pages of sources are listed")
	}
	if i, j := strings.Index(text("index.xml"), "Newer"), strings.Index(text("index.xml"), "Older"); i < 0 || j < i {
		t.Error("the feed does not begin with the newest")
	}
	for _, name := range []string{"index.xml", "feed.xml", "sitemap.xml"} {
		for d := xml.NewDecoder(bytes.NewReader(files[name])); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

// TestCanary builds a site around what must never leave the machine.
func TestCanary(t *testing.T) {
	for name, data := range siteOf(t, unpack(t, "canary.txtar")) {
		if i := bytes.Index(bytes.ToLower(data), []byte("canary")); i >= 0 {
			t.Errorf("%s: …%s…", name, data[max(0, i-60):min(len(data), i+60)])
		}
	}
}

// TestUnlisted: search engines are asked to stay away, and nothing tells them
// what there is.
func TestUnlisted(t *testing.T) {
	dir := unpack(t, "site.txtar")
	config := filepath.Join(dir, "publish.org")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, append(text, "\n#+PUBLISH_ACCESS: unlisted\n#+PUBLISH_SOURCE: none\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	files := siteOf(t, dir)
	if files["sitemap.xml"] != nil || !strings.Contains(string(files["robots.txt"]), "Disallow: /\n") || !strings.Contains(string(files["guide/start.html"]), `content="noindex`) {
		t.Error("search engines are told of the site")
	}
	for name, data := range files {
		if strings.Contains(name, ".source.") || bytes.Contains(data, []byte(".source.html")) {
			t.Errorf("%s: a source", name)
		}
	}
	for _, problem := range problems(files) {
		t.Error(problem)
	}
}

// TestLarge: a site of many pages does not repeat all of its navigation on each.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	for i := range 240 {
		at := filepath.Join(dir, string(rune('a'+i%2))+"x", strings.Repeat("p", 1+i/2)+".org")
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte("#+TITLE: Page\nText.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := siteOf(t, dir)
	for _, problem := range problems(files) {
		t.Fatal(problem)
	}
	if n := bytes.Count(files["ax/p.html"], []byte("<li>")); n > 20 {
		t.Errorf("%d lines of navigation", n)
	}
	if n := bytes.Count(files["all-pages.html"], []byte("<li>")); n < 240 {
		t.Errorf("all pages are %d", n)
	}
}
