package lint

import (
	"wb/workbook/plan"
)

// trust checks that #+TRUST: says a word that is known. One that is not counts
// as third-party.
func (l *linter) trust() {
	known := []string{plan.TrustFirst, plan.TrustThird}
	for k := range l.doc.Keywords("TRUST") {
		if word := k.Value.Text; word != plan.TrustFirst && word != plan.TrustThird {
			l.warnf("unknown-trust", k.Value.Start, plan.DidYouMean(word, known, "it is first-party or third-party"), "unknown trust %s means third-party", word)
		}
	}
}
