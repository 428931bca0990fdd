package telemetry

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wb/internal/clip"
	"wb/internal/trace"
)

// Change says how something differs between two runs.
type Change string

// The changes, in the order they are shown.
const (
	Added   Change = "added"
	Removed Change = "removed"
	Changed Change = "changed" // another outcome
	Slower  Change = "slower"  // the same outcome, much later
	Faster  Change = "faster"
	Same    Change = "same"
)

// Outcome is how something went in one run.
type Outcome struct {
	Calls  int    `json:"calls"`
	Errors int    `json:"errors"`
	Result string `json:"result"` // ok, failed, or not run
	Error  string `json:"error,omitempty"`
	Output string `json:"output_sha256,omitempty"` // digest of the last output
	Cache  string `json:"cache,omitempty"`
	DurMS  int64  `json:"dur_ms"`
	Fuel   int64  `json:"fuel"`
}

// Difference is one component, tool or model in two runs; nil is absent.
type Difference struct {
	Change Change   `json:"change"`
	Kind   string   `json:"kind"` // component, tool, model
	Name   string   `json:"name"`
	What   []string `json:"what,omitempty"` // which of result, output, error, calls, fuel, cache differ
	Before *Outcome `json:"before,omitempty"`
	After  *Outcome `json:"after,omitempty"`
}

// Comparison holds the differences between two runs.
type Comparison struct {
	Before *Summary     `json:"before"`
	After  *Summary     `json:"after"`
	Items  []Difference `json:"items"`
}

// Compare finds what two runs did differently.
func Compare(before, after *Record) *Comparison {
	c := &Comparison{Before: Summarize(before), After: Summarize(after), Items: []Difference{}}
	a, names := outcomes(before)
	b, more := outcomes(after)
	for _, k := range more {
		if !slices.Contains(names, k) {
			names = append(names, k)
		}
	}
	for _, k := range names {
		c.Items = append(c.Items, differ(k, a[k], b[k]))
	}
	order := []Change{Added, Removed, Changed, Slower, Faster, Same}
	slices.SortStableFunc(c.Items, func(x, y Difference) int {
		return cmp.Compare(slices.Index(order, x.Change), slices.Index(order, y.Change))
	})
	return c
}

// thing identifies an outcome.
type thing struct{ kind, name string }

// outcomes are the outcomes of every component, tool and model of a run, and
// their order.
func outcomes(r *Record) (map[thing]*Outcome, []thing) {
	all := map[thing]*Outcome{}
	var order []thing
	for i := range r.Events {
		e := &r.Events[i]
		var k thing
		switch e.Kind {
		case trace.KindComponentEnd, trace.KindCacheHit:
			k = thing{"component", e.Component}
		case trace.KindToolCall:
			k = thing{"tool", e.Tool}
		case trace.KindModelTurn:
			k = thing{"model", nameOf(e)}
		default:
			continue
		}
		if k.name == "" {
			continue
		}
		o := all[k]
		if o == nil {
			o = &Outcome{}
			all[k] = o
			order = append(order, k)
		}
		o.Calls++
		o.DurMS += e.Duration.Milliseconds()
		o.Fuel += e.Fuel
		o.Cache = e.Cache
		if e.Kind == trace.KindCacheHit {
			o.Cache = "hit"
		}
		o.Result, o.Error = "ok", ""
		if e.Failed() {
			o.Errors++
			o.Result, o.Error = "failed", callOf(e).Error
		}
		if e.OutputSHA256 != "" {
			o.Output = e.OutputSHA256
		}
	}
	return all, order
}

// A duration counts as another one when it differs by half and by this much:
// less is the machine's mood.
const noticeableMS = 20

func differ(k thing, a, b *Outcome) Difference {
	d := Difference{Kind: k.kind, Name: k.name, Before: a, After: b, Change: Same}
	switch {
	case a == nil:
		d.Change = Added
		return d
	case b == nil:
		d.Change = Removed
		return d
	}
	note := func(what string, differs bool) {
		if differs {
			d.What = append(d.What, what)
		}
	}
	note("result", a.Result != b.Result)
	note("error", a.Result == b.Result && a.Error != b.Error)
	note("output", a.Output != b.Output && a.Output != "" && b.Output != "")
	note("calls", a.Calls != b.Calls)
	if len(d.What) > 0 {
		d.Change = Changed
	}
	cached := a.Cache == "hit" || b.Cache == "hit"
	note("cache", (a.Cache == "hit") != (b.Cache == "hit"))
	note("fuel", !cached && a.Fuel != b.Fuel)
	if gap := b.DurMS - a.DurMS; d.Change == Same && !cached {
		switch {
		case gap >= noticeableMS && b.DurMS*2 >= a.DurMS*3:
			d.Change = Slower
		case -gap >= noticeableMS && a.DurMS*2 >= b.DurMS*3:
			d.Change = Faster
		}
	}
	return d
}

// Write shows a comparison to a person; what is the same is only counted.
func (c *Comparison) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s  %s  %s\n+ %s  %s  %s\n\n", c.Before.Run, c.Before.Status, c.Before.line(), c.After.Run, c.After.Status, c.After.line())
	same := 0
	for _, d := range c.Items {
		if d.Change == Same && len(d.What) == 0 {
			same++
			continue
		}
		fmt.Fprintf(&b, "%-8s %-10s %-24s %s\n", d.Change, d.Kind, clip.Chars(d.Name, 24), d.detail())
	}
	if same > 0 {
		fmt.Fprintf(&b, "%d the same\n", same)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// detail says what differs, from → to.
func (d *Difference) detail() string {
	one := func(o *Outcome) string {
		text := o.Result + ", " + strconv.FormatInt(o.DurMS, 10) + " ms"
		if o.Error != "" {
			text += ": " + clip.Chars(strings.Join(strings.Fields(o.Error), " "), 60)
		}
		return text
	}
	switch {
	case d.Before == nil:
		return one(d.After)
	case d.After == nil:
		return one(d.Before)
	}
	var parts []string
	arrow := func(name, from, to string) {
		parts = append(parts, fmt.Sprintf("%s %s → %s", name, from, to))
	}
	for _, what := range d.What {
		switch what {
		case "result":
			arrow("result", one(d.Before), one(d.After))
		case "error":
			arrow("error", clip.Chars(d.Before.Error, 40), clip.Chars(d.After.Error, 40))
		case "output":
			arrow("output", d.Before.Output[:min(8, len(d.Before.Output))], d.After.Output[:min(8, len(d.After.Output))])
		case "calls":
			arrow("calls", itoa(d.Before.Calls), itoa(d.After.Calls))
		case "fuel":
			arrow("fuel", strconv.FormatInt(d.Before.Fuel, 10), strconv.FormatInt(d.After.Fuel, 10))
		case "cache":
			arrow("cache", cmp.Or(d.Before.Cache, "-"), cmp.Or(d.After.Cache, "-"))
		}
	}
	if d.Change == Slower || d.Change == Faster {
		arrow("ms", strconv.FormatInt(d.Before.DurMS, 10), strconv.FormatInt(d.After.DurMS, 10))
	}
	return strings.Join(parts, ", ")
}

// Differs reports whether something was added, removed or ended differently;
// time and fuel do not count.
func (c *Comparison) Differs() bool {
	return slices.ContainsFunc(c.Items, func(d Difference) bool {
		return d.Change == Added || d.Change == Removed || d.Change == Changed
	})
}
