package org

import "strings"

// target reads text between marks; it may hold neither "<", ">" nor a line
// ending, and neither starts nor ends with a blank.
func (p *objectParser) target(j *objectJob, pos int, open, close string, kind Kind) (object, bool) {
	if !j.set.has(kind) || !strings.HasPrefix(p.src[pos:j.end], open) {
		return object{}, false
	}
	start := pos + len(open)
	end := start
	for end < j.end && strings.IndexByte("<>\n\r", p.src[end]) < 0 {
		end++
	}
	if end == start || isBlank(p.src[start]) || isBlank(p.src[end-1]) || !strings.HasPrefix(p.src[end:j.end], close) {
		return object{}, false
	}
	return object{kind: kind, start: pos, end: end + len(close), innerStart: start, innerEnd: end}, true
}

// TargetName returns the text of a target or a radio target.
func (n *Node) TargetName() (Token, bool) {
	switch n.kind {
	case KindTarget:
		return n.token(Span{n.start + 2, n.end - 2}), true
	case KindRadioTarget:
		return n.token(Span{n.start + 3, n.end - 3}), true
	}
	return Token{}, false
}
