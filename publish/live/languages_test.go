package live_test

import (
	"fmt"
	"strings"
	"testing"

	"wb/internal/test/chromium"
	"wb/internal/value"
	"wb/publish/live"
)

// given are inputs for a component, as JSON; those left out keep their values.
type given struct {
	id     string
	inputs map[string]string
}

// interpreted are inputs for the components that the interpreted languages have
// in common.
var interpreted = []given{
	{"spread", map[string]string{"heights": "[1, 2.5]", "mean": "-2"}},
	{"spread", map[string]string{"heights": "[]"}},
	{"spread", map[string]string{"heights": `[1, "x"]`}},
	{"late", map[string]string{"big": "-9223372036854775808", "who": `"<b>\u2028'\\"`}},
	{"fail", map[string]string{"index": "2"}},
	{"fail", map[string]string{"index": "7"}},
	{"fail", map[string]string{"index": "9"}},
	{"fail", map[string]string{"index": "10"}},
	{"fail", map[string]string{"index": "11"}},
	{"fail", map[string]string{"index": "12"}},
	{"fail", map[string]string{"index": "13"}},
	{"endless", map[string]string{"rounds": "-1"}},
	{"echo", map[string]string{"text": `"ab\ncd"`}},
}

// changed are inputs for the components of documents, with what can go wrong in
// their languages.
var changed = map[string][]given{
	"compiled.org": {
		{"describe", map[string]string{"who": `"ab "`, "times": "7"}},
		{"spin", map[string]string{"rounds": "300000"}},
		{"divide", map[string]string{"b": "-5"}},
		{"divide", map[string]string{"b": "0"}},
		{"divide", map[string]string{"a": "-2147483648", "b": "-1"}},
		{"hoard", map[string]string{"mebibytes": "200"}},
		{"deep", map[string]string{"depth": "1000"}},
		{"deep", map[string]string{"depth": "2000000"}},
		{"text-in-text-out", map[string]string{"words": `"ünder\nlines"`}},
		{"kernel", map[string]string{"raw": `"desserts!"`}},
		{"collatz", map[string]string{"start": "837799"}},
		{"throwing", map[string]string{"n": "3"}},
		{"throwing", map[string]string{"n": "1"}},
		{"thrown", map[string]string{"count": `"21"`}},
		{"thrown", map[string]string{"count": `"none"`}},
	},
	"go.org": {
		{"sum", map[string]string{"numbers": "[]"}},
		{"sum", map[string]string{"numbers": "[1e3, -2]", "label": `"so"`}},
		{"count-words", map[string]string{"text": `"x y\tx x"`}},
	},
	"zig.org": {
		{"half", map[string]string{"n": "7"}},
		{"half", map[string]string{"n": "-8"}},
	},
	"scripts.org": {
		{"spread", map[string]string{"heights": "[1, 2.5]", "mean": "2"}},
		{"late", map[string]string{"big": "-9223372036854775808", "who": `"<b>"`}},
		{"fail", map[string]string{"index": "7"}},
		{"echo", map[string]string{"text": `"ab\ncd"`}},
	},
	"lua.org":    interpreted,
	"python.org": append([]given{{"fail", map[string]string{"index": "14"}}}, interpreted...),
	"ruby.org":   interpreted,
	"shell.org": {
		{"reverse", map[string]string{"text": `"ünder\nlines\n"`}},
		{"reverse", map[string]string{"text": `""`}},
		{"failing", map[string]string{"how": `"unset"`}},
		{"failing", map[string]string{"how": `"none"`}},
		{"failing", map[string]string{"how": `"syntax"`}},
		{"failing", map[string]string{"how": `"exit"`}},
		{"failing", map[string]string{"how": `"pipe"`}},
		{"failing", map[string]string{"how": `"loop"`}},
		{"failing", map[string]string{"how": `"yes"`}},
		{"failing", map[string]string{"how": `"grow"`}},
		{"failing", map[string]string{"how": `"fill"`}},
		{"failing", map[string]string{"how": `"print"`}},
		{"failing", map[string]string{"how": `"curl"`}},
	},
	"sql.org": {
		{"tall", map[string]string{"people": `[["name", "height"], {"$hline": true}, ["Zoë", 190.25], ["It's", 1e6], ["x", 3e-7], ["y", null]]`, "least": "-5"}},
		{"tall", map[string]string{"people": `[{"name": "a|b", "height": 5}, {"height": 1e300, "other": "\u0000\n"}]`, "least": "0.5"}},
		{"tall", map[string]string{"people": `[1, 2]`}},
		{"count", map[string]string{"numbers": "[]"}},
		{"count", map[string]string{"numbers": "[1, -0.0, 2.5, 123456, 1234567.0]"}},
		{"only", map[string]string{"few": "[1, 2]"}},
		{"only", map[string]string{"few": "[]"}},
		{"only", map[string]string{"few": "[7]"}},
		{"both", map[string]string{"upto": "10"}},
		{"both", map[string]string{"upto": "0"}},
		{"fail", map[string]string{"which": "1"}},
		{"fail", map[string]string{"which": "9223372036854775807"}},
		{"endless", map[string]string{"rounds": "-1"}},
		{"hoard", map[string]string{"mebibytes": "100"}},
	},
}

// Commands that wb performs for the shell are known in a browser, but end the run.
func TestCommandsOfTheHost(t *testing.T) {
	if documents["shell.org"] == nil {
		t.Skip("long tests have shells")
	}
	browser := chromium.Start(t)
	pub := publish(t, "shell.org", live.Config{}, documents["shell.org"]...)
	page := browser.Open(t, pub.write(t))
	o := start(t, page, pub.id("failing"), map[string]string{"how": "net"})
	if want := "curl runs only where wb runs it, not in a browser"; o.Error != want {
		t.Errorf("curl ends with %+v, want %q", o, want)
	}
}

// id is that of the runnable component which ends with name, "" if there is none.
func (p *published) id(name string) string {
	for _, id := range p.live.Runs() {
		if id == name || strings.HasSuffix(id, "/"+name) {
			return id
		}
	}
	return ""
}

// compare holds a run in the browser against one on the host.
func (p *published) compare(t *testing.T, page *chromium.Page, g given) {
	t.Helper()
	id := p.id(g.id)
	if id == "" {
		t.Errorf("%s does not run in a browser: %v", g.id, p.live.Left())
		return
	}
	set, typed := map[string]value.Value{}, map[string]string{}
	for name, text := range g.inputs {
		v := parse(t, text)
		if set[name], typed[name] = v, text; v.Kind() == value.String {
			typed[name] = v.Text()
		}
	}
	o, want := start(t, page, id, typed), p.host(t, id, set)
	name := fmt.Sprintf("%s %v", g.id, g.inputs)
	if o.Same != "" {
		t.Errorf("%s: is compared with what was published", name)
	}
	switch {
	case want.Err != nil && o.Error != "":
		if !strings.HasSuffix(want.Err.Error(), o.Error) {
			t.Errorf("%s: %q, the host says %q", name, o.Error, want.Err)
		}
	case want.Err != nil:
		if o.Exit != want.Exit || o.Stderr != want.Stderr || o.Stdout != want.Stdout || o.Fuel != want.Usage.Fuel {
			t.Errorf("%s: %+v, the host says %q, exit %d after %d units: %q %q", name, o, want.Err, want.Exit, want.Usage.Fuel, want.Stdout, want.Stderr)
		}
	default:
		exact := exact(t, p.outcome(t, id, set))
		if o.Error != "" || o.Value != exact || o.Stderr != want.Stderr || o.Fuel != want.Usage.Fuel {
			t.Errorf("%s: %s %q with %d units (%s), the host gives %s %q with %d", name, o.Value, o.Stderr, o.Fuel, o.Error, exact, want.Stderr, want.Usage.Fuel)
		}
	}
}
