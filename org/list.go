package org

import (
	"sort"
	"strings"
)

// isBullet reports whether the line starts with a bullet as far as paragraphs
// are concerned; unlike [isItem] it takes a lone "*" at the margin for one.
func isBullet(s string, l line) bool { return bulletEnd(s, l) > 0 }

// isItem reports whether an item of a list starts at the line.
func isItem(s string, l line) bool {
	return bulletEnd(s, l) > 0 && (s[l.text] != '*' || l.text > l.start)
}

// bulletEnd returns the offset after "-", "+", "*", "1." or "1)" when white
// space or the line's end follows, else 0.
func bulletEnd(s string, l line) int {
	i := l.text
	switch c := s[i]; {
	case c == '-' || c == '+' || c == '*':
		i++
	case isDigit(c):
		for i < l.end && isDigit(s[i]) {
			i++
		}
		if i == l.end || s[i] != '.' && s[i] != ')' {
			return 0
		}
		i++
	default:
		return 0
	}
	if i < l.end && !isBlank(s[i]) {
		return 0
	}
	return i
}

// listShape is the extent of every item of a list and of the lists nested in
// it, found in one pass, by indentation alone.
type listShape struct {
	items []itemShape // in source order
}

type itemShape struct{ start, indent, end int }

// find returns the index of the item that starts at pos, or -1.
func (s *listShape) find(pos int) int {
	if s == nil {
		return -1
	}
	i := sort.Search(len(s.items), func(i int) bool { return s.items[i].start >= pos })
	if i < len(s.items) && s.items[i].start == pos {
		return i
	}
	return -1
}

// list parses the list whose first item is on line l. Items nested in it are
// met again when the contents of their parents are parsed; the shape that was
// found here then serves them too.
func (p *parser) list(j *job, start int, l line) int {
	first := j.list.find(l.start)
	if first < 0 {
		j.list = p.listShape(l, j.end)
		first = j.list.find(l.start)
	}
	shape := j.list
	n := p.open(j.node, KindList, start, l.start, l.start)
	indent := shape.items[first].indent
	for i := first; i >= 0 && shape.items[i].indent == indent; {
		it := shape.items[i]
		end := p.trimEnd(it.start, it.end)
		if n.end < it.start && i != first {
			p.add(n, KindBlank, n.end, it.start)
		}
		p.item(n, it.start, end, shape)
		n.end = end
		i = shape.find(it.end)
	}
	return n.end
}

// item adds one item and queues its contents.
func (p *parser) item(list *Node, start, end int, shape *listShape) {
	n := p.add(list, KindItem, start, end)
	l := p.line(start)
	marker := readMarker(p.src, l)
	body := marker.end
	if body == l.end {
		body = min(l.next, end)
	}
	p.add(n, KindItemMarker, start, body)
	if body < end {
		p.jobs = append(p.jobs, job{node: n, start: body, end: end, list: shape})
	}
}

// listShape measures the list that starts on line l and must end before limit.
func (p *parser) listShape(l line, limit int) *listShape {
	shape := &listShape{}
	var open []int // indexes of the items that are still open, outermost first
	closeTo := func(indent, end int) {
		for len(open) > 0 && indent <= shape.items[open[len(open)-1]].indent {
			shape.items[open[len(open)-1]].end = end
			open = open[:len(open)-1]
		}
	}
	blankRun, textEnd := 0, l.start // lines of white space just passed; end of the last other line
	for pos := l.start; ; {
		if pos >= limit {
			closeTo(0, textEnd)
			return shape
		}
		l = p.line(pos)
		if l.blank() {
			blankRun++
			if blankRun == 2 && p.src[l.next-1] == '\n' {
				closeTo(0, textEnd)
				return shape
			}
			pos = l.next
			continue
		}
		blankRun = 0
		indent := indentOf(p.src, l)
		if isItem(p.src, l) {
			closeTo(indent, pos)
			open = append(open, len(shape.items))
			shape.items = append(shape.items, itemShape{start: pos, indent: indent})
		} else {
			closeTo(indent, textEnd)
			if len(open) == 0 {
				return shape
			}
			l.next = p.skipNested(l, limit)
		}
		pos = l.next
		textEnd = pos
	}
}

// skipNested returns the end of the block or drawer that opens on line l, so
// that its contents do not count for the shape of a list, or the line's end.
func (p *parser) skipNested(l line, limit int) int {
	end, ok := 0, false
	switch {
	case p.starts(l, "#+begin_"):
		if name := p.src[l.text+len("#+begin_") : skipWord(p.src, l.text, l.end)]; name != "" {
			end, ok = p.marks.blockEnd(name, l.next, limit)
		}
	case p.starts(l, "#+begin:"):
		end, ok = firstIn(p.marks.blockEnds[":"], l.next, limit)
	case p.src[l.text] == ':':
		if _, is := drawerName(p.src, l); is {
			end, ok = p.marks.drawerEnd(l.start, limit)
		}
	}
	if ok {
		return lineEnd(p.src, end)
	}
	return l.next
}

// marker is the text before the contents of an item.
type marker struct {
	bullet, counter, checkbox, tag Span
	end                            int // where the contents start on the line
}

// readMarker cuts the line of an item.
func readMarker(s string, l line) marker {
	m := marker{bullet: Span{l.text, bulletEnd(s, l)}}
	pos := skipBlanks(s, m.bullet.End, l.end)
	if hasPrefixFold(s[pos:l.end], "[@") {
		i := pos + len("[@")
		if hasPrefixFold(s[i:l.end], "start:") {
			i += len("start:")
		}
		end := i
		for end < l.end && isDigit(s[end]) {
			end++
		}
		if end == i && end < l.end && isAlpha(s[end]) {
			end++
		}
		if end > i && end < l.end && s[end] == ']' {
			m.counter = Span{i, end}
			pos = skipBlanks(s, end+1, l.end)
		}
	}
	if pos+3 <= l.end && s[pos] == '[' && s[pos+2] == ']' && strings.IndexByte(" Xx-", s[pos+1]) >= 0 &&
		(pos+3 == l.end || isBlank(s[pos+3])) {
		m.checkbox = Span{pos, pos + 3}
		pos = skipBlanks(s, pos+3, l.end)
	}
	if !isDigit(s[l.text]) {
		if start, end, ok := tagSeparator(s, pos, l.end); ok {
			m.tag = Span{pos, start}
			pos = end
		}
	}
	m.end = pos
	return m
}

// tagSeparator finds the last " :: " in [pos, end): where the tag before it
// ends and where the text after it starts.
func tagSeparator(s string, pos, end int) (tagEnd, textStart int, ok bool) {
	for limit := end; ; {
		i := strings.LastIndex(s[pos:limit], "::")
		if i < 1 {
			return 0, 0, false
		}
		at := pos + i
		if isBlank(s[at-1]) && (at+2 == end || isBlank(s[at+2])) {
			tagEnd = at
			for tagEnd > pos && isBlank(s[tagEnd-1]) {
				tagEnd--
			}
			return tagEnd, skipBlanks(s, at+2, end), true
		}
		limit = at + 1
	}
}

// List is a plain list.
type List struct {
	*Node
	Items   []Item
	Ordered bool // the first item has a number
	Tagged  bool // a description list: the first item has a tag
}

// Item is one item of a list.
type Item struct {
	*Node
	Bullet   Token // "-", "+", "*", "3." or "3)"
	Counter  Token // 5 in "[@5]"
	Checkbox Token // "[ ]", "[X]" or "[-]"
	Tag      Token // the term before " :: "
	Body     Span  // everything after the marker
}

// List reads a node of [KindList].
func (n *Node) List() (List, bool) {
	if n.kind != KindList {
		return List{}, false
	}
	list := List{Node: n}
	for c := range n.Children() {
		if item, ok := c.Item(); ok {
			list.Items = append(list.Items, item)
		}
	}
	list.Ordered = isDigit(list.Items[0].Bullet.Text[0])
	list.Tagged = list.Items[0].Tag.Present()
	return list, true
}

// Item reads a node of [KindItem].
func (n *Node) Item() (Item, bool) {
	if n.kind != KindItem {
		return Item{}, false
	}
	m := readMarker(n.doc.text, lineAt(n.doc.text, n.start))
	item := Item{Node: n, Bullet: n.token(m.bullet), Body: Span{n.first.end, n.end}}
	for _, part := range []struct {
		to *Token
		Span
	}{{&item.Counter, m.counter}, {&item.Checkbox, m.checkbox}, {&item.Tag, m.tag}} {
		if part.Span != (Span{}) {
			*part.to = n.token(part.Span)
		}
	}
	return item, true
}
