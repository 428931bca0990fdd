package org

import (
	"strings"
)

// Call runs a named block: a line "#+call: name[inside](args) end" or, in
// text, "call_name[inside](args)[end]".
type Call struct {
	*Node
	Target    Token   // the name of the block, which may be "file.org:name"
	Inside    Token   // header arguments for the block itself
	Arguments []Token // one per ":var" given: "x=1" or just "1"
	EndArgs   Token   // header arguments for the call's result
}

// Call reads a node of [KindCall] or [KindInlineCall].
func (n *Node) Call() (Call, bool) {
	s := n.doc.text
	c := Call{Node: n}
	var pos, end int
	switch n.kind {
	case KindCall:
		l := lineAt(s, n.core().Start)
		pos, end = skipBlanks(s, l.text+len("#+call:"), l.end), l.end
	case KindInlineCall:
		pos, end = n.start+len("call_"), n.end
	default:
		return Call{}, false
	}
	stop := pos
	for stop < end && strings.IndexByte("[]()", s[stop]) < 0 {
		stop++
	}
	c.Target = n.token(trimSpan(s, pos, stop))
	pos = stop
	if after, ok := pairEnd(s, pos, end, '[', ']'); ok {
		c.Inside = n.token(Span{pos + 1, after - 1})
		pos = after
	}
	if after, ok := pairEnd(s, pos, end, '(', ')'); ok {
		c.Arguments = splitArguments(n, Span{pos + 1, after - 1})
		pos = after
	}
	if n.kind == KindInlineCall {
		if after, ok := pairEnd(s, pos, end, '[', ']'); ok {
			c.EndArgs = n.token(Span{pos + 1, after - 1})
		}
	} else if rest := trimSpan(s, pos, end); rest.Len() > 0 {
		c.EndArgs = n.token(rest)
	}
	return c, true
}

// splitArguments cuts at commas outside quotes and brackets.
func splitArguments(n *Node, in Span) []Token {
	if restBlank(n.doc.text, in.Start, in.End) {
		return nil
	}
	var args []Token
	for _, part := range newBalance(n.doc.Text(in)).splitAt(Span{0, in.Len()}, ',') {
		args = append(args, n.token(trimSpan(n.doc.text, in.Start+part.Start, in.Start+part.End)))
	}
	return args
}

// pairEnd returns the offset after the bracket that closes the one at pos;
// only brackets of the same shape count.
func pairEnd(s string, pos, end int, open, close byte) (after int, ok bool) {
	if pos >= end || s[pos] != open {
		return 0, false
	}
	depth := 0
	for i := pos; i < end; i++ {
		switch s[i] {
		case open:
			depth++
		case close:
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return 0, false
}
