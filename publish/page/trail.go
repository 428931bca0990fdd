package page

import (
	"fmt"
	"html"
	"path/filepath"
	"strings"
	"time"

	"wb/internal/trace"
	"wb/workbook"
)

// shownEvents are the kinds of event that a published page may show: what
// components did, without what they said. Everything else in events.org (what
// agents thought and called, arguments, outputs, messages) stays with the
// author.
var shownEvents = map[trace.Kind]bool{trace.KindComponentStart: true, trace.KindComponentEnd: true, trace.KindCacheHit: true, trace.KindCompile: true, trace.KindDenial: true}

// RunEvents finds in the text of events.org the last whole run of a workbook
// and returns its component events, with nothing in them but what a page may
// show. Earlier runs of the same workbook follow as far as they say how long a
// component took that the last run had kept.
func RunEvents(text []byte, file string) []trace.Event {
	var runs [][]trace.Event
	mine := map[string]int{}
	for e := range trace.Events(text) {
		if e.Kind == trace.KindRun {
			if e.Agent == "" && e.Workbook != "" && filepath.Base(e.Workbook) == filepath.Base(file) {
				mine[e.Run] = len(runs)
				runs = append(runs, nil)
			}
			continue
		}
		at, ok := mine[e.Run]
		if !ok || !shownEvents[e.Kind] || e.Component == "" || e.Agent != "" {
			continue
		}
		runs[at] = append(runs[at], bareEvent(e))
	}
	for len(runs) > 0 && len(runs[len(runs)-1]) == 0 {
		runs = runs[:len(runs)-1]
	}
	if len(runs) == 0 {
		return nil
	}
	last := runs[len(runs)-1]
	executed := map[string]bool{}
	for _, e := range last {
		executed[e.Component] = executed[e.Component] || executedWell(e)
	}
	var earlier []trace.Event
	for i := len(runs) - 2; i >= 0; i-- {
		for _, e := range runs[i] {
			if executedWell(e) && !executed[e.Component] {
				executed[e.Component] = true
				earlier = append(earlier, e)
			}
		}
	}
	return append(earlier, last...)
}

// executedWell reports whether an event says that a component was executed, and well.
func executedWell(e trace.Event) bool {
	return e.Kind == trace.KindComponentEnd && e.Cache != "hit" && e.Error == "" && (e.Exit == nil || *e.Exit == 0)
}

// bareEvent is an event without what was said in it.
func bareEvent(e trace.Event) trace.Event {
	bare := trace.Event{Run: e.Run, Call: e.Call, Kind: e.Kind, Time: e.Time, Component: e.Component, Lang: e.Lang, Profile: e.Profile,
		Cache: e.Cache, Exit: e.Exit, Duration: e.Duration, Fuel: e.Fuel, OutputSHA256: e.OutputSHA256}
	if e.Kind == trace.KindDenial {
		bare.Tool = e.Tool
	}
	if e.Error != "" {
		bare.Error = "failed"
	}
	return bare
}

// trail is the table of the run's events.
func (w *writer) trail() string {
	if len(w.opts.Events) == 0 {
		return ""
	}
	run := w.opts.Events[len(w.opts.Events)-1].Run
	var rows strings.Builder
	n := 0
	var first, last time.Time
	for _, e := range w.opts.Events {
		if e.Run != run || !shownEvents[e.Kind] {
			continue
		}
		if n++; n == 1 {
			first = e.Time
		}
		last = e.Time
		rows.WriteString(w.eventRow(bareEvent(e)))
	}
	return fmt.Sprintf(`<p>Run <code>%s</code>, %s, %d events. The table shows only what components did. What they printed and what the author's tools did stays on the author's machine.</p>
<div class="scroll" tabindex="0" role="group" aria-label="Events">
<table>
<thead>
<tr><th scope="col" class="r">No.</th><th scope="col">When</th><th scope="col">What</th><th scope="col">Component</th><th scope="col" class="r">Time</th><th scope="col" class="r">Fuel</th><th scope="col">Output (SHA-256)</th></tr>
</thead>
<tbody>
%s</tbody>
</table>
</div>
`, html.EscapeString(run), span(first, last), n, rows.String())
}

// span is a stretch of time.
func span(from, to time.Time) string {
	if from.IsZero() {
		return "at an unknown time"
	}
	text := moment(from)
	if to.Sub(from) >= time.Second {
		text += " to " + moment(to)
	}
	return text
}

// moment is a time that machines can read too, in UTC: pages do not depend on
// where they were made.
func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	t = t.UTC()
	return fmt.Sprintf("<time datetime=\"%s\">%s</time>", t.Format(time.RFC3339), t.Format("2006-01-02 15:04:05 UTC"))
}

var eventWords = map[trace.Kind]string{trace.KindComponentStart: "began", trace.KindComponentEnd: "ended", trace.KindCacheHit: "kept result used", trace.KindCompile: "compiled", trace.KindDenial: "refused"}

func (w *writer) eventRow(e trace.Event) string {
	what := eventWords[e.Kind]
	switch {
	case e.Kind == trace.KindDenial && e.Tool != "":
		what += " " + e.Tool
	case e.Error != "" || e.Exit != nil && *e.Exit != 0:
		what = "failed"
	case e.Kind == trace.KindComponentEnd && e.Cache == "hit":
		what = "kept result used"
	}
	component := html.EscapeString(e.Component)
	if w.plan.Component(e.Component) != nil && w.opts.TrailURL == "" {
		component = "<a href=\"#made--" + html.EscapeString(workbook.Slug(e.Component)) + "\">" + component + "</a>"
	}
	fuel, took, output := "–", "–", "–"
	if e.Fuel > 0 {
		fuel = thousands(e.Fuel)
	}
	if e.Duration > 0 {
		took = duration(e.Duration)
	}
	if e.OutputSHA256 != "" {
		output = "<code>" + brief(e.OutputSHA256) + "</code>"
	}
	return fmt.Sprintf("<tr><td class=\"r\">%d</td><td>%s</td><td>%s</td><td>%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td>%s</td></tr>\n",
		e.Call, moment(e.Time), html.EscapeString(what), component, took, fuel, output)
}

// duration is a time span as people say it.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%s ms", thousands(d.Milliseconds()))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
