package run

import (
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Relocated moves the places in an error's text, which are those of the text
// that was run, to where the results that Run wrote have moved them. It changes
// nothing when no line moved.
func (r *Report) Relocated(text string) string {
	if !r.Wrote || len(r.Edits) == 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		rest, ok := strings.CutPrefix(l, r.Plan.File+":")
		at := leadingNumber.FindString(rest)
		if !ok || at == "" {
			continue
		}
		var line int
		if _, err := fmt.Sscan(at, &line); err == nil {
			lines[i] = fmt.Sprintf("%s:%d%s", r.Plan.File, line+linesAdded(r.Plan.Document(), r.Edits, line), rest[len(at):])
		}
	}
	return strings.Join(lines, "")
}

var leadingNumber = lazyregexp.New(`^[0-9]+`)

// linesAdded is how many lines the edits put above a line, less what they took
// away.
func linesAdded(doc *org.Document, edits []org.Edit, line int) int {
	span, ok := doc.Line(line)
	if !ok {
		return 0
	}
	n := 0
	for _, e := range edits {
		if e.End <= span.Start {
			n += strings.Count(e.New, "\n") - strings.Count(doc.Source()[e.Start:e.End], "\n")
		}
	}
	return n
}
