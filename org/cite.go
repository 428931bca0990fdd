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
	end, ok := p.find.pair(pos, j.end)
	if !ok || start >= end {
		return object{}, false
	}
	if _, ok := p.nextKey(start, end-1); !ok {
		return object{}, false
	}
	return object{kind: KindCitation, start: pos, end: end, innerStart: start, innerEnd: end - 1}, true
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
			if !isAlnum(c) && strings.IndexByte("!#$%&'*+-./:<>?@^_`{|}~=", c) < 0 {
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

// citationParts cuts a citation at its semicolons. A part with a key is a
// reference; a first or last part without one is the common prefix or suffix.
func (p *objectParser) citationParts(n *Node, o object) {
	p.add(n, KindMarkup, o.start, o.innerStart)
	for pos := o.innerStart; pos < o.innerEnd; {
		end := o.innerEnd
		if i, ok := p.find.next(";", pos, o.innerEnd); ok {
			end = i + 1
		}
		if _, ok := p.nextKey(pos, end); ok {
			ref := p.add(n, KindCitationRef, pos, end)
			p.todo = append(p.todo, objectJob{ref, pos, end, citeSet, end})
		} else {
			p.add(n, KindText, pos, end)
		}
		pos = end
	}
	p.add(n, KindMarkup, o.innerEnd, o.end)
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
		case part.kind == KindText && len(c.Refs) == 0:
			c.Prefix = n.token(cutSemicolon(s, part.Span()))
		case part.kind == KindText:
			c.Suffix = n.token(cutSemicolon(s, part.Span()))
		}
	}
	return c, true
}

func readCitationRef(n *Node) CitationRef {
	s := n.doc.text
	in := cutSemicolon(s, n.Span())
	r := CitationRef{Node: n}
	for at := in.Start; at < in.End; at++ {
		if s[at] != '@' {
			continue
		}
		if end := keyEnd(s, at+1, in.End); end > at+1 {
			r.Prefix, r.Key, r.Suffix = n.token(Span{in.Start, at}), n.token(Span{at + 1, end}), n.token(Span{end, in.End})
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

// rowObjects parses the cells of a table row.
func (d *Document) rowObjects(n *Node, radio *radioTrie) *Node {
	l := lineAt(d.text, n.start)
	p := d.newObjectParser(n.Span(), radio)
	root := p.add(nil, KindObjects, n.start, n.end)
	root.parent = n
	p.add(root, KindMarkup, n.start, l.text+1)
	for pos := l.text + 1; pos < l.end; {
		end, after := l.end, l.end
		if i := strings.IndexByte(d.text[pos:l.end], '|'); i >= 0 {
			end, after = pos+i, pos+i+1
		}
		cell := p.add(root, KindTableCell, pos, after)
		inner := trimSpan(d.text, pos, end)
		if inner.Len() > 0 {
			if inner.Start > pos {
				p.add(cell, KindMarkup, pos, inner.Start)
			}
			p.run(objectJob{cell, inner.Start, inner.End, cellSet, after})
		}
		pos = after
	}
	if l.end < n.end {
		p.add(root, KindMarkup, l.end, n.end)
	}
	return root
}
