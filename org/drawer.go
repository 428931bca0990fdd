package org

import (
	"iter"
	"strings"
)

// Drawer is ":NAME:" … ":END:".
type Drawer struct {
	*Node
	Label Token // between the colons
	Body  Span  // the lines between the first and the last
}

// Drawer reads a node of [KindDrawer] or [KindPropertyDrawer].
func (n *Node) Drawer() (Drawer, bool) {
	if n.kind != KindDrawer && n.kind != KindPropertyDrawer {
		return Drawer{}, false
	}
	begin, end := n.child(KindDrawerBegin), n.last
	l := lineAt(n.doc.text, begin.start)
	return Drawer{n, n.token(Span{l.text + 1, l.end - 1}), Span{begin.end, end.start}}, true
}

// Is reports whether the drawer has the given name, whatever its case.
func (d Drawer) Is(name string) bool { return strings.EqualFold(d.Label.Text, name) }

// Property is one line ":KEY: value" of a property drawer.
type Property struct {
	*Node
	Key    Token // as written, without colons and without a final "+"
	Value  Token // without surrounding white space
	Append bool  // written ":KEY+:": the value is added to the inherited one
}

// Is reports whether the property has the given key, whatever its case.
func (p Property) Is(key string) bool { return strings.EqualFold(p.Key.Text, key) }

// Property reads a node of [KindProperty].
func (n *Node) Property() (Property, bool) {
	if n.kind != KindProperty {
		return Property{}, false
	}
	s := n.doc.text
	l := lineAt(s, n.start)
	word := skipWord(s, l.text, l.end)
	p := Property{Node: n, Key: n.token(Span{l.text + 1, word - 1}), Value: n.token(trimSpan(s, word, l.end))}
	if key := p.Key.Text; len(key) > 1 && key[len(key)-1] == '+' {
		p.Key = n.token(Span{l.text + 1, word - 2})
		p.Append = true
	}
	return p, true
}

// properties iterates over the lines of a property drawer; n may be nil.
func properties(n *Node) iter.Seq[Property] {
	return func(yield func(Property) bool) {
		if n == nil {
			return
		}
		for c := n.first; c != nil; c = c.next {
			if p, ok := c.Property(); ok && !yield(p) {
				return
			}
		}
	}
}

// propertyDrawerOf returns the property drawer of a headline or of the
// document. It stands before any other content, so only the few nodes that may
// come first are looked at.
func propertyDrawerOf(n *Node) *Node {
	for c := n.first; c != nil; c = c.next {
		switch c.kind {
		case KindPropertyDrawer:
			return c
		case KindHeadlineLine, KindPlanning, KindBlank, KindComment:
		default:
			return nil
		}
	}
	return nil
}

// drawerName reads the line as ":NAME:".
func drawerName(s string, l line) (name string, ok bool) {
	if s[l.text] != ':' || s[l.end-1] != ':' || l.end-l.text < 3 {
		return "", false
	}
	if skipName(s, l.text+1, l.end-1) != l.end-1 {
		return "", false
	}
	return s[l.text+1 : l.end-1], true
}

// drawer parses the drawer that opens on line l.
func (p *parser) drawer(j *job, start int, l line, name string) int {
	end, ok := p.marks.drawerEnd(l.next, j.end)
	if !ok {
		if !strings.EqualFold(name, "end") {
			p.note(UnterminatedDrawer, l, name)
		}
		return p.paragraph(j.node, start, l.start, j.end)
	}
	closeEnd := lineEnd(p.src, end)
	n := p.open(j.node, KindDrawer, start, l.start, closeEnd)
	p.add(n, KindDrawerBegin, l.start, l.next)
	p.jobs = append(p.jobs, job{node: n, start: l.next, end: end, close: KindDrawerEnd, closeEnd: closeEnd})
	return closeEnd
}

// drawerCloses reports whether the drawer ends before the limit, and notes it
// if not.
func (p *parser) drawerCloses(l line, limit int) bool {
	_, ok := p.marks.drawerEnd(l.next, limit)
	if !ok {
		p.note(UnterminatedDrawer, l, p.src[l.text+1:l.end-1])
	}
	return ok
}

// propertyDrawer parses a property drawer if one stands exactly at pos.
func (p *parser) propertyDrawer(parent *Node, pos, limit int) int {
	if pos >= limit {
		return pos
	}
	l := p.line(pos)
	if l.blank() || !p.starts(l, ":properties:") || l.end-l.text != len(":properties:") {
		return pos
	}
	end := l.next
	for {
		if end >= limit {
			return pos
		}
		l := p.line(end)
		if l.blank() {
			return pos
		}
		if isDrawerEnd(p.src, l.text, l.next) {
			break
		}
		if !isProperty(p.src, l) {
			return pos
		}
		end = l.next
	}
	closeEnd := lineEnd(p.src, end)
	n := p.add(parent, KindPropertyDrawer, pos, closeEnd)
	p.add(n, KindDrawerBegin, pos, l.next)
	for at := l.next; at < end; {
		next := lineEnd(p.src, at)
		p.add(n, KindProperty, at, next)
		at = next
	}
	p.add(n, KindDrawerEnd, end, closeEnd)
	return closeEnd
}

// isProperty reports whether the line is ":KEY: value": its first word starts
// and ends with a colon.
func isProperty(s string, l line) bool {
	word := skipWord(s, l.text, l.end)
	return s[l.text] == ':' && word-l.text >= 3 && s[word-1] == ':'
}
