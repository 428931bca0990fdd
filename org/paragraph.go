package org

import "strings"

// paragraph parses text: the line at core and those below it, up to a blank
// line or one where another element starts.
func (p *parser) paragraph(parent *Node, start, core, limit int) int {
	l := p.line(core)
	p.notePossibleEnd(l)
	pos := l.next
	for pos < limit {
		l = p.line(pos)
		if l.blank() || p.endsParagraph(l, limit) {
			break
		}
		pos = l.next
	}
	return p.leaf(parent, KindParagraph, start, core, pos)
}

// endsParagraph reports whether another element starts at the line. Blocks,
// drawers and environments count only when they are closed before the limit.
func (p *parser) endsParagraph(l line, limit int) bool {
	s := p.src
	switch s[l.text] {
	case '#':
		if p.isComment(l) {
			return true
		}
		if p.starts(l, "#+begin_") {
			begin := l.text + len("#+begin_")
			if end := skipWord(s, begin, l.end); end > begin {
				return p.closes(l, s[begin:end], limit)
			}
		}
		if endsAtKeyword(s, l) {
			return true
		}
		p.notePossibleEnd(l)
		return false
	case ':':
		if _, ok := drawerName(s, l); ok {
			if isDrawerEnd(s, l.text, l.next) {
				_, ok := p.marks.drawerEnd(l.next, limit)
				if !ok {
					p.note(StrayEnd, l, ":END:")
				}
				return ok
			}
			return p.drawerCloses(l, limit)
		}
		return isFixedWidth(s, l)
	case '[':
		_, ok := footnoteLabel(s, l)
		return ok
	case '%':
		return l.text == l.start && p.starts(l, "%%(")
	case '|':
		return true
	case '-':
		return isRule(s, l) || isBullet(s, l)
	case '+':
		return isTableElRule(s, l) || isBullet(s, l)
	case '*':
		return isBullet(s, l)
	case '\\':
		name, ok := latexBegin(s, l)
		if !ok {
			return false
		}
		return p.latexCloses(l, name, limit)
	case 'c', 'C':
		return p.isClock(l)
	}
	return isDigit(s[l.text]) && isBullet(s, l)
}

// endsAtKeyword reports whether a line that starts with "#" is a keyword as
// far as paragraphs are concerned: a key with an option in brackets must be
// one that takes an option.
func endsAtKeyword(s string, l line) bool {
	if !strings.HasPrefix(s[l.text:l.end], "#+") {
		return false
	}
	start := l.text + len("#+")
	word := s[start:skipWord(s, start, l.end)]
	if open := strings.LastIndexByte(word, '['); open > 0 && strings.Contains(s[start+open:l.end], "]:") {
		return isDual(word[:strings.IndexByte(word, '[')])
	}
	return strings.LastIndexByte(word, ':') > 0
}

// isComment reports whether the line is "# text" or "#".
func (p *parser) isComment(l line) bool {
	return p.src[l.text] == '#' && (l.text+1 == l.end || p.src[l.text+1] == ' ')
}

// comment parses consecutive comment lines.
func (p *parser) comment(parent *Node, l line, limit int) int {
	start := l.start
	pos := l.next
	for pos < limit {
		l = p.line(pos)
		if l.blank() || !p.isComment(l) {
			break
		}
		pos = l.next
	}
	p.add(parent, KindComment, start, pos)
	return pos
}

// isFixedWidth reports whether the line is ": text" or ":".
func isFixedWidth(s string, l line) bool {
	return s[l.text] == ':' && (l.text+1 == l.end || s[l.text+1] == ' ')
}

// fixedWidth parses consecutive fixed-width lines.
func (p *parser) fixedWidth(parent *Node, start int, l line, limit int) int {
	core, pos := l.start, l.next
	for pos < limit {
		l = p.line(pos)
		if l.blank() || !isFixedWidth(p.src, l) {
			break
		}
		pos = l.next
	}
	return p.leaf(parent, KindFixedWidth, start, core, pos)
}

// isRule reports whether the line is five dashes or more and nothing else.
func isRule(s string, l line) bool {
	if l.end-l.text < 5 {
		return false
	}
	for i := l.text; i < l.end; i++ {
		if s[i] != '-' {
			return false
		}
	}
	return true
}
