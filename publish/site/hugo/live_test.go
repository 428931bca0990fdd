//go:build long

package hugo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/test/chromium"
	"wb/internal/test/lanetest"
	"wb/publish/live"
	"wb/publish/site"
	"wb/workbook"
)

// TestLiveSite runs a component on a page of a site in Chromium: its program is
// a file of the site, fetched when it is asked for.
func TestLiveSite(t *testing.T) {
	browser := chromium.Start(t)
	env, err := compile.NewEnv(t.Context(), compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(context.Background())
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs")
	dir := t.TempDir()
	const text = "#+TITLE: Calc\n\n* Twice\n:PROPERTIES:\n:in: n\n:out: m\n:default-n: 21\n:END:\n\n#+begin_src javascript\nexport const twice = (n) => 2 * n;\n#+end_src\n"
	if err := os.WriteFile(filepath.Join(dir, "index.org"), []byte("#+TITLE: Home\n\n[[file:calc.org][Calc]]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "calc.org")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := workbook.Options{Book: workbook.BookAt(file, nil, registry)}
	if report, err := workbook.Run(t.Context(), opts); err != nil || report.Failed() != nil {
		t.Fatal(err, report.Failed())
	}
	know := func(ctx context.Context, d *site.Document, _ site.Config) (site.Known, error) {
		if d.Path != "calc.org" {
			return site.Known{}, nil
		}
		at := func(digest string) string { return "assets/live/" + digest + ".gz" }
		own := opts.Book
		own.Source = d.Source
		l, err := live.New(ctx, own, live.Config{Href: func(digest string) string { return d.To(at(digest)) }})
		if err != nil {
			return site.Known{}, err
		}
		known := site.Known{Live: l.Component, Files: map[string][]byte{}}
		for digest, data := range l.Assets() {
			known.Files[at(digest)] = data
		}
		known.Foot, err = l.Foot()
		return known, err
	}
	p, err := site.Open(dir, site.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := site.NewBuilder(p, Layout{}, site.Options{Know: know}).Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, r.Files) + "/garden"
	page := browser.Open(t, address+"/calc.html")
	before := len(page.Requests())
	page.Eval(`globalThis.done = new Promise((r) => document.addEventListener("wb:result", (e) => r(e.detail.same + " " + e.detail.value + e.detail.error), { once: true })); 0`)
	page.Click(".live-run")
	if got := page.Text("globalThis.done"); got != "yes 42" {
		t.Errorf("it gives %q", got)
	}
	fetched := page.Requests()[before:]
	if len(fetched) != 3 {
		t.Errorf("it fetched %v", fetched)
	}
	for _, url := range fetched {
		if !strings.HasPrefix(url, address+"/assets/live/") {
			t.Errorf("it fetched %s", url)
		}
	}
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the page complains: %v", troubles)
	}
}
