package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// line is one physical line, cut where the parser needs it.
type line struct {
	start int // first byte (or where the parser stands, inside an item)
	text  int // first byte that is not a blank
	end   int // after the last byte that is not white space
	next  int // after the line ending
}

func (l line) blank() bool { return l.text >= l.end }

// lineAt cuts the line that starts at pos.
func lineAt(s string, pos int) line {
	next := lineEnd(s, pos)
	end := next
	for end > pos && isSpace(s[end-1]) {
		end--
	}
	text := pos
	for text < end && isBlank(s[text]) {
		text++
	}
	return line{pos, text, end, next}
}

// lineEnd returns the offset just after the line ending of the line at pos.
func lineEnd(s string, pos int) int {
	if i := strings.IndexByte(s[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(s)
}

// lineStart returns the offset of the first byte of the line that holds pos.
func lineStart(s string, pos int) int {
	return strings.LastIndexByte(s[:pos], '\n') + 1
}

// trimEOL drops a line ending, "\n" or "\r\n", from the end of [start, end).
func trimEOL(s string, start, end int) int {
	if end > start && s[end-1] == '\n' {
		end--
		if end > start && s[end-1] == '\r' {
			end--
		}
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isDigit(c) || isAlpha(c) }

// skipBlanks returns the offset of the first byte from pos on that is neither
// space nor tab, at most end.
func skipBlanks(s string, pos, end int) int {
	for pos < end && isBlank(s[pos]) {
		pos++
	}
	return pos
}

// skipWord returns the offset of the first white space from pos on.
func skipWord(s string, pos, end int) int {
	for pos < end && !isSpace(s[pos]) && s[pos] != '\f' && s[pos] != '\v' {
		pos++
	}
	return pos
}

// trimSpan shrinks [start, end) past white space on both sides.
func trimSpan(s string, start, end int) Span {
	for start < end && isSpace(s[start]) {
		start++
	}
	for end > start && isSpace(s[end-1]) {
		end--
	}
	return Span{start, end}
}

// hasPrefixFold reports whether s begins with the ASCII prefix, which must be
// lower case, whatever the case of s.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

// isWordRune reports whether Emacs counts r as part of a word in org-mode.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isSyntaxWord reports whether r is part of a word by Emacs's syntax tables,
// which count emoji among words.
func isSyntaxWord(r rune) bool { return isWordRune(r) || r >= 0x1F000 }

// isSpaceRune reports whether r is white space by Emacs's syntax tables, which
// count the zero width space in: authors put it beside emphasis.
func isSpaceRune(r rune) bool {
	switch r {
	case 0x200B:
		return true
	case '\v', 0x85, 0x1680, 0x2028, 0x2029:
		return false
	}
	return unicode.IsSpace(r)
}

// skipName returns the end of the run of word characters, "-" and "_" at pos:
// the alphabet of drawer names and footnote labels. Emacs counts "$", "%" and
// "'" among word characters.
func skipName(s string, pos, end int) int {
	for pos < end {
		c := s[pos]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && strings.IndexByte("-_$%'", c) < 0 {
				return pos
			}
			pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[pos:end])
		if r == utf8.RuneError && size <= 1 || !isSyntaxWord(r) {
			return pos
		}
		pos += size
	}
	return pos
}

// indentOf returns the column of the first non-blank of a line; tabs stop at
// every eighth column, as in Emacs.
func indentOf(s string, l line) int {
	col := 0
	for _, c := range []byte(s[l.start:l.text]) {
		if c == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return col
}
