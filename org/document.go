package org

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Document is one parsed org file. It is immutable and safe for use by
// several goroutines; what it derives on request (line numbers, indexes by
// name) it computes once.
type Document struct {
	text     string
	root     *Node
	problems []Problem
	settings settings
	keywords []*Node // those that belong to no element, in source order
	presets  Presets

	linesOnce sync.Once
	lines     []int // offset of the first byte of each line

	leavesOnce sync.Once
	leaves     []*Node

	namesOnce sync.Once
	names     nameIndex

	radioOnce sync.Once
	radio     *radioTrie
}

// Source returns the text the document was parsed from.
func (d *Document) Source() string { return d.text }

// Bytes returns a copy of the source: what printing the tree gives.
func (d *Document) Bytes() []byte { return []byte(d.text) }

// String prints the tree by joining its leaves, which gives the source back.
func (d *Document) String() string {
	var b strings.Builder
	b.Grow(len(d.text))
	for leaf := range d.root.Leaves() {
		b.WriteString(leaf.Text())
	}
	return b.String()
}

// Root returns the root of the tree, of kind [KindDocument].
func (d *Document) Root() *Node { return d.root }

// All iterates over every node in source order, parents before children.
func (d *Document) All() iter.Seq[*Node] { return d.root.Walk() }

// Nodes iterates over the nodes of the given kinds in source order.
func (d *Document) Nodes(kinds ...Kind) iter.Seq[*Node] {
	var want [256]bool
	for _, k := range kinds {
		want[k] = true
	}
	return func(yield func(*Node) bool) {
		for n := range d.root.Walk() {
			if want[n.kind] && !yield(n) {
				return
			}
		}
	}
}

// Text returns the source text of a span.
func (d *Document) Text(s Span) string { return d.text[s.Start:s.End] }

// Token cuts a span out of the source.
func (d *Document) Token(s Span) Token { return Token{s, d.text[s.Start:s.End]} }

// At returns the leaf that owns the byte at offset; the last leaf for the
// offset just after the end. It returns nil for an offset out of range and
// the root when the document is empty.
func (d *Document) At(offset int) *Node {
	if offset < 0 || offset > len(d.text) {
		return nil
	}
	d.leavesOnce.Do(func() { d.leaves = slices.Collect(d.root.Leaves()) })
	i := sort.Search(len(d.leaves), func(i int) bool { return d.leaves[i].end > offset })
	return d.leaves[min(i, len(d.leaves)-1)]
}

// Position converts a byte offset to a line and a column, both counted from
// one; the column counts bytes, as Go's own tools do. Offsets out of range
// are clamped.
func (d *Document) Position(offset int) (line, col int) {
	d.indexLines()
	offset = min(max(offset, 0), len(d.text))
	line = sort.SearchInts(d.lines, offset+1)
	return line, offset - d.lines[line-1] + 1
}

// Line returns the extent of the 1-based line without its line ending, and
// false when the document has no such line.
func (d *Document) Line(line int) (Span, bool) {
	d.indexLines()
	if line < 1 || line > len(d.lines) {
		return Span{}, false
	}
	start := d.lines[line-1]
	end := lineEnd(d.text, start)
	return Span{start, trimEOL(d.text, start, end)}, true
}

// LineCount returns the number of lines; text after the last newline counts
// as one, and so does the empty document.
func (d *Document) LineCount() int {
	d.indexLines()
	return len(d.lines)
}

func (d *Document) indexLines() {
	d.linesOnce.Do(func() {
		d.lines = append(d.lines, 0)
		for i := 0; i < len(d.text); {
			i = lineEnd(d.text, i)
			if i < len(d.text) {
				d.lines = append(d.lines, i)
			}
		}
	})
}

// CRLF reports whether the document's first line ends with "\r\n", so that
// text written into it should too.
func (d *Document) CRLF() bool {
	i := strings.IndexByte(d.text, '\n')
	return i > 0 && d.text[i-1] == '\r'
}
