package live_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"wb/internal/chromium"
	"wb/publish/live"
)

// views are how pages are looked at: a phone and a desktop, by day and night.
var views = map[string]chromium.View{
	"phone-light":   {Width: 375, Height: 812, Still: true},
	"phone-dark":    {Width: 375, Height: 812, Dark: true, Still: true},
	"desktop-light": {Width: 1280, Height: 900, Still: true},
	"desktop-dark":  {Width: 1280, Height: 900, Dark: true, Still: true},
}

// keep writes a screenshot where WB_LOOK says, for a person's eye.
func keep(t *testing.T, page *chromium.Page, name string) {
	t.Helper()
	if dir := os.Getenv("WB_LOOK"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), page.Screenshot(0), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A page keeps its measure and never scrolls sideways.
func TestLook(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	for _, panel := range pub.live.Runs() {
		start(t, page, panel, nil)
	}
	for name, view := range views {
		page.Look(view)
		if wide := page.Eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide != 0.0 {
			t.Errorf("%s: the page is %v pixels too wide", name, wide)
		}
		// characters of the text's face that fit in a line
		measure := page.Eval(`(() => {
			const p = document.querySelector("#content p"), probe = document.createElement("span");
			probe.textContent = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(4);
			probe.style.cssText = "position:absolute;white-space:nowrap";
			p.append(probe);
			const per = probe.getBoundingClientRect().width / probe.textContent.length;
			probe.remove();
			return Math.round(p.getBoundingClientRect().width / per);
		})()`).(float64)
		if view.Width > 1000 && (measure < 62 || measure > 78) || view.Width < 500 && measure < 30 {
			t.Errorf("%s: %v characters in a line", name, measure)
		}
		keep(t, page, fmt.Sprintf("page-%s", name))
	}
	page.Look(chromium.View{Width: 800, Height: 1100, Print: true})
	keep(t, page, "page-print")
}
