package live_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/publish/live"
	"wb/publish/page"
	"wb/sandbox"
	"wb/workbook"
)

// languages are the lanes of all tests, with the artifacts kept: nothing here is
// about building.
var languages = sync.OnceValues(func() (*language, error) {
	env, err := compile.NewEnv(context.Background(), compile.EnvConfig{})
	if err != nil {
		return nil, err
	}
	registry, err := lanes.New(env)
	return &language{env, registry, live.NewShared()}, err
})

type language struct {
	env      *compile.Env
	registry *compile.Registry
	store    *live.Shared
}

// published is a workbook that has run, and what its page ships.
type published struct {
	opts   workbook.Options
	report *workbook.Report
	live   *live.Live
	html   []byte
}

// documents are the workbooks of testdata whose components all run in a browser,
// with the toolchains they need. Long tests have more of them.
var documents = map[string][]string{
	"compiled.org": {"clang", "wabt"},
	"scripts.org":  {"quickjs", "typescript"},
	"lua.org":      {"lua"},
	"sql.org":      {"sqlite"},
}

// publish runs a document of testdata and makes its page.
func publish(t *testing.T, name string, config live.Config, tools ...string) *published {
	t.Helper()
	known, err := languages()
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, known.env, tools...)
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, src, 0o644); err != nil {
		t.Fatal(err)
	}
	p := &published{opts: workbook.Options{
		Book:      workbook.BookAt(file, nil, known.registry),
		Authority: workbook.Authority{Limits: sandbox.Limits{Timeout: 5 * time.Minute}},
	}}
	if p.report, err = workbook.Run(t.Context(), p.opts); err != nil {
		t.Fatal(err)
	}
	if failed := p.report.Failed(); failed != nil {
		t.Fatal(failed.Err)
	}
	if p.opts.Source, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if config.Shared == nil {
		config.Shared = known.store
	}
	if p.live, err = live.New(t.Context(), p.opts.Book, config); err != nil {
		t.Fatal(err)
	}
	if left := p.live.Left(); documents[name] != nil && len(left) > 0 && config.Mode == "" && config.Limit == 0 {
		t.Errorf("left out: %v", left)
	}
	facts, err := page.Facts(t.Context(), p.opts.Book)
	if err != nil {
		t.Fatal(err)
	}
	foot, err := p.live.Foot()
	if err != nil {
		t.Fatal(err)
	}
	html, found, err := page.Render(t.Context(), file, p.opts.Source, page.Options{Facts: facts, Live: p.live.Component, Foot: foot})
	found = slices.DeleteFunc(found, func(d diag.Finding) bool { return d.Severity == diag.Note })
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	p.html = html
	if !bytes.Contains(html, []byte("data-live=")) {
		var panels strings.Builder
		for _, id := range p.live.Runs() {
			panel, _ := p.live.Component(id)
			panels.WriteString(panel)
		}
		p.html = bytes.Replace(html, []byte("</main>"), []byte(panels.String()+"</main>"), 1)
	}
	return p
}

// write puts the page into a file and gives its URL.
func (p *published) write(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, p.html, 0o644); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("WB_LIVE_KEEP"); dir != "" {
		_ = os.WriteFile(filepath.Join(dir, t.Name()+".html"), p.html, 0o644)
	}
	return "file://" + file
}

// host runs the workbook with inputs on the host and tells what a component did.
func (p *published) host(t *testing.T, id string, set map[string]value.Value) workbook.Done {
	t.Helper()
	opts := p.opts
	opts.Set, opts.Only, opts.Write, opts.Cache = set, []string{id}, workbook.WriteNothing, nil
	report, err := workbook.Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Components {
		if d.ID == id {
			return d
		}
	}
	t.Fatalf("%s did not run", id)
	return workbook.Done{}
}

// outcome is what the program of a component gives on the host, before its shape
// makes a value of it.
func (p *published) outcome(t *testing.T, id string, set map[string]value.Value) value.Value {
	t.Helper()
	opts := p.opts
	opts.Set = set
	opts.Only = []string{id}
	if _, err := workbook.Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	defaults := p.opts.Source
	defer func() {
		if err := os.WriteFile(p.opts.File, defaults, 0o644); err != nil {
			t.Fatal(err)
		}
	}()
	e, err := workbook.Explain(t.Context(), opts, id)
	if err != nil || e.Kept == nil {
		t.Fatalf("%s is not kept: %v", id, err)
	}
	return e.Kept.Value
}

func parse(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatIsShipped(t *testing.T) {
	p := publish(t, "compiled.org", live.Config{}, "clang", "wabt")
	shipped := 0
	for _, packed := range p.live.Assets() {
		shipped += len(packed)
	}
	if shipped > 200<<10 {
		t.Errorf("%d bytes of programs", shipped)
	}
	small := publish(t, "lua.org", live.Config{Limit: 100 << 10}, "lua")
	for _, id := range []string{"squares", "lua/spread"} {
		panel, _ := small.live.Component(id)
		if want := "its program takes 0.2 MB, more than is left of the 0.1 MB that this page may hold; #+PUBLISH_LIVE: all ships it"; !strings.Contains(panel, want) {
			t.Errorf("the badge of %s says %s", id, panel)
		}
	}
	no := publish(t, "compiled.org", live.Config{Mode: live.ModeNo}, "clang", "wabt")
	if strings.Contains(string(no.html), "wb-live") {
		t.Error("PUBLISH_LIVE: no ships something")
	}
}
