package hugo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/publish/site"
)

// TestLook: a site's own values, style sheets, layouts and theme come before what is
// built in, and its policy stays.
func TestLook(t *testing.T) {
	dir := unpack(t, "look.txtar")
	p, err := site.Open(dir, site.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := site.NewBuilder(p, Layout{}, site.Options{}).Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) != 1 || r.Found[0].Code != "raw-html" || !strings.Contains(r.Found[0].Message, "<script>") {
		t.Errorf("found %v", r.Found)
	}
	for _, c := range []struct{ name, has string }{
		{"assets/look.css", ":root { --link: #0a5c36; --text: Georgia, serif; --measure: 42rem; }"},
		{"assets/look.css", `:root[data-theme="dark"] { --link: #8fd6ad; }`},
		{"index.html", `<link rel="stylesheet" href="./assets/look.css">`},
		{"index.html", `<link rel="stylesheet" href="./mine.css">`},
		{"index.html", "<style>\n.fine { color: green }\n</style>"},
		{"index.html", `<link rel="stylesheet" href="page.css">`},
		{"index.html", `<p class="fine" id="first">A paragraph.</p>`},
		{"index.html", `<meta name="theme-color" content="#0a5c36">`},
		{"index.html", `<meta property="og:image" content="https://example.org/card.png">`},
		{"index.html", `<img class="logo" src="./logo.svg" alt="">`},
		{"index.html", `<p class="own-foot">own foot, goodbye an asset`},
		{"sub/deep/page.html", `<p>Made by <a href="../../index.html">us</a>, <em>slowly</em>.</p>`},
		{"sub/deep/page.html", `<a aria-current="page" href="../../sub/deep/page.html">Deep</a>`},
		{"sub/deep/page.html", `<a href="https://example.net/">Elsewhere</a>`},
		{"sub/deep/page.html", `<meta property="og:image" content="https://example.org/sub/deep/own.png">`},
		{"sub/deep/page.html", `<section class="box" aria-labelledby="heading">`},
		{"sub/deep/page.html", `<h2 id="heading" class="big">`},
		{"sub/deep/page.html", `<section class="level-2">`},
		{"404.html", "the theme's own"},
		{"404.html", "Content-Security-Policy"},
		{"theme.txt", "of the theme"},
		{"fonts/a.woff2", "font"},
	} {
		if !strings.Contains(string(r.Files[c.name]), c.has) {
			t.Errorf("%s lacks %s:\n%.3000s", c.name, c.has, r.Files[c.name])
		}
	}
	for name, data := range r.Files {
		if strings.Contains(string(data), site.RootMark) || strings.Contains(string(data), "<!--wb:") || strings.Contains(string(data), "alert(1)") && strings.HasSuffix(name, "index.html") {
			t.Errorf("%s holds a mark or a script", name)
		}
	}
}

// TestEject: what is ejected gives the same site.
func TestEject(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.org"), []byte("#+TITLE: Home\nText.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := siteOf(t, dir)
	written, stayed, err := site.Eject(dir, false, false)
	if err != nil || len(written) == 0 || len(stayed) != 0 {
		t.Fatalf("wrote %v, left %v: %v", written, stayed, err)
	}
	after := siteOf(t, dir)
	for name, data := range before {
		if string(after[name]) != string(data) {
			t.Errorf("%s is another one", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
	if again, stayed, err := site.Eject(dir, false, false); err != nil || len(again) != 0 || len(stayed) != len(written) {
		t.Errorf("again it wrote %v: %v", again, err)
	}
}

// TestTemplateMistakes: a mistake in a template is named where its author finds it.
func TestTemplateMistakes(t *testing.T) {
	for template, want := range map[string]string{
		"<p>{{ .Title":    "layouts/_partials/foot.html:2:1: unclosed action started at _partials/foot.html:1",
		"\n{{ nosuch }}":  `layouts/_partials/foot.html:2:1: function "nosuch" not defined`,
		"{{ .Nope.Foo }}": "layouts/_partials/foot.html:1:8: at <.Nope.Foo>: can't evaluate field Nope in type *hugolib.pageState",
		`{{ getenv "HOME" }}`: `layouts/_partials/foot.html:1:3: at <getenv "HOME">: error calling getenv: ` +
			`access denied: "HOME" is not whitelisted in policy "security.funcs.getenv"`,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"index.org": "#+TITLE: Home\n", "layouts/_partials/foot.html": template + "\n"} {
			at := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		p, err := site.Open(dir, site.Ask{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = site.NewBuilder(p, Layout{}, site.Options{Know: know}).Build(context.Background())
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n%v\nwant\n%s", template, err, want)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
