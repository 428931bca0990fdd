package live_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"wb/internal/chromium"
	"wb/publish/live"
	"wb/value"
)

// outcome is what a panel tells of a run.
type outcome struct {
	Value, Error, Stdout, Stderr, Same string
	Exit                               int
	Fuel                               int64
}

// start runs a component's panel with the inputs of the page, but for those that
// are given, and waits for its outcome.
func start(t *testing.T, p *chromium.Page, id string, inputs map[string]string) outcome {
	t.Helper()
	panel := fmt.Sprintf("[data-live=%q]", id)
	p.Eval(fmt.Sprintf(`{ const s = document.querySelector(%q); s.querySelector("form").reset();
		globalThis.result = new Promise((resolve) => s.addEventListener("wb:result", (e) => resolve(JSON.stringify(e.detail)), { once: true })); 0 }`, panel))
	for name, text := range inputs {
		p.Type(fmt.Sprintf("%s [name=%q]", panel, name), text)
	}
	p.Click(panel + " .live-run")
	var o outcome
	if err := json.Unmarshal([]byte(p.Text("globalThis.result")), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// Every component of these pages gives the bytes and the fuel of the host, and
// with changed inputs what wb run --set gives for them.
func TestSameBytes(t *testing.T) {
	browser := chromium.Start(t)
	for name, tools := range documents {
		t.Run(name, func(t *testing.T) {
			pub := publish(t, name, live.Config{}, tools...)
			page := browser.Open(t, pub.write(t))
			for _, id := range pub.live.Runs() {
				if o := start(t, page, id, nil); o.Same != "yes" {
					t.Errorf("%s: %+v", id, o)
				}
			}
			for _, g := range changed[name] {
				pub.compare(t, page, g)
			}
			if troubles := page.Troubles(); len(troubles) > 0 {
				t.Errorf("the page complains: %v", troubles)
			}
			if requests := page.Requests(); len(requests) != 1 {
				t.Errorf("the page asked for %v", requests)
			}
		})
	}
}

// What is typed is read as its type wants it, or not at all.
func TestTypedInputs(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "compiled.org", live.Config{}, "clang", "wabt")
	page := browser.Open(t, pub.write(t))
	for typed, message := range map[string]string{"1e99": "depth: expected u32, got 1e+99", "many": `depth: "many" is no number`, "-1": "depth: expected u32, got -1"} {
		if o := start(t, page, pub.id("deep"), map[string]string{"depth": typed}); o.Error != message {
			t.Errorf("%q: %q, want %q", typed, o.Error, message)
		}
	}
	set := map[string]value.Value{"shift": value.OfFloat(-0.25)}
	if o, want := start(t, page, pub.id("mean"), map[string]string{"shift": "-.25"}), exact(t, pub.outcome(t, pub.id("mean"), set)); o.Value != want {
		t.Errorf("-.25 gives %s, want %s", o.Value, want)
	}
}

// A program without end is ended by the reader at once, and otherwise by its
// fuel, with the message of the host.
func TestEndless(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "compiled.org", live.Config{}, "clang", "wabt")
	html := pub.html
	page := browser.Open(t, pub.write(t))
	const panel = `document.querySelector('[data-live="compiled-programs/spin"]')`
	page.Type(`[data-live="compiled-programs/spin"] [name=rounds]`, "-1")
	page.Click(`[data-live="compiled-programs/spin"] .live-run`)
	page.Wait(panel + `.querySelector(".live-status").textContent.includes("units of fuel")`)
	page.Click(`[data-live="compiled-programs/spin"] .live-stop`)
	if got := page.Text(panel + `.querySelector(".live-status").textContent`); got != "Stopped." {
		t.Errorf("stopping says %q", got)
	}
	if page.Eval(panel+`.hasAttribute("data-running")`) != false {
		t.Error("it still runs")
	}
	pub.html = bytes.ReplaceAll(html, []byte(`"fuel":5000000000`), []byte(`"fuel":5000000`))
	page.Navigate(pub.write(t))
	if o := start(t, page, "compiled-programs/spin", map[string]string{"rounds": "-1"}); o.Error != "fuel limit 5000000 exceeded" {
		t.Errorf("an endless program ends with %q", o.Error)
	}
}

// What a program prints is text in the page, and stays in bounds.
func TestHostileOutput(t *testing.T) {
	browser := chromium.Start(t)
	pub := publish(t, "compiled.org", live.Config{}, "clang", "wabt")
	page := browser.Open(t, pub.write(t))
	page.Eval(`globalThis.alert = () => { globalThis.alerted = true }`)
	before := page.Eval(`document.querySelectorAll("script, b").length`)
	start(t, page, "hostile", nil)
	shown := page.Text(`document.querySelector('[data-live="hostile"] .live-out samp').textContent`)
	if !strings.HasPrefix(shown, "</script><script>alert(1)</script>red &amp; <!-- \n<b>0</b>") {
		t.Errorf("it shows %q", shown)
	}
	if page.Eval("!!globalThis.alerted") == true || page.Eval(`document.querySelectorAll("script, b").length`) != before {
		t.Error("what was printed became part of the page")
	}
}
