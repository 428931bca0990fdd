package org

import (
	"strings"
	"unicode/utf8"
)

// citation reads [cite/style:prefix; @key …; suffix].
func (p *objectParser) citation(j *objectJob, pos int) (object, bool) {
	start := citePrefix(p.src, pos, j.end)
	if start == 0 {
		return object{}, false
	}
	end, _, ok := p.find.pair(pos, j.end)
	if !ok || start >= end {
		return object{}, false
	}
	if _, ok := p.nextKey(start, end-1); !ok {
		return object{}, false
	}
	inner := end - 1
	for inner > start && isSpace(p.src[inner-1]) {
		inner--
	}
	return object{kind: KindCitation, start: pos, end: end, innerStart: start, innerEnd: inner}, true
}

// citePrefix matches "[cite/style:" and white space; 0 when it is not there.
func citePrefix(s string, pos, end int) int {
	if !hasPrefixFold(s[pos:end], "[cite") {
		return 0
	}
	i := pos + len("[cite")
	if i < end && s[i] == '/' {
		style := i + 1
		for i = style; i < end && (isAlnum(s[i]) || strings.IndexByte("/_-", s[i]) >= 0); i++ {
		}
		if i == style {
			return 0
		}
	}
	if i == end || s[i] != ':' {
		return 0
	}
	for i++; i < end && isSpace(s[i]); i++ {
	}
	return i
}

// nextKey finds "@key" in [from, limit).
func (p *objectParser) nextKey(from, limit int) (Span, bool) {
	for {
		at, ok := p.find.next("@", from, limit)
		if !ok {
			return Span{}, false
		}
		if end := keyEnd(p.src, at+1, limit); end > at+1 {
			return Span{at, end}, true
		}
		from = at + 1
	}
}

func keyEnd(s string, pos, end int) int {
	for pos < end {
		c := s[pos]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && strings.IndexByte("!#$%&'()*+-./:<>?@^_`{|}~", c) < 0 {
				return pos
			}
			pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[pos:end])
		if !isWordRune(r) {
			return pos
		}
		pos += size
	}
	return pos
}

// citationParts cuts a citation into references: a key with the text around
// it, up to a semicolon. What stands before the last semicolon in front of the
// first key is the common prefix; a last part without a key is the common
// suffix.
func (p *objectParser) citationParts(n *Node, o object) {
	p.add(n, KindMarkup, o.start, o.innerStart)
	pos, end := o.innerStart, o.innerEnd
	key, _ := p.nextKey(pos, end)
	if i, ok := p.find.prev(";", pos, key.Start); ok {
		p.affix(n, pos, i+1)
		pos = i + 1
	}
	for pos < end {
		key, ok := p.nextKey(pos, end)
		if !ok {
			p.affix(n, pos, end)
			break
		}
		stop, after := end, end
		if i, ok := p.find.next(";", key.End, end); ok {
			stop, after = i, i+1
		}
		ref := p.add(n, KindCitationRef, pos, after)
		// Jobs are taken from the end: the prefix and its key come first.
		p.todo = append(p.todo, objectJob{ref, key.End, stop, citeSet, after},
			objectJob{ref, pos, key.Start, citeSet, key.End})
		pos = after
	}
	p.add(n, KindMarkup, o.innerEnd, o.end)
}

// affix adds the text that all references of a citation share.
func (p *objectParser) affix(n *Node, start, end int) {
	a := p.add(n, KindCitationText, start, end)
	text := cutSemicolon(p.src, a.Span())
	p.todo = append(p.todo, objectJob{a, text.Start, text.End, citeSet, end})
}

// Citation is [cite/style:prefix; see @key p. 3; suffix].
type Citation struct {
	*Node
	Style          Token
	Prefix, Suffix Token // what all references share
	Refs           []CitationRef
}

// CitationRef is one key of a citation with the text around it.
type CitationRef struct {
	*Node
	Prefix, Key, Suffix Token // Key is without its "@"
}

// Citation reads a node of [KindCitation].
func (n *Node) Citation() (Citation, bool) {
	if n.kind != KindCitation {
		return Citation{}, false
	}
	c := Citation{Node: n}
	s := n.doc.text
	if i := n.start + len("[cite"); s[i] == '/' {
		c.Style = n.token(Span{i + 1, n.start + strings.IndexByte(n.Text(), ':')})
	}
	for part := range n.Children() {
		switch {
		case part.kind == KindCitationRef:
			c.Refs = append(c.Refs, readCitationRef(part))
		case part.kind == KindCitationText && len(c.Refs) == 0:
			c.Prefix = n.token(cutSemicolon(s, part.Span()))
		case part.kind == KindCitationText:
			c.Suffix = n.token(cutSemicolon(s, part.Span()))
		}
	}
	return c, true
}

func readCitationRef(n *Node) CitationRef {
	r := CitationRef{Node: n}
	in := cutSemicolon(n.doc.text, n.Span())
	for c := n.first; c != nil; c = c.next {
		if c.kind == KindMarkup && c.end-c.start > 1 {
			r.Prefix, r.Key, r.Suffix = n.token(Span{in.Start, c.start}), n.token(Span{c.start + 1, c.end}), n.token(Span{c.end, max(in.End, c.end)})
			break
		}
	}
	return r
}

func cutSemicolon(s string, in Span) Span {
	if in.Len() > 0 && s[in.End-1] == ';' {
		in.End--
	}
	return in
}
