package run

import (
	"wb/internal/value"
	"wb/org"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// standingResult is the value of a component that may not run: what stands
// under its #+RESULTS:, null when nothing does.
func (r *runner) standingResult(c *plan.Component) value.Value {
	v, _ := r.recorded(c)
	return v
}

// recorded is the value that stands in the document, and whether one does.
func (r *runner) recorded(c *plan.Component) (value.Value, bool) {
	stands, ok := resultOf(r.plan.Document(), c)
	if !ok || stands.Element == nil {
		return value.Nil(), false
	}
	v, err := result.ReadElement(stands.Element)
	return v, err == nil
}

// hasRecorded reports whether anything stands below the #+RESULTS: of a component, also
// what no value can be read from, such as a link to a picture.
func hasRecorded(doc *org.Document, c *plan.Component) bool {
	stands, ok := resultOf(doc, c)
	return ok && stands.Body.Start < stands.Body.End
}

func resultOf(doc *org.Document, c *plan.Component) (org.Result, bool) {
	if c.Node() == nil || !c.IsElement() {
		return org.Result{}, false
	}
	return doc.ResultOf(c.Node())
}
