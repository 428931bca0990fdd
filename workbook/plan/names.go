package plan

import (
	"wb/compile"
)

// DidYouMean is the hint that names the nearest known word, or fallback.
func DidYouMean(word string, known []string, fallback string) string {
	if near := compile.Nearest(word, known); near != "" {
		return "did you mean " + near + "?"
	}
	return fallback
}

// JoinNames lists names for people.
func JoinNames(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	text := ""
	for i, n := range names {
		switch {
		case i == len(names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += n
	}
	return text
}
