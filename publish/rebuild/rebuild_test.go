package rebuild_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/identity"
	"wb/internal/test/lanetest"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/publish/pack"
	"wb/publish/page"
	"wb/publish/rebuild"
	"wb/workbook"
)

const doc = `#+TITLE: Made

#+name: base
| 1 |
| 2 |

#+name: twice
#+begin_src js :var t=base
return t.map(r => r[0] * 2)
#+end_src

#+name: sum
#+begin_src js :var t=twice
return t.flat().reduce((a, b) => a + b, 0)
#+end_src
`

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// made runs the document and packs it.
func made(t *testing.T, registry *compile.Registry) (*pack.Packed, sign.Issuer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "made.org")
	if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	opts := workbook.Options{Book: workbook.BookAt(file, nil, registry)}
	if report := must(workbook.Run(context.Background(), opts))(t); report.Failed() != nil {
		t.Fatal(report.Failed().Err)
	}
	key := must(identity.FromSeed(bytes.Repeat([]byte{1}, 32)))(t)
	return must(pack.Workbook(context.Background(), opts.Book))(t), sign.Issuer{Signer: key, Keys: must(keys.NewLog(key, noon))(t)}
}

// TestStatements: what a signed page says of its components is true, or found
// not to be.
func TestStatements(t *testing.T) {
	env := lanetest.Env(t)
	registry := must(lanes.New(env))(t)
	lanetest.Need(t, env, "quickjs")
	p, by := made(t, registry)
	again := func(said []manifest.Assertion, files manifest.Files) (*rebuild.Outcome, error) {
		return rebuild.Files(context.Background(), files, said, rebuild.Options{Lanes: registry})
	}
	// as they come out of a manifest
	html := must(manifest.SignPage([]byte("<p>x"), by.Signer, noon, p.Assertions...))(t)
	read, _, err := manifest.ReadPage(html)
	if err != nil {
		t.Fatal(err)
	}
	honest := read.Assertions
	if out, err := again(honest, p.Files); err != nil || out.Statements != 2 || len(out.Notes) != 0 {
		t.Fatalf("%+v %v", out, err)
	}
	forged := manifest.Files{"made.org": bytes.Replace(p.Files["made.org"], []byte(": 6"), []byte(": 7"), 1)}
	if _, err := again(honest, forged); fault.CodeOf(err) != fault.RebuildDiffers {
		t.Errorf("a forged result: %v", err)
	}
	for _, a := range honest {
		if a.Label == page.StatementLabel {
			a.Data["predicate"].(map[string]any)["fuel"] = 1.0
		}
	}
	if _, err := again(honest, p.Files); fault.CodeOf(err) != fault.RebuildDiffers {
		t.Errorf("a forged statement: %v", err)
	}

	// a whole site: pages with a bundle, and pages whose document is elsewhere
	single := must(p.SinglePage(by, noon))(t)
	plain := must(manifest.SignPage(p.Page, by.Signer, noon, p.Assertions...))(t)
	site := func(files manifest.Files, sources string) (*rebuild.Outcome, error) {
		return rebuild.Site(context.Background(), files, rebuild.Options{Lanes: registry, Sources: sources})
	}
	if out, err := site(manifest.Files{"a.html": single, "style.css": nil}, ""); err != nil || out.Statements != 2 {
		t.Errorf("a page with its bundle: %+v %v", out, err)
	}
	if out, err := site(manifest.Files{"a.html": plain, "made.org": p.Files["made.org"]}, ""); err != nil || out.Statements != 2 {
		t.Errorf("a page beside its document: %+v %v", out, err)
	}
	if _, err := site(manifest.Files{"a.html": plain}, ""); fault.CodeOf(err) != fault.RebuildNoSource {
		t.Errorf("a page without its document: %v", err)
	}
	if _, err := site(manifest.Files{"style.css": nil}, ""); fault.CodeOf(err) != fault.RebuildNoSource {
		t.Errorf("no page at all: %v", err)
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"made.org": p.Files["made.org"], "events.org": []byte("stays")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := site(manifest.Files{"a.html": plain}, dir); err != nil || out.Statements != 2 {
		t.Errorf("a page whose document is in a directory: %+v %v", out, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("running again left something: %v %v", left, err)
	}
}
