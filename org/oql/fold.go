package oql

import (
	"strings"
	"unicode/utf8"
)

// finder looks for one word whatever its case. A word of ASCII letters is
// found in text of any size without a copy: the finder jumps between the places
// of the word's rarest letter, in both its cases.
type finder struct {
	word         string // in lower case
	ascii        bool
	at           int  // where the rarest letter stands in the word
	lower, upper byte // that letter
}

type finderList []finder

func finders(words []string) finderList {
	out := make(finderList, len(words))
	for i, w := range words {
		out[i] = newFinder(w)
	}
	return out
}

// all reports whether every word is in the text.
func (l finderList) all(text string) bool {
	for _, f := range l {
		if !f.in(text) {
			return false
		}
	}
	return true
}

// any reports whether some word is in the text.
func (l finderList) any(text string) bool {
	for _, f := range l {
		if f.in(text) {
			return true
		}
	}
	return false
}

// commonness ranks bytes by how often they occur in prose and code; what is
// not listed is rare.
const commonness = " etaoinsrhldcumfpgwybvk.,-_/\"'()0123456789xjqz"

func newFinder(word string) finder {
	f := finder{word: strings.ToLower(word), ascii: true}
	best := -1
	for i := 0; i < len(f.word); i++ {
		c := f.word[i]
		if c >= utf8.RuneSelf {
			f.ascii = false
			break
		}
		rank := strings.IndexByte(commonness, c)
		if rank < 0 {
			rank = len(commonness)
		}
		if rank > best {
			best, f.at = rank, i
		}
	}
	if f.ascii && f.word != "" {
		f.lower = f.word[f.at]
		f.upper = f.lower
		if 'a' <= f.lower && f.lower <= 'z' {
			f.upper -= 'a' - 'A'
		}
	}
	return f
}

// oddFolds are the letters outside ASCII that regexps without case take for k
// and s: the Kelvin sign and the long s. Finders do not.
const oddFolds = "\u212a\u017f"

// in reports whether the text contains the word.
func (f finder) in(text string) bool {
	if !f.ascii {
		return strings.Contains(strings.ToLower(text), f.word)
	}
	// Only places where the whole word fits are looked at.
	from, to := f.at, len(text)-(len(f.word)-1-f.at)
	return len(text) >= len(f.word) && (f.word == "" || f.scan(text, from, to, f.lower) >= 0 ||
		f.upper != f.lower && f.scan(text, from, to, f.upper) >= 0)
}

// index is where an ASCII word first stands in the text, -1 if it does not.
func (f finder) index(text string) int {
	if len(text) < len(f.word) {
		return -1
	}
	from, to := f.at, len(text)-(len(f.word)-1-f.at)
	first := f.scan(text, from, to, f.lower)
	if f.upper == f.lower {
		return first
	}
	if first >= 0 {
		to = first + f.at
	}
	if upper := f.scan(text, from, to, f.upper); upper >= 0 {
		return upper
	}
	return first
}

// scan tries the places of one letter in text[from:to] and returns where the
// word starts.
func (f finder) scan(text string, from, to int, letter byte) int {
	for {
		i := strings.IndexByte(text[from:to], letter)
		if i < 0 {
			return -1
		}
		from += i
		if f.equal(text[from-f.at : from-f.at+len(f.word)]) {
			return from - f.at
		}
		from++
	}
}

func (f finder) equal(s string) bool {
	for i := 0; i < len(f.word); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != f.word[i] {
			return false
		}
	}
	return true
}
