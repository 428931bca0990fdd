package org

import "strings"

// macro reads {{{name}}} or {{{name(args)}}}.
func (p *objectParser) macro(j *objectJob, pos int) (object, bool) {
	rest := p.src[pos:j.end]
	if !j.set.has(KindMacro) || !strings.HasPrefix(rest, "{{{") || len(rest) < 4 || !isAlpha(rest[3]) {
		return object{}, false
	}
	end := nameEnd(p.src, pos+3, j.end)
	switch {
	case strings.HasPrefix(p.src[end:j.end], "}}}"):
		return object{kind: KindMacro, start: pos, end: end + 3}, true
	case strings.HasPrefix(p.src[end:j.end], "("):
		if close, ok := p.find.next(")}}}", end+1, j.end); ok {
			return object{kind: KindMacro, start: pos, end: close + 4}, true
		}
	}
	return object{}, false
}

// Macro is {{{name(args)}}}.
type Macro struct {
	*Node
	Key  Token   // the name as written; Org ignores its case
	Args []Token // cut at commas that no backslash protects; nil without parentheses
}

// Macro reads a node of [KindMacro].
func (n *Node) Macro() (Macro, bool) {
	if n.kind != KindMacro {
		return Macro{}, false
	}
	s := n.doc.text
	key := nameEnd(s, n.start+3, n.end)
	m := Macro{Node: n, Key: n.token(Span{n.start + 3, key})}
	if s[key] != '(' {
		return m, true
	}
	start, end := key+1, n.end-len(")}}}")
	for i := start; i <= end; i++ {
		if i == end || s[i] == ',' && s[i-1] != '\\' {
			m.Args = append(m.Args, n.token(trimSpan(s, start, i)))
			start = i + 1
		}
	}
	return m, true
}
