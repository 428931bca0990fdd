package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// emphasis reads *bold*, /italic/, _underline_, +strike+, =verbatim= or
// ~code~.
func (p *objectParser) emphasis(j *objectJob, pos int, kind Kind) (object, bool) {
	if !j.set.has(kind) || !p.opensEmphasis(j, pos) {
		return object{}, false
	}
	end, ok := p.find.closer(p.src[pos], pos+2, j.end)
	if !ok {
		return object{}, false
	}
	o := object{kind: kind, start: pos, end: end + 1}
	if kind != KindVerbatim && kind != KindCode {
		o.innerStart, o.innerEnd, o.set = pos+1, end, standardSet
	}
	return o, true
}

// opensEmphasis reports whether the mark at pos stands where emphasis may
// start: at the start of the text or behind white space or an opening
// character, and before something that is not white space.
func (p *objectParser) opensEmphasis(j *objectJob, pos int) bool {
	if pos+2 >= j.end {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(p.src[pos+1 : j.end]); isSpaceRune(r) {
		return false
	}
	if pos == j.start {
		return true
	}
	c := p.src[pos-1]
	return c < utf8.RuneSelf && strings.IndexByte("-('\"{", c) >= 0 || p.find.spaceBefore(pos)
}

// maxScriptDepth is how deep brackets may nest in a sub- or superscript.
const maxScriptDepth = 3

// script reads _x, _{x}, _(x) or _* behind something that is not white space,
// or the same with "^".
func (p *objectParser) script(j *objectJob, pos int, kind Kind) (object, bool) {
	if !j.set.has(kind) || pos == j.start || p.find.spaceBefore(pos) || pos+1 >= j.end {
		return object{}, false
	}
	o := object{kind: kind, start: pos, set: standardSet}
	switch c := p.src[pos+1]; c {
	case '{', '(':
		end, depth, ok := p.find.pair(pos+1, j.end)
		if !ok || depth > maxScriptDepth {
			return object{}, false
		}
		o.end, o.innerStart, o.innerEnd = end, pos+1, end
		if c == '{' {
			o.innerStart, o.innerEnd = pos+2, end-1
		}
		return o, true
	case '*':
		o.end = pos + 2
	default:
		o.end = scriptEnd(p.src, pos+1, j.end)
	}
	o.innerStart, o.innerEnd = pos+1, o.end
	return o, o.end > 0
}

// scriptEnd matches an optional sign and a run of letters, digits, ".", ","
// and "\" that ends in a letter or digit; 0 when there is none.
func scriptEnd(s string, pos, end int) int {
	if s[pos] == '+' || s[pos] == '-' {
		pos++
	}
	last := 0
	for pos < end {
		c := s[pos]
		switch {
		case c < utf8.RuneSelf && isAlnum(c):
			pos++
			last = pos
		case c == '.' || c == ',' || c == '\\':
			pos++
		case c < utf8.RuneSelf:
			return last
		default:
			r, size := utf8.DecodeRuneInString(s[pos:end])
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				return last
			}
			pos += size
			last = pos
		}
	}
	return last
}
