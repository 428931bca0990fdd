package page

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"wb/workbook"
)

// provenance is how the results came to be: the plan as a picture, and for
// each component what its outcome depended on.
func (w *writer) provenance() string {
	var rows strings.Builder
	n := 0
	for _, c := range w.plan.Components {
		if c.Kind == workbook.KindData {
			continue
		}
		n++
		rows.WriteString(w.componentRow(c))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`<section class="provenance" aria-labelledby="how-it-was-made">
<details>
<summary id="how-it-was-made">How the results were made: %d components</summary>
<figure>
%s
<figcaption>Values flow along the lines, from left to right.</figcaption>
</figure>
<div class="scroll" tabindex="0" role="group" aria-label="Components">
<table>
<thead>
<tr><th scope="col">Component</th><th scope="col">Language</th><th scope="col" class="r">Line</th><th scope="col" class="r">Fuel</th><th scope="col" class="r">Memory</th><th scope="col">Source, result (SHA-256)</th></tr>
</thead>
<tbody>
%s</tbody>
</table>
</div>
<p>Code runs in a WebAssembly sandbox. Fuel counts its steps and is the same on every machine; the same source, inputs and toolchain give the same bytes.</p>
</details>
</section>
`, n, w.plan.SVG(), rows.String())
}

func (w *writer) componentRow(c *workbook.Component) string {
	f := w.opts.Facts[c.ID]
	fuel, memory, digests := "–", "–", "not run from this source"
	if f.Kept {
		fuel, memory = thousands(f.Fuel), thousands(f.Memory>>10)+" KiB"
		digests = "<code>" + brief(f.Source) + "</code>, <code>" + brief(f.Result) + "</code>"
	}
	uses := ""
	for _, u := range c.Uses {
		uses += " <span class=\"todo\">" + html.EscapeString(u) + "</span>"
	}
	return fmt.Sprintf("<tr id=\"made--%s\"><th scope=\"row\">%s%s</th><td>%s</td><td class=\"r\">%d</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td>%s</td></tr>\n",
		html.EscapeString(workbook.Slug(c.ID)), html.EscapeString(c.ID), uses, html.EscapeString(c.Lang), c.Pos.Line, fuel, memory, digests)
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
