package live_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/internal/value"
	"wb/publish/live"
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
	for typed, message := range map[string]string{"1e99": "depth: expected u32, got 1e+99", "many": `depth: "many" is not a number`, "-1": "depth: expected u32, got -1"} {
		if o := start(t, page, pub.id("deep"), map[string]string{"depth": typed}); o.Error != message {
			t.Errorf("%q: %q, want %q", typed, o.Error, message)
		}
	}
	set := map[string]value.Value{"shift": value.OfFloat(-0.25)}
	if o, want := start(t, page, pub.id("mean"), map[string]string{"shift": "-.25"}), exact(t, pub.outcome(t, pub.id("mean"), set)); o.Value != want {
		t.Errorf("-.25 gives %s, want %s", o.Value, want)
	}
}

// endless are components that run for ever with an input, by document.
var endless = map[string]given{
	"compiled.org": {"spin", map[string]string{"rounds": "-1"}},
	"lua.org":      {"endless", map[string]string{"rounds": "-1"}},
	"shell.org":    {"failing", map[string]string{"how": "loop"}},
	"sql.org":      {"endless", map[string]string{"rounds": "-1"}},
}

var fuelLimit = regexp.MustCompile(`"fuel":\d+,"memory"`)

// A program without end is ended by the reader at once, and otherwise by its
// fuel, with the message of the host.
func TestEndless(t *testing.T) {
	browser := chromium.Start(t)
	for name, g := range endless {
		if documents[name] == nil {
			continue // of a document that long tests have
		}
		t.Run(name, func(t *testing.T) {
			pub := publish(t, name, live.Config{}, documents[name]...)
			html := pub.html
			pub.html = fuelLimit.ReplaceAll(html, []byte(`"fuel":5000000000000,"memory"`))
			page := browser.Open(t, pub.write(t))
			id := pub.id(g.id)
			panel := fmt.Sprintf("[data-live=%q]", id)
			element := fmt.Sprintf("document.querySelector(%q)", panel)
			for input, text := range g.inputs {
				page.Type(fmt.Sprintf("%s [name=%q]", panel, input), text)
			}
			page.Click(panel + " .live-run")
			page.Wait(element + `.querySelector(".live-status").textContent.includes("units of fuel")`)
			page.Click(panel + " .live-stop")
			if got := page.Text(element + `.querySelector(".live-status").textContent`); got != "Stopped." {
				t.Errorf("stopping says %q", got)
			}
			if page.Eval(element+`.hasAttribute("data-running")`) != false {
				t.Error("it still runs")
			}
			pub.html = fuelLimit.ReplaceAll(html, []byte(`"fuel":5000000,"memory"`))
			page.Navigate(pub.write(t))
			if o := start(t, page, id, g.inputs); o.Error != "fuel limit 5000000 exceeded" {
				t.Errorf("an endless program ends with %q", o.Error)
			}
		})
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
