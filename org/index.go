package org

import (
	"sort"
	"strings"
)

// marks is the result of one pass over the lines before parsing starts:
// where headlines are and where things end. With it the parser answers "does
// this block end before the limit?" by binary search, so that a file full of
// unterminated blocks costs no more than any other.
type marks struct {
	heads      []int            // starts of headline lines
	blockEnds  map[string][]int // starts of #+end_NAME lines by lower-case name, "#+end:" under ":", "#+end" under ""
	drawerEnds []int            // starts of :END: lines
	latexEnds  map[string][]int // starts of lines that end in \end{NAME}, by lower-case name
	settings   []int            // numbers of the headlines whose sections may hold keywords
}

// scanMarks reads every line once.
func scanMarks(s string, begin int) *marks {
	m := &marks{blockEnds: map[string][]int{}, latexEnds: map[string][]int{}}
	for pos := begin; pos < len(s); {
		next := lineEnd(s, pos)
		text := skipBlanks(s, pos, next)
		if text < next {
			switch s[text] {
			case '*':
				if text == pos && headlineStars(s, pos) > 0 {
					m.heads = append(m.heads, pos)
				}
			case '#':
				if name, ok := blockEndName(s, text, next); ok {
					m.blockEnds[name] = append(m.blockEnds[name], pos)
				}
				m.noteSetting(s, pos)
			case ':':
				if isDrawerEnd(s, text, next) {
					m.drawerEnds = append(m.drawerEnds, pos)
				}
			}
			m.noteLatexEnd(s, pos, text, next)
		}
		pos = next
	}
	return m
}

// noteLatexEnd records the line [pos, next) if it ends in \end{NAME}.
func (m *marks) noteLatexEnd(s string, pos, text, next int) {
	end := next
	for end > text && isSpace(s[end-1]) {
		end--
	}
	if end == text || s[end-1] != '}' {
		return
	}
	open := strings.LastIndexByte(s[text:end], '{')
	if open < 0 || !strings.HasSuffix(strings.ToLower(s[max(text, text+open-4):text+open]), `\end`) {
		return
	}
	name := strings.ToLower(s[text+open+1 : end-1])
	m.latexEnds[name] = append(m.latexEnds[name], pos)
}

// headlineStars counts the stars of a headline at pos; 0 when none is there.
func headlineStars(s string, pos int) int {
	i := pos
	for i < len(s) && s[i] == '*' {
		i++
	}
	if i > pos && i < len(s) && s[i] == ' ' {
		return i - pos
	}
	return 0
}

// blockEndName reads the line at text as "#+end_NAME"; "#+end:" is named ":"
// and "#+end" is named "".
func blockEndName(s string, text, next int) (string, bool) {
	if !hasPrefixFold(s[text:next], "#+end") {
		return "", false
	}
	i := text + len("#+end")
	name := ""
	if i < next && s[i] == '_' {
		end := skipWord(s, i+1, next)
		if end == i+1 {
			return "", false
		}
		name = strings.ToLower(s[i+1 : end])
		i = end
	} else if i < next && s[i] == ':' {
		name = ":"
		i++
	}
	return name, restBlank(s, i, next)
}

func isDrawerEnd(s string, text, next int) bool {
	return hasPrefixFold(s[text:next], ":end:") && restBlank(s, text+len(":end:"), next)
}

// restBlank reports whether nothing but white space stands in [pos, next).
func restBlank(s string, pos, next int) bool {
	for ; pos < next; pos++ {
		if !isSpace(s[pos]) {
			return false
		}
	}
	return true
}

// firstIn returns the first of the sorted offsets that lies in [from, limit).
func firstIn(offsets []int, from, limit int) (int, bool) {
	i := sort.SearchInts(offsets, from)
	if i < len(offsets) && offsets[i] < limit {
		return offsets[i], true
	}
	return 0, false
}

// blockEnd finds the line that ends the block whose begin line ends at from.
// A dynamic block, named ":", ends with either of two spellings.
func (m *marks) blockEnd(name string, from, limit int) (int, bool) {
	end, ok := firstIn(m.blockEnds[strings.ToLower(name)], from, limit)
	if name == ":" {
		if short, found := firstIn(m.blockEnds[""], from, limit); found && (!ok || short < end) {
			return short, true
		}
	}
	return end, ok
}

// drawerEnd finds the :END: line of the drawer whose first line ends at from.
func (m *marks) drawerEnd(from, limit int) (int, bool) {
	return firstIn(m.drawerEnds, from, limit)
}

// latexEnd finds the last line of the environment that opens on the line at
// from, which may be that very line.
func (m *marks) latexEnd(name string, from, limit int) (int, bool) {
	return firstIn(m.latexEnds[strings.ToLower(name)], from, limit)
}
