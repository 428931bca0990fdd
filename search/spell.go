package search

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"wb/internal/nearest"
)

// maxRespelt is how many other spellings of a word are tried.
const maxRespelt = 4

// nearWords are the words of a store that differ from a word by one letter, or
// two in a word of eight or more; the commonest of the nearest come first.
// Words of three letters or fewer have no other spelling.
func nearWords(ctx context.Context, store Backend, word string, prefix bool) ([]string, error) {
	most := 1
	switch n := utf8.RuneCountInString(word); {
	case n < 4:
		return nil, nil
	case n >= 8:
		most = 2
	}
	// Almost all typing errors leave the first letter alone.
	for _, first := range []bool{true, false} {
		words, err := store.Near(ctx, word, most, prefix, first)
		if err != nil {
			return nil, err
		}
		if near := closest(word, words, most, prefix); len(near) > 0 {
			return near, nil
		}
	}
	return nil, nil
}

func closest(word string, words map[string]int, most int, prefix bool) []string {
	type candidate struct {
		word        string
		distance, n int
	}
	var found []candidate
	for w, n := range words {
		compared := w
		if prefix && len(w) > len(word) {
			compared = w[:len(word)]
		}
		if d := len(compared) - len(word); d > most || -d > most {
			continue
		}
		if d := nearest.Distance(word, compared); d <= most {
			found = append(found, candidate{w, d, n})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.n, a.n), cmp.Compare(a.word, b.word))
	})
	var near []string
	for _, c := range found[:min(maxRespelt, len(found))] {
		if c.distance == found[0].distance {
			near = append(near, c.word)
		}
	}
	return near
}
