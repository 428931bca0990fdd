package workbook

// trust checks that #+TRUST: says a word that is known. One that is not counts
// as third-party.
func (l *linter) trust() {
	known := []string{trustFirst, trustThird}
	for k := range l.doc.Keywords("TRUST") {
		if word := k.Value.Text; word != trustFirst && word != trustThird {
			l.warnf("unknown-trust", k.Value.Start, didYouMean(word, known, "it is first-party or third-party"), "unknown trust %s means third-party", word)
		}
	}
}
