package compile

import (
	"slices"

	"wb/internal/value"
)

// Results are the words of :results, lower case ("value", "output", "table",
// "verbatim", …): what the author wants of what a block returns or prints.
type Results []string

// Has reports whether word is among them.
func (r Results) Has(word string) bool { return slices.Contains(r, word) }

// AsText reports whether they ask for the output as it was printed
// (org-babel-result-cond).
func (r Results) AsText() bool {
	if slices.ContainsFunc(r, func(word string) bool {
		return slices.Contains([]string{"scalar", "verbatim", "html", "code", "pp", "file"}, word)
	}) {
		return true
	}
	return (r.Has("output") || r.Has("raw") || r.Has("org")) && !r.Has("table")
}

// Read turns what a block printed into its value, as org-babel does for
// languages whose value is their output (C, shell): text where they ask for
// text, else whatever table, number or string the text looks like.
func (r Results) Read(stdout string) value.Value {
	switch {
	case r.Has("discard"):
		return value.Nil()
	case r.AsText():
		return value.OfString(stdout)
	}
	return ImportTable(stdout)
}

// ReadScalar is Read for languages whose output is not a table.
func (r Results) ReadScalar(text string) value.Value {
	switch {
	case r.Has("discard"):
		return value.Nil()
	case r.AsText():
		return value.OfString(text)
	}
	return ReadScalar(text)
}

// Reading is how Read reads the output of a block.
func (r Results) Reading() Reading {
	switch {
	case r.Has("discard"):
		return ReadDiscard
	case r.AsText():
		return ReadText
	}
	return ReadTable
}
