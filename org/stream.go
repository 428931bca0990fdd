package org

import (
	"iter"
	"slices"
)

// Stream reads a file whose tree would need more memory than its text: one
// headline after the other, each with a small tree of its own that the next one
// overwrites.
type Stream struct {
	doc   *Document
	parts *parser
}

// NewStream prepares to read a text. What it says about itself (keywords, file
// tags, properties) is read at once, wherever it stands.
func NewStream(src string, presets Presets) *Stream {
	p := newParser(src, presets)
	s := &Stream{doc: p.doc, parts: p}
	p.preamble(p.doc.root, p.begin, p.marks.head(0, len(src)))
	for _, i := range p.marks.settings {
		p.slab, p.chunk = nil, 1 // what is kept of one section keeps no other in memory
		p.headline(nil, i)
	}
	p.finish()
	p.doc.problems, p.chunk = nil, streamNodes
	return s
}

// Document has the text and the settings of the whole file. Its tree ends at the
// first headline, and it knows no problems.
func (s *Stream) Document() *Document { return s.doc }

// HeadlineCount is the number of headlines.
func (s *Stream) HeadlineCount() int { return len(s.parts.marks.heads) }

// Headlines iterates over all headlines in source order. Each stands alone: it ends
// where the next one begins, whatever that one's level, and lies below no other. Its
// nodes are in use until the next one; its strings are parts of the text and stay.
func (s *Stream) Headlines() iter.Seq[Headline] {
	return func(yield func(Headline) bool) {
		nodes := make([]Node, streamNodes)
		for i := range s.parts.marks.heads {
			s.parts.slab = nodes
			h, _ := s.parts.headline(nil, i).Headline()
			s.parts.keywords, s.parts.problems = s.parts.keywords[:0], s.parts.problems[:0]
			if !yield(h) {
				return
			}
		}
	}
}

// streamNodes is how many nodes of a headline need no memory of their own.
const streamNodes = 512

// headline parses headline i with its own section, and nothing below it.
func (p *parser) headline(parent *Node, i int) *Node {
	start, end := p.marks.heads[i], p.marks.head(i+1, len(p.src))
	h := p.add(parent, KindHeadline, start, end)
	body := lineEnd(p.src, start)
	p.add(h, KindHeadlineLine, start, body)
	p.section(h, body, end)
	return h
}

// head is where headline i begins; end when there are fewer.
func (m *marks) head(i, end int) int {
	if i < len(m.heads) {
		return m.heads[i]
	}
	return end
}

// noteSetting remembers the last headline if the line at pos, in its section, may be
// a keyword that says something about the file.
func (m *marks) noteSetting(s string, pos int) {
	i := len(m.heads) - 1
	if i < 0 || len(m.settings) > 0 && m.settings[len(m.settings)-1] == i {
		return
	}
	if l := lineAt(s, pos); isKeyword(s, l) || isAffiliated(s, l) {
		m.settings = append(m.settings, i)
	}
}

// finish reads what the keywords found so far say about the file.
func (p *parser) finish() {
	d := p.doc
	d.problems = sortProblems(p.problems)
	d.settings = readSettings(d, p.keywords)
	d.keywords = p.keywords
	if !slices.IsSortedFunc(d.keywords, byStart) {
		d.keywords = slices.SortedFunc(slices.Values(d.keywords), byStart)
	}
	p.keywords, p.problems = nil, nil
}

func byStart(a, b *Node) int { return a.start - b.start }
