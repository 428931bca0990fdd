package org

import (
	"iter"
	"strings"
)

// Result is a "#+RESULTS:" line and what org-babel would replace below it.
type Result struct {
	Line    Span  // the #+RESULTS line with its line ending
	Hash    Token // of "#+RESULTS[hash]:", without the time that may stand before it
	Name    Token // of "#+RESULTS: name"; absent when anonymous
	Body    Span  // from the next line to the end of the result; empty when there is none
	Element *Node // the element in Body; nil when Body is empty or a link alone on its line
}

// Results iterates over all #+RESULTS: lines in source order.
func (d *Document) Results() iter.Seq[Result] {
	return func(yield func(Result) bool) {
		for n := range d.Nodes(KindKeyword, KindAffiliated) {
			if r, ok := n.result(); ok && !yield(r) {
				return
			}
		}
	}
}

// ResultNamed returns the first "#+RESULTS: name" of the file, whatever its
// case; Org looks for it anywhere.
func (d *Document) ResultNamed(name string) (Result, bool) {
	d.indexNames()
	n, ok := d.names.results[strings.ToLower(name)]
	if !ok {
		return Result{}, false
	}
	return n.result()
}

// ResultOf returns the result that belongs to a source block or a call: by
// name if it has one, else the anonymous result that is the next element
// below it within the same parent.
func (d *Document) ResultOf(n *Node) (Result, bool) {
	if name := n.Name(); name.Present() {
		return d.ResultNamed(name.Text)
	}
	next := n.next
	if next != nil && next.kind == KindBlank {
		next = next.next
	}
	if next == nil {
		return Result{}, false
	}
	if next.kind == KindKeyword {
		if r, ok := next.result(); ok && r.anonymous() {
			return r, true
		}
	}
	for c := next.first; c != nil && c.kind == KindAffiliated; c = c.next {
		if r, ok := c.result(); ok && r.anonymous() {
			return r, true
		}
	}
	return Result{}, false
}

// anonymous reports whether the line is one that Org takes for the result of
// the unnamed block above it: no name, and in brackets nothing but a hash.
func (r Result) anonymous() bool {
	for _, c := range []byte(r.Hash.Text) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return r.Name.Text == ""
}

// result reads a keyword line as the head of a result.
func (n *Node) result() (Result, bool) {
	line := n.Span()
	if n.kind == KindKeyword {
		line = n.core()
	}
	k := readKeyword(n)
	if !strings.EqualFold(k.Key.Text, "results") {
		return Result{}, false
	}
	r := Result{Line: line, Hash: k.Option, Body: Span{line.End, line.End}}
	if i := hashStamp(k.Option.Text); i > 0 {
		r.Hash = n.token(Span{k.Option.Start + i, k.Option.End})
	}
	if k.Value.Len() > 0 {
		r.Name = k.Value
	}
	r.extend(n)
	return r, true
}

// hashStamp returns the length of the time, "(YYYY-MM-DD hh:mm:ss) ", that may
// stand before a hash.
func hashStamp(option string) int {
	const form = "(dddd-dd-dd dd:dd:dd) "
	if len(option) < len(form) {
		return 0
	}
	for i := range len(form) {
		if form[i] == 'd' && !isDigit(option[i]) || form[i] != 'd' && form[i] != option[i] {
			return 0
		}
	}
	return len(form)
}

// extend finds the end of the result.
func (r *Result) extend(n *Node) {
	s := n.doc.text
	if n.kind != KindAffiliated || r.Line.End >= len(s) {
		return
	}
	l := lineAt(s, r.Line.End)
	if l.blank() {
		return
	}
	if isLinkLine(s, l) {
		r.Body.End = l.next
		return
	}
	switch n.parent.kind {
	case KindDrawer, KindExampleBlock, KindExportBlock, KindFixedWidth, KindSpecialBlock, KindSrcBlock,
		KindList, KindTable, KindTableEl, KindLatexEnv:
		r.Body.End = n.parent.end
		r.Element = n.parent
	}
}

// isLinkLine reports whether the line is one bracket link and nothing else.
func isLinkLine(s string, l line) bool {
	target, ok := linkTarget(s, l.text, l.end)
	if !ok {
		return false
	}
	rest := s[target.End+1 : l.end]
	return rest == "]" || len(rest) > 3 && rest[0] == '[' && strings.HasSuffix(rest, "]]")
}

// linkTarget reads "[[target]" at pos. A bracket in it must be escaped.
func linkTarget(s string, pos, end int) (target Span, ok bool) {
	if !strings.HasPrefix(s[pos:end], "[[") {
		return Span{}, false
	}
	start := pos + 2
	for i := start; i < end; i++ {
		switch s[i] {
		case '\\':
			slashes := i
			for i < end && s[i] == '\\' {
				i++
			}
			if i == end {
				return Span{}, false
			}
			if c := s[i]; (c == '[' || c == ']') && (i-slashes)%2 == 0 {
				i-- // the bracket itself is not escaped
			}
		case ']':
			return Span{start, i}, i > start
		case '[':
			return Span{}, false
		}
	}
	return Span{}, false
}
