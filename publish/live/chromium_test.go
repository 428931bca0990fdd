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

// Every component of these pages gives the bytes and the fuel of the host.
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
			if troubles := page.Troubles(); len(troubles) > 0 {
				t.Errorf("the page complains: %v", troubles)
			}
			if requests := page.Requests(); len(requests) != 1 {
				t.Errorf("the page asked for %v", requests)
			}
		})
	}
}

// Changed inputs give what the host gives for them: the value, the failure with
// its words, and the fuel.
func TestChangedInputs(t *testing.T) {
	browser := chromium.Start(t)
	pages := map[*published]*chromium.Page{}
	for name, tools := range documents {
		pub := publish(t, name, live.Config{}, tools...)
		pages[pub] = browser.Open(t, pub.write(t))
	}
	find := func(name string) (*published, *chromium.Page, string) {
		for pub, page := range pages {
			for _, id := range pub.live.Runs() {
				if strings.HasSuffix(id, "/"+name) {
					return pub, page, id
				}
			}
		}
		return nil, nil, ""
	}
	for _, c := range []struct {
		id    string
		typed map[string]string
		set   map[string]string
	}{
		{"sum", map[string]string{"numbers": "[]"}, map[string]string{"numbers": "[]"}},
		{"sum", map[string]string{"numbers": "[1e3, -2]", "label": "so"}, map[string]string{"numbers": "[1e3, -2]", "label": `"so"`}},
		{"count-words", map[string]string{"text": "x y\tx x"}, map[string]string{"text": `"x y\tx x"`}},
		{"half", map[string]string{"n": "7"}, map[string]string{"n": "7"}},
		{"half", map[string]string{"n": "-8"}, map[string]string{"n": "-8"}},
		{"spread", map[string]string{"heights": "[1, 2.5]", "mean": "2"}, map[string]string{"heights": "[1, 2.5]", "mean": "2"}},
		{"late", map[string]string{"big": "-9223372036854775808", "who": "<b>"}, map[string]string{"big": "-9223372036854775808", "who": `"<b>"`}},
		{"fail", map[string]string{"index": "7"}, map[string]string{"index": "7"}},
		{"echo", map[string]string{"text": "ab\ncd"}, map[string]string{"text": `"ab\ncd"`}},
		{"mean", map[string]string{"shift": "-.25"}, map[string]string{"shift": "-0.25"}},
		{"describe", map[string]string{"who": "ab ", "times": "7"}, map[string]string{"who": `"ab "`, "times": "7"}},
		{"spin", map[string]string{"rounds": "300000"}, map[string]string{"rounds": "300000"}},
		{"divide", map[string]string{"b": "-5"}, map[string]string{"b": "-5"}},
		{"divide", map[string]string{"b": "0"}, map[string]string{"b": "0"}},
		{"divide", map[string]string{"a": "-2147483648", "b": "-1"}, map[string]string{"a": "-2147483648", "b": "-1"}},
		{"hoard", map[string]string{"mebibytes": "200"}, map[string]string{"mebibytes": "200"}},
		{"deep", map[string]string{"depth": "1000"}, map[string]string{"depth": "1000"}},
		{"deep", map[string]string{"depth": "2000000"}, map[string]string{"depth": "2000000"}},
		{"text-in-text-out", map[string]string{"words": "ünder\nlines"}, map[string]string{"words": `"ünder\nlines"`}},
		{"kernel", map[string]string{"raw": "desserts!"}, map[string]string{"raw": `"desserts!"`}},
		{"collatz", map[string]string{"start": "837799"}, map[string]string{"start": "837799"}},
	} {
		pub, page, id := find(c.id)
		if pub == nil {
			continue // of a document that long tests have
		}
		set := map[string]value.Value{}
		for name, text := range c.set {
			set[name] = parse(t, text)
		}
		want := pub.host(t, id, set)
		o := start(t, page, id, c.typed)
		name := fmt.Sprintf("%s %v", c.id, c.set)
		if o.Same != "" {
			t.Errorf("%s: is compared with what was published", name)
		}
		if want.Err != nil {
			if o.Error == "" && (o.Exit != want.Exit || o.Stderr != want.Stderr || o.Fuel != want.Usage.Fuel) || o.Error != "" && !strings.HasSuffix(want.Err.Error(), o.Error) {
				t.Errorf("%s: %+v, the host says %q, exit %d after %d units", name, o, want.Err, want.Exit, want.Usage.Fuel)
			}
			continue
		}
		exact, err := pub.outcome(t, id, set).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if o.Error != "" || o.Value != string(exact) || o.Fuel != want.Usage.Fuel {
			t.Errorf("%s: %s with %d units (%s), the host gives %s with %d", name, o.Value, o.Fuel, o.Error, exact, want.Usage.Fuel)
		}
	}
	for typed, message := range map[string]string{"1e99": "depth: expected u32, got 1e+99", "many": `depth: "many" is no number`, "-1": "depth: expected u32, got -1"} {
		_, page, id := find("deep")
		if o := start(t, page, id, map[string]string{"depth": typed}); o.Error != message {
			t.Errorf("%q: %q, want %q", typed, o.Error, message)
		}
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
