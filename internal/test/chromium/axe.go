package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Views are how pages are looked at in tests: on a phone and on a desktop, by
// day and by night, without motion.
var Views = map[string]View{
	"phone-light":   {Width: 375, Height: 812, Still: true},
	"phone-dark":    {Width: 375, Height: 812, Dark: true, Still: true},
	"desktop-light": {Width: 1280, Height: 900, Still: true},
	"desktop-dark":  {Width: 1280, Height: 900, Dark: true, Still: true},
}

// NeedAxe is the text of axe-core, as .ci/axe fetches it. Without it the test
// skips.
func NeedAxe(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(cache, "wb", "test", "axe-*", "axe.min.js")) // the pattern is well-formed
	if len(files) == 0 {
		t.Skip("no axe-core: ./.ci/axe fetches it")
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Violations are what axe-core, whose text is given, finds wrong with the page as
// it is shown now.
func (p *Page) Violations(axe string) []string {
	p.t.Helper()
	if p.Eval("typeof globalThis.axe") != "object" {
		p.Eval(axe + "; 0")
	}
	var found []struct {
		ID    string
		Nodes []struct{ HTML, FailureSummary string }
	}
	if err := json.Unmarshal([]byte(p.Text("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations))")), &found); err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, v := range found {
		for _, n := range v.Nodes {
			out = append(out, fmt.Sprintf("%s: %s (%s)", v.ID, n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", " ")))
		}
	}
	return out
}

// Overflow is by how many pixels the page is wider than its window.
func (p *Page) Overflow() float64 {
	p.t.Helper()
	n, _ := p.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth").(float64)
	return n
}

// Keep writes a screenshot of the whole page into the directory that WB_LOOK
// names, for a person's eye; without it nothing happens.
func (p *Page) Keep(name string) {
	p.t.Helper()
	if dir := os.Getenv("WB_LOOK"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Screenshot(0), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}
