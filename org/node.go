package org

import "iter"

// Span is a half-open byte range [Start, End) of a document's source.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Contains reports whether t lies within s.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Token is a piece of source text with its place. The zero Token means that
// the piece is absent.
type Token struct {
	Span
	Text string
}

// Present reports whether the piece stands in the source, even if empty.
func (t Token) Present() bool { return t.Span != Span{} || t.Text != "" }

// String returns the text.
func (t Token) String() string { return t.Text }

// Node is one node of the syntax tree: a byte range with a kind. The children
// of a node are in source order, touch each other, and cover it exactly; a
// node without children is a leaf and owns its bytes. Nodes are immutable and
// safe for use by several goroutines.
//
// A node knows nothing but its extent. What it means is read through a view:
// [Node.Headline], [Node.Block], [Node.Table] and so on.
type Node struct {
	doc                       *Document
	parent, first, last, next *Node
	start, end                int
	kind                      Kind
}

// Kind says what the node is.
func (n *Node) Kind() Kind { return n.kind }

// Document returns the document that the node belongs to.
func (n *Node) Document() *Document { return n.doc }

// Span returns the node's byte range: affiliated keywords included, blank
// lines after it excluded.
func (n *Node) Span() Span { return Span{n.start, n.end} }

// Start returns the offset of the node's first byte.
func (n *Node) Start() int { return n.start }

// End returns the offset just after the node's last byte.
func (n *Node) End() int { return n.end }

// Text returns the node's source text.
func (n *Node) Text() string { return n.doc.text[n.start:n.end] }

// Parent returns the enclosing node, nil for a root.
func (n *Node) Parent() *Node { return n.parent }

// FirstChild returns the first child, nil for a leaf.
func (n *Node) FirstChild() *Node { return n.first }

// Next returns the next sibling, nil for the last one.
func (n *Node) Next() *Node { return n.next }

// IsLeaf reports whether the node owns its bytes itself.
func (n *Node) IsLeaf() bool { return n.first == nil }

// Children iterates over the node's children in source order.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.first; c != nil; c = c.next {
			if !yield(c) {
				return
			}
		}
	}
}

// Walk iterates over the node and everything below it in source order,
// parents before children.
func (n *Node) Walk() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n; c != nil; c = c.after(n) {
			if !yield(c) {
				return
			}
		}
	}
}

// after returns the node that follows n in preorder below root, nil at the end.
func (n *Node) after(root *Node) *Node {
	if n.first != nil {
		return n.first
	}
	for n != root {
		if n.next != nil {
			return n.next
		}
		n = n.parent
	}
	return nil
}

// Leaves iterates over the leaves at and below the node; their texts joined
// are the node's text.
func (n *Node) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := range n.Walk() {
			if c.first == nil && !yield(c) {
				return
			}
		}
	}
}

// Ancestors iterates from the node's parent up to the root.
func (n *Node) Ancestors() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for p := n.parent; p != nil; p = p.parent {
			if !yield(p) {
				return
			}
		}
	}
}

// child returns the first child of the given kind, nil when there is none.
func (n *Node) child(k Kind) *Node {
	for c := n.first; c != nil; c = c.next {
		if c.kind == k {
			return c
		}
	}
	return nil
}

// core returns the extent of the element without its affiliated keywords.
func (n *Node) core() Span {
	start := n.start
	for c := n.first; c != nil && c.kind == KindAffiliated; c = c.next {
		start = c.end
	}
	return Span{start, n.end}
}

// token cuts a piece out of the node's document.
func (n *Node) token(s Span) Token { return n.doc.Token(s) }
