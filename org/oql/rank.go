package oql

import (
	"math"
	"strings"
	"unicode"
)

// bm25 ranks loaded rows without an index: k1 = 1.2, b = 0.75, a title word
// counts three times. A row matches when it has every word.
func bm25(c *Corpus, words []string) func(f *File, i int) (float64, bool) {
	var terms []string
	for _, w := range words {
		terms = append(terms, tokens(w)...)
	}
	docs, total := 0, 0
	frequency := map[string]int{}
	counts := map[rowID]map[string]int{}
	length := map[rowID]int{}
	for _, f := range c.Files {
		for i := range f.Len() {
			id := rowID{f, i}
			own := map[string]int{}
			words := tokens(f.At(i).Text)
			for _, w := range words {
				own[w]++
			}
			for _, w := range tokens(f.At(i).Title) {
				own[w] += 2
			}
			hit := map[string]int{}
			for _, t := range terms {
				if own[t] > 0 {
					if _, seen := hit[t]; !seen {
						frequency[t]++
					}
					hit[t] = own[t]
				}
			}
			docs++
			total += len(words)
			counts[id], length[id] = hit, len(words)
		}
	}
	average := math.Max(float64(total)/math.Max(float64(docs), 1), 1)
	return func(f *File, i int) (float64, bool) {
		id := rowID{f, i}
		score := 0.0
		for _, t := range terms {
			n := float64(counts[id][t])
			if n == 0 {
				return 0, false
			}
			df := float64(frequency[t])
			idf := math.Log(1 + (float64(docs)-df+0.5)/(df+0.5))
			score += idf * n * 2.2 / (n + 1.2*(0.25+0.75*float64(length[id])/average))
		}
		return score, len(terms) > 0
	}
}

// tokens splits text into lower-case words.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}
