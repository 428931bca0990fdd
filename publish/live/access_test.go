package live_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/chromium"
	"wb/publish/live"
)

// axe is the text of axe-core, as .ci/axe fetches it.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(cache, "wb", "test", "axe-*", "axe.min.js")) // the pattern is well-formed
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("no axe-core: ./.ci/axe fetches it")
		}
		t.Skip("no axe-core: ./.ci/axe fetches it")
	}
	text, err := os.ReadFile(files[len(files)-1])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// violations are what axe-core finds wrong with a page as it is shown now.
func violations(t *testing.T, page *chromium.Page, script string) []string {
	t.Helper()
	if page.Eval("typeof axe") != "object" {
		page.Eval(script + "; 0")
	}
	var found []struct {
		ID    string
		Nodes []struct{ HTML, FailureSummary string }
	}
	if err := json.Unmarshal([]byte(page.Text("axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations))")), &found); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range found {
		for _, n := range v.Nodes {
			out = append(out, fmt.Sprintf("%s: %s (%s)", v.ID, n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", " ")))
		}
	}
	return out
}

// axe-core has nothing to complain about, by day and night, on phone and
// desktop, before and after components ran.
func TestAxe(t *testing.T) {
	script := axe(t)
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	for _, ran := range []bool{false, true} {
		if ran {
			for _, id := range pub.live.Runs() {
				start(t, page, id, nil)
			}
			start(t, page, "how-tall-is-a-tide/what-a-day-looks-like", map[string]string{"readings": "none"})
		}
		for name, view := range views {
			page.Look(view)
			for _, v := range violations(t, page, script) {
				t.Errorf("%s, run %v: %s", name, ran, v)
			}
		}
	}
}

// Everything can be done with a keyboard: Tab reaches what there is to do, in
// the order of the page, and shows where it is.
func TestKeyboard(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	page.Look(views["desktop-light"])
	var reached []string
	for range 80 {
		page.Key("Tab")
		at := page.Text(`(() => {
			const e = document.activeElement;
			if (e === document.body) return "";
			const ring = getComputedStyle(e);
			return (e.className || e.name || e.localName) + (e.matches(":focus-visible") && ring.outlineStyle === "none" ? " without a ring" : "");
		})()`)
		if at == "" {
			break
		}
		reached = append(reached, at)
	}
	for _, at := range reached {
		if strings.HasSuffix(at, "without a ring") {
			t.Errorf("%s", at)
		}
	}
	last := -1
	for _, want := range []string{"skip", "theme", "readings", "live-run", "live-reset", "summary"} {
		at := slices.Index(reached, want)
		if at <= last {
			t.Errorf("Tab does not reach %s in its place: %v", want, reached)
		}
		last = max(at, last)
	}
	// run with the keyboard alone, and stop
	page.Eval(`document.querySelector('[name=readings]').focus()`)
	page.Key("Tab")
	page.Eval(`globalThis.done = new Promise((r) => document.addEventListener("wb:result", (e) => r(e.detail.same), {once: true})); 0`)
	page.Key("Enter")
	if got := page.Text("globalThis.done"); got != "yes" {
		t.Errorf("Enter on Run gives %q", got)
	}
}

// The switch of colours works on a page that is a file, and where nothing can be
// stored.
func TestThemeSwitch(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{Mode: live.ModeNo}, "clang")
	page := browser.Open(t, pub.write(t))
	paper := func() string { return page.Text("getComputedStyle(document.body).backgroundColor") }
	page.Look(views["desktop-light"])
	light := paper()
	page.Look(views["desktop-dark"])
	dark := paper()
	if light == dark {
		t.Fatalf("the page is %s by day and night", light)
	}
	page.Click(".theme")
	if paper() != light || page.Text(`document.querySelector(".theme").getAttribute("aria-pressed")`) != "false" {
		t.Errorf("the switch gives %s in the dark, want %s", paper(), light)
	}
	page.Eval(`Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("no", "SecurityError") } }); 0`)
	page.Click(".theme")
	if paper() != dark {
		t.Errorf("without storage the switch gives %s, want %s", paper(), dark)
	}
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the page complains: %v", troubles)
	}
}
