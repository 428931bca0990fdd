package live_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"wb/internal/chromium"
	"wb/publish/live"
)

// outcome is what a panel shows of a run.
type outcome struct {
	Value, Error, Digest string
	Exit                 int
	Fuel                 int64
}

// start runs a component's panel and waits for its outcome.
func start(t *testing.T, p *chromium.Page, id string, inputs map[string]string) (outcome, string) {
	t.Helper()
	panel := fmt.Sprintf("[data-live=%q]", id)
	p.Eval(fmt.Sprintf(`{ const s = document.querySelector(%q); delete s.dataset.result; delete s.dataset.same; s.querySelector("form").reset(); delete s.dataset.result; }`, panel))
	for name, text := range inputs {
		p.Type(fmt.Sprintf("%s [name=%q]", panel, name), text)
	}
	p.Click(panel + " .live-run")
	p.Wait(fmt.Sprintf("document.querySelector(%q).dataset.result", panel))
	var o outcome
	if err := json.Unmarshal([]byte(p.Text(fmt.Sprintf("document.querySelector(%q).dataset.result", panel))), &o); err != nil {
		t.Fatal(err)
	}
	return o, p.Text(fmt.Sprintf("document.querySelector(%q).dataset.same ?? ''", panel))
}

// Every component of the page gives the bytes and the fuel of the host.
func TestSameBytes(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "compiled.org", live.Config{}, "clang", "wabt")
	page := browser.Open(t, pub.write(t))
	for _, id := range pub.live.Runs() {
		o, same := start(t, page, id, nil)
		if same != "yes" {
			t.Errorf("%s: %q: value %s, exit %d, fuel %d, error %q", id, same, o.Value, o.Exit, o.Fuel, o.Error)
		}
	}
	if troubles := page.Troubles(); len(troubles) > 0 {
		t.Errorf("the page complains: %v", troubles)
	}
	if requests := page.Requests(); len(requests) != 1 {
		t.Errorf("the page asked for %v", requests)
	}
}
