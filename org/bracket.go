package org

import "strings"

// bracket reads what starts with "[": a link, a footnote reference, a
// citation, a timestamp or a statistics cookie.
func (p *objectParser) bracket(j *objectJob, pos int) (object, bool) {
	if pos+1 >= j.end {
		return object{}, false
	}
	rest := p.src[pos:j.end]
	switch c := rest[1]; {
	case c == '[':
		if j.set.has(KindLink) {
			return p.bracketLink(j, pos)
		}
	case c == 'f' || c == 'F':
		if j.set.has(KindFootnoteRef) && hasPrefixFold(rest, "[fn:") {
			return p.footnoteRef(j, pos)
		}
	case c == 'c' || c == 'C':
		if j.set.has(KindCitation) {
			return p.citation(j, pos)
		}
	default:
		if j.set.has(KindTimestamp) {
			if o, ok := p.timestamp(j, pos); ok {
				return o, true
			}
		}
		if j.set.has(KindCookie) {
			if end := cookieEnd(p.src, pos, j.end); end > 0 {
				return object{kind: KindCookie, start: pos, end: end}, true
			}
		}
	}
	return object{}, false
}

// cookieEnd matches "[1/3]" or "[33%]", digits optional.
func cookieEnd(s string, pos, end int) int {
	i := pos + 1
	for i < end && isDigit(s[i]) {
		i++
	}
	if i < end && s[i] == '/' {
		for i++; i < end && isDigit(s[i]); i++ {
		}
	} else if i < end && s[i] == '%' {
		i++
	} else {
		return 0
	}
	if i < end && s[i] == ']' {
		return i + 1
	}
	return 0
}

// angle reads what starts with "<": a target, a radio target, a timestamp or
// an angle link.
func (p *objectParser) angle(j *objectJob, pos int) (object, bool) {
	rest := p.src[pos:j.end]
	switch {
	case strings.HasPrefix(rest, "<<"):
		if o, ok := p.target(j, pos, "<<<", ">>>", KindRadioTarget); ok {
			o.set = minimalSet
			return o, true
		}
		o, ok := p.target(j, pos, "<<", ">>", KindTarget)
		o.innerStart = 0
		return o, ok
	case strings.HasPrefix(rest, "<%%("):
		return p.diary(j, pos)
	}
	if j.set.has(KindTimestamp) {
		if o, ok := p.timestamp(j, pos); ok {
			return o, true
		}
	}
	if j.set.has(KindLink) {
		return p.angleLink(j, pos)
	}
	return object{}, false
}
