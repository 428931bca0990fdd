package org

import "strings"

// inlineSrc reads src_lang[args]{code}.
func (p *objectParser) inlineSrc(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindInlineSrc) {
		return object{}, false
	}
	end, ok := p.inline(j, pos, "src_", " \t\n[{")
	return object{kind: KindInlineSrc, start: pos, end: end}, ok
}

// inline reads a word behind a prefix, header arguments in brackets if there are
// any, and what stands in the bracket that must follow: the last of stops, which
// end the word.
func (p *objectParser) inline(j *objectJob, pos int, prefix, stops string) (end int, ok bool) {
	if !strings.HasPrefix(p.src[pos:j.end], prefix) || !p.atWordStart(j, pos) {
		return 0, false
	}
	word := pos + len(prefix)
	at := p.find.stop(stops, word, j.end)
	if at == word || at == j.end {
		return 0, false
	}
	if p.src[at] == '[' {
		if at, _, ok = p.find.pair(at, j.end); !ok {
			return 0, false
		}
	}
	if at == j.end || p.src[at] != stops[len(stops)-1] {
		return 0, false
	}
	end, _, ok = p.find.pair(at, j.end)
	return end, ok
}

// InlineSrc is "src_lang[args]{code}" in text.
type InlineSrc struct {
	*Node
	Lang Token
	Args Token // header arguments
	Body Token // the code as written; see [InlineSrc.Code]
}

// InlineSrc reads a node of [KindInlineSrc].
func (n *Node) InlineSrc() (InlineSrc, bool) {
	if n.kind != KindInlineSrc {
		return InlineSrc{}, false
	}
	s := n.doc.text
	start := n.start + len("src_")
	at := start
	for s[at] != '[' && s[at] != '{' {
		at++
	}
	src := InlineSrc{Node: n, Lang: n.token(Span{start, at})}
	if after, ok := pairEnd(s, at, n.end, '[', ']'); ok {
		src.Args = n.token(Span{at + 1, after - 1})
		at = after
	}
	src.Body = n.token(Span{at + 1, n.end - 1})
	return src, true
}

// Code returns the code as Org runs it: a line ending and the indentation
// behind it become one space.
func (s InlineSrc) Code() string { return joinLines(s.Body.Text) }

func joinLines(text string) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	return strings.Join(lines, " ")
}

// inlineCall reads call_name[inside](args)[end].
func (p *objectParser) inlineCall(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindInlineCall) {
		return object{}, false
	}
	end, ok := p.inline(j, pos, "call_", " \t\n[(")
	if !ok {
		return object{}, false
	}
	if end < j.end && p.src[end] == '[' {
		if after, _, ok := p.find.pair(end, j.end); ok {
			end = after
		}
	}
	return object{kind: KindInlineCall, start: pos, end: end}, true
}

// InlineResult returns the macro {{{results(…)}}} that follows an inline
// source block or call, with the blanks before it: the bytes that a new
// result replaces. The node must come from [Document.Objects].
func (n *Node) InlineResult() (Span, bool) {
	next := n.next
	start := n.end
	if next != nil && next.kind == KindText && strings.Trim(next.Text(), " \t\r\n") == "" {
		next = next.next
	}
	if next == nil || next.kind != KindMacro {
		return Span{}, false
	}
	if m, _ := next.Macro(); !strings.EqualFold(m.Key.Text, "results") {
		return Span{}, false
	}
	return Span{start, next.end}, true
}
