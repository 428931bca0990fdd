package live_test

import (
	"slices"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/publish/live"
)

// Everything can be done with a keyboard: Tab reaches what there is to do, in
// the order of the page, and shows where it is.
func TestKeyboard(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	page.Look(chromium.Views["desktop-light"])
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
	page.Look(chromium.Views["desktop-light"])
	light := paper()
	page.Look(chromium.Views["desktop-dark"])
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
