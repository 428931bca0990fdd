package page

import (
	"context"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
	"wb/workbook"
)

const twoBlocks = `#+TITLE: Two
#+NAME: first
#+begin_src js :exports both
return 1
#+end_src

#+RESULTS: first
: 1

#+NAME: second
#+begin_src js :var x=first :exports code
return x + 1
#+end_src
`

// eventsText is events.org after two runs of the workbook, a run of another
// and one of an agent; what must not leave the machine is in all of them.
func eventsText(t *testing.T) []byte {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	canary := "canary-" + t.Name()
	var text []byte
	add := func(e trace.Event) {
		e.Time = at
		e.Output, e.Args = canary, []byte(`{"secret":"`+canary+`"}`)
		text = trace.AppendOrg(text, &e)
	}
	add(trace.Event{Kind: trace.KindRun, Run: "R1", Workbook: "two.org"})
	add(trace.Event{Kind: trace.KindComponentEnd, Run: "R1", Call: 0, Component: "first", Cache: "miss", Exit: trace.Exit(0), Duration: 70 * time.Millisecond, Fuel: 582})
	add(trace.Event{Kind: trace.KindComponentEnd, Run: "R1", Call: 1, Component: "second", Cache: "miss", Exit: trace.Exit(0), Duration: 5 * time.Second, Fuel: 10})
	add(trace.Event{Kind: trace.KindRun, Run: "R2", Workbook: "two.org"})
	add(trace.Event{Kind: trace.KindCacheHit, Run: "R2", Call: 0, Component: "first", Fuel: 582})
	add(trace.Event{Kind: trace.KindLog, Run: "R2", Call: 1, Component: "first"})
	add(trace.Event{Kind: trace.KindComponentEnd, Run: "R2", Call: 2, Component: "second", Cache: "miss", Error: canary, Exit: trace.Exit(1), Duration: time.Millisecond})
	add(trace.Event{Kind: trace.KindRun, Run: "R3", Workbook: "other.org"})
	add(trace.Event{Kind: trace.KindComponentEnd, Run: "R3", Component: "first", Duration: time.Hour, Exit: trace.Exit(0)})
	add(trace.Event{Kind: trace.KindRun, Run: "R4", Workbook: "two.org", Agent: "spy"})
	add(trace.Event{Kind: trace.KindToolCall, Run: "R4", Agent: "spy", Tool: "shell", Component: "first"})
	return text
}

// TestTrail: a page shows what components did in the last run of its workbook,
// and nothing of what anybody said.
func TestTrail(t *testing.T) {
	events := RunEvents(eventsText(t), "dir/two.org")
	facts := map[string]Fact{"first": {ID: "first", Kept: true, Fuel: 582, Source: "aa", Result: "bb", Inputs: map[string]string{"x": "cc"}}, "second": {ID: "second"}}
	AddEvents(facts, events)
	if f := facts["first"]; f.Run != "R2" || f.Cache != "hit" || f.Duration != 70*time.Millisecond || f.When.IsZero() {
		t.Errorf("first: %+v", f)
	}
	if f := facts["second"]; f.Run != "R1" || f.Duration != 5*time.Second {
		t.Errorf("second, which failed in the last run: %+v", f)
	}
	p, _, err := Fragment(context.Background(), "two.org", []byte(twoBlocks), Options{Facts: facts, Events: events})
	if err != nil {
		t.Fatal(err)
	}
	all := p.Body + p.Provenance + p.Trail
	for _, secret := range []string{"canary", "spy", "shell", "R3", "R4"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is on the page", secret)
		}
	}
	for _, part := range []string{"Run <code>R2</code>", "2 events", "kept result used", "failed"} {
		if !strings.Contains(p.Trail, part) {
			t.Errorf("the trail lacks %s:\n%s", part, p.Trail)
		}
	}
	for _, part := range []string{"70 ms", "582", ">kept</span>", "run <code>R2</code>", "x <code>cc</code>", "not run from this source", "second takes from first"} {
		if !strings.Contains(p.Provenance, part) {
			t.Errorf("the table lacks %s:\n%s", part, p.Provenance)
		}
	}
	checkHTML(t, all)
}

// TestStatements: what is signed about a component binds all that it was made
// from.
func TestStatements(t *testing.T) {
	facts := map[string]Fact{"first": {ID: "first", Kept: true, Fuel: 7, Memory: 8, Source: "s", Result: "r", Tools: "t", Profile: "network", Caps: []string{"net"}, Inputs: map[string]string{"x": "i"}}, "second": {ID: "second"}}
	said := Statements(workbook.NewPlan("two.org", []byte(twoBlocks)), "two.org", facts)
	if len(said) != 1 {
		t.Fatalf("%d statements", len(said))
	}
	got := fmt.Sprint(said[0].Data)
	for _, part := range []string{"source_sha256:s", "inputs_sha256:map[x:i]", "toolchain:t", "profile:network", "capabilities:[net]", "fuel:7", "output_sha256:r", "sha256:r"} {
		if !strings.Contains(got, part) {
			t.Errorf("the statement lacks %s: %s", part, got)
		}
	}
}

// shouting marks up code as no highlighter would.
type shouting struct{}

func (shouting) Highlight(lang, code string) ([]string, bool) {
	if lang != "js" {
		return nil, false
	}
	var lines []string
	for line := range strings.SplitSeq(code, "\n") {
		lines = append(lines, `<span class="k">`+html.EscapeString(strings.ToUpper(line))+"</span>")
	}
	return lines, true
}

// TestSeams: highlighting, running in the browser and other pages are asked
// for, once each.
func TestSeams(t *testing.T) {
	var asked []Link
	asking := map[string]int{}
	opts := Options{
		Highlight: shouting{},
		Live: func(id string) (string, bool) {
			asking[id]++
			return `<div class="live">` + id + "</div>\n", true
		},
		Resolve: func(l Link) (Destination, bool) {
			asked = append(asked, l)
			return Destination{Href: "../there#x"}, l.Path != "gone.org"
		},
	}
	src := twoBlocks + "\n[[file:sub/other.org::*Heading][there]] [[id:abc]] [[file:gone.org]] [[file:pic.png]] [[https://example.org]]\n"
	p, found, err := Fragment(context.Background(), "two.org", []byte(src), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`<span class="k">RETURN 1</span>`, `<div class="live">first</div>`, `<div class="live">second</div>`, `<a href="../there#x">there</a>`, `<img src="../there#x"`} {
		if !strings.Contains(p.Body, part) {
			t.Errorf("the page lacks %s:\n%s", part, p.Body)
		}
	}
	if asking["first"] != 1 || asking["second"] != 1 {
		t.Errorf("asked for %v", asking)
	}
	if len(asked) != 4 || asked[0].Kind != "file" || asked[0].Path != "sub/other.org" || asked[0].Search != "*Heading" || asked[0].Pos.Line != 15 || !asked[3].Image {
		t.Errorf("asked about %+v", asked)
	}
	if len(p.Links) != 5 || p.Links[4].Kind != "https" {
		t.Errorf("links: %+v", p.Links)
	}
	if diag.Errors(found) != 0 || len(found) != 2 || found[0].Code != "broken-link" || found[1].Code != "image-alt" {
		t.Errorf("found %v", found)
	}
}
