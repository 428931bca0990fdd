package org

import (
	"strings"
	"unsafe"
)

// Parse reads an org file. It never fails: whatever is not org is text. The
// source is copied, so src may be reused.
func Parse(src []byte) *Document { return ParseString(string(src)) }

// ParseString is [Parse] for text that is already a string.
func ParseString(src string) *Document {
	doc, _ := parse(src, Presets{})
	return doc
}

// ParseOwned is [Parse] without the copy: src must not change any more. Large files
// are in memory once then.
func ParseOwned(src []byte) *Document {
	return ParseString(unsafe.String(unsafe.SliceData(src), len(src)))
}

// ParseWith is [Parse] where settings are in force that the file does not make.
func ParseWith(src []byte, presets Presets) *Document {
	doc, _ := parse(string(src), presets)
	return doc
}

// byteOrderMark may begin a file of UTF-8. It belongs to no element: Emacs
// takes it for how the file is written, not for text.
const byteOrderMark = "\uFEFF"

func parse(src string, presets Presets) (*Document, *parser) {
	p := newParser(src, presets)
	p.outline()
	p.finish()
	return p.doc, p
}

// newParser looks through the text once and begins a tree that holds nothing yet.
func newParser(src string, presets Presets) *parser {
	doc := &Document{text: src, presets: presets}
	begin := 0
	if strings.HasPrefix(src, byteOrderMark) {
		begin = len(byteOrderMark)
	}
	p := &parser{doc: doc, src: src, begin: begin, marks: scanMarks(src, begin), chunk: 16}
	doc.root = p.add(nil, KindDocument, 0, len(src))
	if begin > 0 {
		p.add(doc.root, KindBlank, 0, begin)
	}
	return p
}

// parser builds the tree. It never recurses and never looks at a line more
// often than a small constant: containers wait on a stack of jobs, and ends
// are looked up in marks.
type parser struct {
	doc      *Document
	src      string
	begin    int // where text begins, behind a byte order mark
	marks    *marks
	jobs     []job
	looks    int // see [parser.line]
	problems []Problem
	keywords []*Node // the keywords that settings are read from

	slab    []Node // nodes are cut from here
	chunk   int    // how many nodes to make at a time
	orphans Span   // the last run of affiliated keywords that belong to nothing
	trimmed struct{ from, to int }
	grid    struct{ from, to, end int } // the last table.el candidate looked at
}

// job is a container whose contents wait to be parsed, and the leaf that
// closes it.
type job struct {
	node       *Node
	start, end int
	list       *listShape // the list that an item's contents belong to
	close      Kind
	closeEnd   int
}

// line cuts the line at pos and counts it, so that tests can tell how often
// lines are looked at.
func (p *parser) line(pos int) line {
	p.looks++
	return lineAt(p.src, pos)
}

// add makes a node and appends it to its parent.
func (p *parser) add(parent *Node, kind Kind, start, end int) *Node {
	if len(p.slab) == 0 {
		p.slab = make([]Node, p.chunk)
		p.chunk = min(2*p.chunk, 512)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	*n = Node{doc: p.doc, parent: parent, start: start, end: end, kind: kind}
	if parent != nil {
		if parent.last == nil {
			parent.first = n
		} else {
			parent.last.next = n
		}
		parent.last = n
	}
	return n
}

// open makes a container whose affiliated keywords stand in [start, core).
func (p *parser) open(parent *Node, kind Kind, start, core, end int) *Node {
	n := p.add(parent, kind, start, end)
	for pos := start; pos < core; {
		next := lineEnd(p.src, pos)
		p.add(n, KindAffiliated, pos, next)
		pos = next
	}
	return n
}

// leaf makes an element without structure of its own.
func (p *parser) leaf(parent *Node, kind Kind, start, core, end int) int {
	n := p.open(parent, kind, start, core, end)
	if start < core {
		p.add(n, KindText, core, end)
	}
	return end
}

// outline parses the whole file: headlines nest by their number of stars, and
// the text below each one is a section of its own, which no block crosses.
func (p *parser) outline() {
	type open struct {
		node  *Node
		stars int
	}
	root := p.doc.root
	p.preamble(root, p.begin, p.marks.head(0, len(p.src)))

	stack := []open{{root, 0}}
	for i, start := range p.marks.heads {
		stars := headlineStars(p.src, start)
		for stack[len(stack)-1].stars >= stars {
			stack[len(stack)-1].node.end = start
			stack = stack[:len(stack)-1]
		}
		h := p.headline(stack[len(stack)-1].node, i)
		h.end = len(p.src)
		stack = append(stack, open{h, stars})
	}
}

// preamble parses what stands above the first headline. Blank lines and
// comments may precede the file's own property drawer.
func (p *parser) preamble(root *Node, start, end int) {
	pos := p.blanks(root, start, end)
	for pos < end {
		l := p.line(pos)
		if !p.isComment(l) {
			break
		}
		pos = p.comment(root, l, end)
	}
	pos = p.propertyDrawer(root, pos, end)
	p.contents(job{node: root, start: pos, end: end})
}

// section parses what stands between a headline and the next one: first the
// planning line, then the property drawer, then elements.
func (p *parser) section(h *Node, start, end int) {
	pos := p.planning(h, start, end)
	pos = p.propertyDrawer(h, pos, end)
	p.contents(job{node: h, start: pos, end: end})
}

// contents parses the elements of a container and of everything inside it.
func (p *parser) contents(first job) {
	p.jobs = append(p.jobs, first)
	for len(p.jobs) > 0 {
		j := p.jobs[len(p.jobs)-1]
		p.jobs = p.jobs[:len(p.jobs)-1]
		for pos := j.start; pos < j.end; {
			pos = p.element(&j, pos)
		}
		if j.close != KindDocument {
			p.add(j.node, j.close, j.end, j.closeEnd)
		}
	}
}

// blanks collects the blank lines at pos into one leaf.
func (p *parser) blanks(parent *Node, pos, limit int) int {
	start := pos
	for pos < limit {
		l := p.line(pos)
		if !l.blank() {
			break
		}
		pos = l.next
	}
	if pos > start {
		p.add(parent, KindBlank, start, pos)
	}
	return pos
}

// element parses the one element (or run of blank lines) at pos and returns
// the offset after it.
func (p *parser) element(j *job, pos int) int {
	l := p.line(pos)
	if l.blank() {
		return p.blanks(j.node, pos, j.end)
	}
	// Behind a bullet or a footnote label, only text can start.
	if pos > p.begin && p.src[pos-1] != '\n' {
		return p.paragraph(j.node, pos, pos, j.end)
	}
	if p.isComment(l) {
		return p.comment(j.node, l, j.end)
	}
	if p.isClock(l) {
		return p.leaf(j.node, KindClock, pos, pos, l.next)
	}
	core := p.affiliated(pos, j.end)
	if core > pos {
		l = p.line(core)
	}
	switch p.src[l.text] {
	case '\\':
		if name, ok := latexBegin(p.src, l); ok {
			return p.latex(j, pos, l, name)
		}
	case ':':
		if name, ok := drawerName(p.src, l); ok {
			return p.drawer(j, pos, l, name)
		}
		if isFixedWidth(p.src, l) {
			return p.fixedWidth(j.node, pos, l, j.end)
		}
	case '#':
		return p.hash(j, pos, l)
	case '[':
		if label, ok := footnoteLabel(p.src, l); ok {
			return p.footnote(j, pos, l, label)
		}
	case '-':
		if isRule(p.src, l) {
			return p.leaf(j.node, KindRule, pos, l.start, l.next)
		}
	case '%':
		if l.text == l.start && p.starts(l, "%%(") {
			return p.leaf(j.node, KindDiarySexp, pos, l.start, l.next)
		}
	case '|':
		return p.table(j.node, pos, l, j.end)
	case '+':
		if end, ok := p.tableEl(l, j.end); ok {
			return p.leaf(j.node, KindTableEl, pos, l.start, end)
		}
	}
	if isItem(p.src, l) {
		return p.list(j, pos, l)
	}
	return p.paragraph(j.node, pos, l.start, j.end)
}

// starts reports whether the line's text begins with prefix (lower case),
// whatever the case of the source.
func (p *parser) starts(l line, prefix string) bool {
	return hasPrefixFold(p.src[l.text:l.end], prefix)
}

// hash parses the element at a line that starts with "#": a block, a keyword
// or, failing those, a paragraph.
func (p *parser) hash(j *job, pos int, l line) int {
	switch {
	case !p.starts(l, "#+"):
	case p.starts(l, "#+begin:") && skipBlanks(p.src, l.text+len("#+begin:"), l.end) < l.end:
		return p.block(j, pos, l, ":")
	case p.starts(l, "#+begin_") && l.text+len("#+begin_") < skipWord(p.src, l.text, l.end):
		return p.block(j, pos, l, p.src[l.text+len("#+begin_"):skipWord(p.src, l.text, l.end)])
	case p.starts(l, "#+call:"):
		return p.leaf(j.node, KindCall, pos, l.start, l.next)
	case isKeyword(p.src, l), isAffiliated(p.src, l):
		n := p.add(j.node, KindKeyword, pos, l.next)
		if pos < l.start {
			n = p.reopen(n, pos, l.start)
		}
		p.keywords = append(p.keywords, n)
		p.notePossibleEnd(l)
		return l.next
	}
	return p.paragraph(j.node, pos, l.start, j.end)
}

// reopen gives a leaf that was just added its affiliated keywords.
func (p *parser) reopen(n *Node, start, core int) *Node {
	for pos := start; pos < core; {
		next := lineEnd(p.src, pos)
		p.add(n, KindAffiliated, pos, next)
		pos = next
	}
	p.add(n, KindText, core, n.end)
	return n
}

// trimEnd returns the end of the last line before end that is not blank, not
// before start.
func (p *parser) trimEnd(start, end int) int {
	if p.trimmed.from == end && p.trimmed.to >= start {
		return p.trimmed.to
	}
	to := end
	for to > start {
		prev := lineStart(p.src, to-1)
		if !restBlank(p.src, prev, to) {
			break
		}
		to = prev
	}
	to = max(to, start)
	p.trimmed.from, p.trimmed.to = end, to
	return to
}
