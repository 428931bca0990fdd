package page

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wb/workbook"
)

// provenance is how the results came to be: the plan as a picture, and for
// each component what its outcome depended on.
func (w *writer) provenance() string {
	var rows strings.Builder
	var names []string
	for _, c := range w.plan.Components {
		if c.Kind == workbook.KindData {
			continue
		}
		names = append(names, c.ID)
		rows.WriteString(w.componentRow(c))
	}
	if len(names) == 0 {
		return ""
	}
	n := fmt.Sprintf("%d components", len(names))
	if len(names) == 1 {
		n = "one component"
	}
	return fmt.Sprintf(`<section class="provenance" aria-labelledby="how-it-was-made">
<details>
<summary id="how-it-was-made">How the results were made: %s</summary>
<figure>
%s
<figcaption>Values flow along the lines, from left to right. %s</figcaption>
</figure>
<div class="scroll" tabindex="0" role="group" aria-label="Components">
<table>
<thead>
<tr><th scope="col">Component</th><th scope="col">Language</th><th scope="col" class="r">Line</th><th scope="col">Made</th><th scope="col" class="r">Time</th><th scope="col" class="r">Fuel</th><th scope="col" class="r">Memory</th><th scope="col">Source, inputs, result (SHA-256)</th></tr>
</thead>
<tbody>
%s</tbody>
</table>
</div>
<p>Code runs in a WebAssembly sandbox. Fuel counts its steps and is the same on every machine; the same source, inputs and toolchain give the same bytes.%s</p>
</details>
</section>
`, n, planIDs.Replace(w.plan.SVG()), w.planInWords(), rows.String(), w.trailLink())
}

// planIDs keeps the picture's ids apart from those of the text.
var planIDs = strings.NewReplacer(`id="end"`, `id="plan:end"`, "url(#end)", "url(#plan:end)")

// planInWords says what the picture shows, for those who do not see it.
func (w *writer) planInWords() string {
	var sentences []string
	for _, c := range w.plan.Components {
		var from []string
		for _, e := range w.plan.Edges {
			if e.To.Component == c.ID && !slices.Contains(from, e.From.Component) {
				from = append(from, e.From.Component)
			}
		}
		if len(from) > 0 {
			sentences = append(sentences, html.EscapeString(c.ID)+" takes from "+html.EscapeString(strings.Join(from, ", ")))
		}
	}
	if len(sentences) == 0 {
		return "None needs another."
	}
	return "<span class=\"vh\">" + strings.Join(sentences, "; ") + ".</span>"
}

// trailLink leads to the events.
func (w *writer) trailLink() string {
	link := ""
	if len(w.opts.Events) > 0 {
		href := w.opts.TrailURL
		if href == "" {
			href = "#event-trail"
		}
		link += " " + anchorTo(href, "What happened, event by event") + "."
	}
	if w.opts.Show == ShowNone {
		return link
	}
	href := w.opts.ViewURL
	if href == "" {
		href = "#page-source"
	}
	return link + " " + anchorTo(href, "The source of this page") + "."
}

func (w *writer) componentRow(c *workbook.Component) string {
	f := w.opts.Facts[c.ID]
	fuel, memory, took, made, digests := "–", "–", "–", "–", "not run from this source"
	if f.Kept {
		fuel, memory = thousands(f.Fuel), thousands(f.Memory>>10)+" KiB"
		digests = w.digests(f)
		if f.Duration > 0 {
			took = duration(f.Duration)
		}
		if !f.When.IsZero() {
			made = moment(f.When)
			if f.Run != "" {
				made += "<br>run <code>" + html.EscapeString(f.Run) + "</code>"
			}
		}
		if badge := cacheBadge(f); badge != "" {
			made = strings.TrimPrefix(made, "–") + " " + badge
		}
	}
	badges := ""
	for _, u := range c.Uses {
		badges += " " + capBadge(u)
	}
	if f.Profile != "" && f.Profile != "compute" {
		badges += " <span class=\"badge\" title=\"the profile it ran under\">" + html.EscapeString(f.Profile) + "</span>"
	}
	return fmt.Sprintf("<tr id=\"%s\"><th scope=\"row\">%s%s</th><td>%s</td><td class=\"r\">%d</td><td>%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td>%s</td></tr>\n",
		w.take("made--"+cleanID(workbook.Slug(c.ID))), html.EscapeString(c.ID), badges, html.EscapeString(c.Lang), c.Pos.Line, strings.TrimSpace(made), took, fuel, memory, digests)
}

// digests are the start of each; the whole ones are in the page's manifest.
func (w *writer) digests(f Fact) string {
	parts := []string{"source <code>" + brief(f.Source) + "</code>"}
	for _, name := range slices.Sorted(maps.Keys(f.Inputs)) {
		parts = append(parts, html.EscapeString(name)+" <code>"+brief(f.Inputs[name])+"</code>")
	}
	return strings.Join(append(parts, "result <code>"+brief(f.Result)+"</code>"), ", ")
}

// brief is the start of a digest.
func brief(digest string) string { return html.EscapeString(digest[:min(12, len(digest))]) }

// thousands writes a number in groups of three.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}
