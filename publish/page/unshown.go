package page

import (
	"fmt"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// unshown notes once that results stand in the document and readers do not
// see them, only because nothing says what :exports is to be: Org's default
// shows code alone, which those who see their results in the editor do not
// expect.
func (w *writer) unshown() {
	var first *workbook.Component
	count := 0
	var trees *shownTrees
	for _, c := range w.plan.Components {
		n := c.Node()
		if n == nil || n.Kind() != org.KindSrcBlock {
			continue
		}
		exports, said := c.Args.Get(":exports")
		if said && (exports.Origin != org.FromDefault || exports.Value != "code") {
			continue
		}
		if at, ok := w.plan.Document().ResultOf(n); !ok || at.Element == nil {
			continue
		}
		if trees == nil {
			trees = newShownTrees(w.plan.Document(), &w.set)
		}
		if trees.shown(n) {
			if count++; first == nil {
				first = c
			}
		}
	}
	if first == nil {
		return
	}
	whose := "the result of a block is"
	if count > 1 {
		whose = fmt.Sprintf("the results of %d blocks are", count)
	}
	w.found = append(w.found, diag.Finding{Pos: first.Pos, Severity: diag.Note, Code: "results-not-shown",
		Message: whose + " not on the page: Org shows code alone",
		Hint:    ":exports both on a block shows both, #+PROPERTY: header-args :exports both on all blocks; :exports code confirms that only code is meant"})
}
