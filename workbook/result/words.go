package result

import (
	"slices"
	"strings"

	"wb/org"
)

// Words are the words of a header argument such as :results.
type Words []string

// Has reports whether word was said.
func (w Words) Has(word string) bool { return slices.Contains(w, word) }

// And adds words that were not said yet. A call keeps the words of the block it
// runs beside its own, even those that its own should replace: the first of a
// kind decides some things and any other the rest, as in Emacs.
func (w Words) And(more Words) Words {
	all := slices.Clone(w)
	for _, word := range more {
		if !all.Has(word) {
			all = append(all, word)
		}
	}
	return all
}

// WordsOf are the words of :results, lower case as lanes expect them.
func WordsOf(args org.Args) Words {
	return strings.Fields(strings.ToLower(args.Value(":results")))
}
