package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// dollar reads $x$ or $$x$$.
func (p *objectParser) dollar(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindLatexFragment) || pos+2 >= j.end {
		return object{}, false
	}
	if p.src[pos+1] == '$' {
		end, ok := p.find.next("$$", pos+2, j.end)
		return object{kind: KindLatexFragment, start: pos, end: end + 2}, ok
	}
	if pos > j.start && p.src[pos-1] == '$' || strings.IndexByte(" \t\n,.;", p.src[pos+1]) >= 0 {
		return object{}, false
	}
	end, ok := p.find.next("$", pos+1, j.end)
	if !ok || strings.IndexByte(" \t\n,.", p.src[end-1]) >= 0 || !p.endsMath(end+1, j.end) {
		return object{}, false
	}
	return object{kind: KindLatexFragment, start: pos, end: end + 1}, true
}

// endsMath reports whether the character at pos may follow $x$.
func (p *objectParser) endsMath(pos, end int) bool {
	if pos >= end {
		return true
	}
	if c := p.src[pos]; c < utf8.RuneSelf {
		return isSpace(c) || strings.IndexByte("!\"#,.:;?@`()<>[]{}'", c) >= 0
	}
	r, _ := utf8.DecodeRuneInString(p.src[pos:end])
	return unicode.IsPunct(r) || isSpaceRune(r)
}

// backslash reads what starts with "\": a line break, an entity or a LaTeX
// fragment.
func (p *objectParser) backslash(j *objectJob, pos int) (object, bool) {
	s := p.src
	if pos+1 >= j.end {
		return object{}, false
	}
	switch c := s[pos+1]; {
	case c == '\\':
		if !j.set.has(KindLineBreak) || pos > j.start && s[pos-1] == '\\' {
			return object{}, false
		}
		end := skipBlanks(s, pos+2, j.end)
		if end < j.end && s[end] == '\r' {
			end++
		}
		if end < j.end && s[end] != '\n' {
			return object{}, false
		}
		return object{kind: KindLineBreak, start: pos, end: min(end+1, j.end)}, true
	case c == '(' || c == '[':
		if !j.set.has(KindLatexFragment) {
			return object{}, false
		}
		close := `\)`
		if c == '[' {
			close = `\]`
		}
		end, ok := p.find.next(close, pos+2, j.end)
		return object{kind: KindLatexFragment, start: pos, end: end + 2}, ok
	}
	if end := entityEnd(s, pos, j.end); end > 0 && j.set.has(KindEntity) {
		return object{kind: KindEntity, start: pos, end: end}, true
	}
	if end := latexMacroEnd(s, pos, j.end); end > 0 && j.set.has(KindLatexFragment) {
		return object{kind: KindLatexFragment, start: pos, end: end}, true
	}
	return object{}, false
}

// latexMacroEnd matches \name, an optional star, and any number of [x] and
// {x} without brackets or line endings inside.
func latexMacroEnd(s string, pos, end int) int {
	i := pos + 1
	for i < end && isAlpha(s[i]) {
		i++
	}
	if i == pos+1 {
		return 0
	}
	if i < end && s[i] == '*' {
		i++
	}
	for i < end && (s[i] == '[' || s[i] == '{') {
		stop, close := "[]\n{}", byte(']')
		if s[i] == '{' {
			stop, close = "{}\n", '}'
		}
		k := i + 1
		for k < end && strings.IndexByte(stop, s[k]) < 0 {
			k++
		}
		if k == end || s[k] != close {
			break
		}
		i = k + 1
	}
	return i
}
