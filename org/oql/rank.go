package oql

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bm25 ranks loaded rows without an index: k1 = 1.2, b = 0.75, a title word
// counts three times. A row matches when it has every word. Rows are measured
// in bytes, and only those that have some word at all are looked at word by
// word, so that a rare word costs no more than a search for it.
func bm25(c *Corpus, words []string) func(f *File, i int) (float64, bool) {
	terms := tokens(strings.Join(words, " "))
	find := finders(terms)
	docs, total := 0, 0
	frequency := make([]float64, len(terms))
	counts := map[rowID][]int{}
	for _, f := range c.Files {
		docs += f.Len()
		if f.packed != nil {
			total += f.packed.text
			if !find.any(f.packed.heap[:f.packed.text]) {
				continue
			}
		}
		for i := range f.Len() {
			text := f.text(i)
			if f.packed == nil {
				total += len(text)
			}
			if !find.any(text) {
				continue
			}
			n := make([]int, len(terms))
			countTerms(text, terms, n, 1)
			countTerms(f.title(i), terms, n, 2)
			for k := range n {
				if n[k] > 0 {
					frequency[k]++
				}
			}
			counts[rowID{f, i}] = n
		}
	}
	average := math.Max(float64(total)/math.Max(float64(docs), 1), 1)
	return func(f *File, i int) (float64, bool) {
		n := counts[rowID{f, i}]
		if n == nil {
			return 0, false
		}
		score := 0.0
		for k := range terms {
			if n[k] == 0 {
				return 0, false
			}
			idf := math.Log(1 + (float64(docs)-frequency[k]+0.5)/(frequency[k]+0.5))
			tf := float64(n[k])
			score += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(f.text(i)))/average))
		}
		return score, len(terms) > 0
	}
}

// text is the text of row i, without decoding the row where that can be.
func (f *File) text(i int) string {
	if p := f.packed; p != nil {
		return p.heap[p.field(i, recStart):p.field(i, recStop)]
	}
	return f.At(i).Text
}

func (f *File) title(i int) string {
	if f.packed != nil {
		return f.packed.title(i)
	}
	return f.At(i).Title
}

// countTerms adds weight to n[k] for every word of text that is terms[k],
// whatever its case.
func countTerms(text string, terms []string, n []int, weight int) {
	count := func(word string) {
		for k, t := range terms {
			if strings.EqualFold(word, t) {
				n[k] += weight
			}
		}
	}
	start := -1
	for at := 0; at < len(text); {
		c, size := rune(text[at]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(text[at:])
		}
		switch inside := isWordRune(c); {
		case inside && start < 0:
			start = at
		case !inside && start >= 0:
			count(text[start:at])
			start = -1
		}
		at += size
	}
	if start >= 0 {
		count(text[start:])
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// tokens splits text into lower-case words.
func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWordRune(r) })
}
