// Package nearest finds the known word that a misspelt one was meant to be, so
// that error messages can say "did you mean …?".
package nearest

import (
	"slices"
	"strings"
)

// Word is the candidate with the smallest edit distance to word (ties go to
// the first in alphabetical order), or "" when even that one differs in more
// than a third of its letters. Case does not count.
func Word(word string, candidates []string) string {
	candidates = slices.Sorted(slices.Values(candidates))
	word = strings.ToLower(word)
	best, bestDistance := "", max(1, (len(word)+2)/3)+1
	for _, c := range candidates {
		if d := Distance(word, strings.ToLower(c)); d < bestDistance && d < max(len(word), len(c)) {
			best, bestDistance = c, d
		}
	}
	return best
}

// Distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment), counted in bytes.
func Distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
