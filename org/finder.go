package org

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// finder answers where things end in one stretch of text. It looks for each
// kind of end once, in one pass, when first asked; every later question is a
// binary search. So a line of sixty thousand "*a " costs no more per byte
// than prose.
type finder struct {
	src     string
	span    Span
	needles map[string][]int  // offsets of each occurrence
	marks   map[byte][]int    // offsets of marks that may close emphasis
	pairs   map[byte]pairList // brackets by their opening byte
	stops   map[string]Span   // see stop
}

// pairList holds, for opening brackets in source order, where each is closed
// and how deep brackets nest in it, itself included.
type pairList struct{ open, after, depth []int }

func newFinder(src string, s Span) *finder { return &finder{src: src, span: s} }

// next returns the first occurrence of needle that lies in [from, limit).
func (f *finder) next(needle string, from, limit int) (int, bool) {
	at, ok := f.needles[needle]
	if !ok {
		for i := f.span.Start; i < f.span.End; {
			k := strings.Index(f.src[i:f.span.End], needle)
			if k < 0 {
				break
			}
			at = append(at, i+k)
			i += k + 1
		}
		if f.needles == nil {
			f.needles = map[string][]int{}
		}
		f.needles[needle] = at
	}
	pos, ok := firstIn(at, from, limit)
	return pos, ok && pos+len(needle) <= limit
}

// prev returns the last occurrence of the one-byte needle in [from, limit).
func (f *finder) prev(needle string, from, limit int) (int, bool) {
	f.next(needle, from, limit)
	at := f.needles[needle]
	i := sort.SearchInts(at, limit)
	if i == 0 || at[i-1] < from {
		return 0, false
	}
	return at[i-1], true
}

// closer returns the first offset in [from, limit) of a mark that may close
// emphasis: no white space before it, and behind it white space, punctuation
// or the limit.
func (f *finder) closer(mark byte, from, limit int) (int, bool) {
	at, ok := f.marks[mark]
	if !ok {
		for i := f.span.Start + 1; i < f.span.End; i++ {
			k := strings.IndexByte(f.src[i:f.span.End], mark)
			if k < 0 {
				break
			}
			i += k
			if !f.spaceBefore(i) && f.closesAt(i+1) {
				at = append(at, i)
			}
		}
		if f.marks == nil {
			f.marks = map[byte][]int{}
		}
		f.marks[mark] = at
	}
	if pos, ok := firstIn(at, from, limit); ok {
		return pos, true
	}
	if last := limit - 1; last >= from && f.src[last] == mark && !f.spaceBefore(last) {
		return last, true
	}
	return 0, false
}

func (f *finder) spaceBefore(pos int) bool {
	if c := f.src[pos-1]; c < utf8.RuneSelf {
		return isSpace(c) || c == '\f'
	}
	r, _ := utf8.DecodeLastRuneInString(f.src[f.span.Start:pos])
	return isSpaceRune(r)
}

// closesAt reports whether the character at pos may follow emphasis.
func (f *finder) closesAt(pos int) bool {
	if pos >= f.span.End {
		return true
	}
	c := f.src[pos]
	if c < utf8.RuneSelf {
		return isSpace(c) || strings.IndexByte("-.,;:!?'\")}\\[\f", c) >= 0
	}
	r, _ := utf8.DecodeRuneInString(f.src[pos:f.span.End])
	return isSpaceRune(r)
}

// pair returns the offset after the bracket that closes the one at pos,
// counting brackets of the same shape only, and how deep they nest.
func (f *finder) pair(pos, limit int) (after, depth int, ok bool) {
	if pos >= limit {
		return 0, 0, false
	}
	open := f.src[pos]
	list, ok := f.pairs[open]
	if !ok {
		list = f.matchPairs(open, map[byte]byte{'(': ')', '[': ']', '{': '}'}[open])
		if f.pairs == nil {
			f.pairs = map[byte]pairList{}
		}
		f.pairs[open] = list
	}
	i := sort.SearchInts(list.open, pos)
	if i == len(list.open) || list.open[i] != pos || list.after[i] == 0 || list.after[i] > limit {
		return 0, 0, false
	}
	return list.after[i], list.depth[i], true
}

func (f *finder) matchPairs(open, close byte) pairList {
	var list pairList
	var stack []int
	for i := f.span.Start; i < f.span.End; i++ {
		switch f.src[i] {
		case open:
			stack = append(stack, len(list.open))
			list.open = append(list.open, i)
			list.after = append(list.after, 0)
			list.depth = append(list.depth, 1)
		case close:
			n := len(stack)
			if n == 0 {
				continue
			}
			inner := stack[n-1]
			stack = stack[:n-1]
			list.after[inner] = i + 1
			if n > 1 {
				outer := stack[n-2]
				list.depth[outer] = max(list.depth[outer], list.depth[inner]+1)
			}
		}
	}
	return list
}

// stop returns the first offset from pos on of a byte in set, at most limit.
func (f *finder) stop(set string, pos, limit int) int {
	memo := f.stops[set]
	if pos < memo.Start || pos > memo.End || memo.End == 0 {
		end := pos
		for end < f.span.End && strings.IndexByte(set, f.src[end]) < 0 {
			end++
		}
		if f.stops == nil {
			f.stops = map[string]Span{}
		}
		memo = Span{pos, end}
		f.stops[set] = memo
	}
	return min(memo.End, limit)
}
