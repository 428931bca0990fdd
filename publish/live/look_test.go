//go:build long

package live_test

import (
	"testing"

	"wb/internal/test/chromium"
	"wb/publish/live"
)

// A page keeps its measure and never scrolls sideways.
func TestLook(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	for _, panel := range pub.live.Runs() {
		start(t, page, panel, nil)
	}
	for name, view := range chromium.Views {
		page.Look(view)
		if wide := page.Overflow(); wide != 0 {
			t.Errorf("%s: the page is %v pixels too wide", name, wide)
		}
		// characters of the text's face that fit in a line; how wide they are depends on the machine's fonts
		measure := page.Eval(`(() => {
			const p = document.querySelector("#content p"), probe = document.createElement("span");
			probe.textContent = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(4);
			probe.style.cssText = "position:absolute;white-space:nowrap";
			p.append(probe);
			const per = probe.getBoundingClientRect().width / probe.textContent.length;
			probe.remove();
			return Math.round(p.getBoundingClientRect().width / per);
		})()`).(float64)
		if view.Width > 1000 && (measure < 60 || measure > 84) || view.Width < 500 && measure < 30 {
			t.Errorf("%s: %v characters in a line", name, measure)
		}
		page.Keep("page-" + name)
	}
	page.Look(chromium.View{Width: 800, Height: 1100, Print: true})
	page.Keep("page-print")
}

// axe-core has nothing to complain about, by day and night, on phone and
// desktop, before and after components ran.
func TestAxe(t *testing.T) {
	axe := chromium.NeedAxe(t)
	browser := chromium.Start(t)
	pub := publish(t, "specimen.org", live.Config{}, "clang")
	page := browser.Open(t, pub.write(t))
	for ran, views := range map[bool][]string{false: {"phone-dark", "desktop-light"}, true: {"phone-light", "desktop-dark"}} {
		if ran {
			for _, id := range pub.live.Runs() {
				start(t, page, id, nil)
			}
			start(t, page, "how-tall-is-a-tide/what-a-day-looks-like", map[string]string{"readings": "none"})
		}
		for _, name := range views {
			page.Look(chromium.Views[name])
			for _, v := range page.Violations(axe) {
				t.Errorf("%s, run %v: %s", name, ran, v)
			}
		}
	}
}
