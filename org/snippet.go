package org

import "strings"

// snippet reads @@backend:text@@.
func (p *objectParser) snippet(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindExportSnippet) || !strings.HasPrefix(p.src[pos:j.end], "@@") {
		return object{}, false
	}
	name := pos + 2
	end := name
	for end < j.end && (isAlnum(p.src[end]) || p.src[end] == '-') {
		end++
	}
	if end == name || end == j.end || p.src[end] != ':' {
		return object{}, false
	}
	close, ok := p.find.next("@@", end+1, j.end)
	return object{kind: KindExportSnippet, start: pos, end: close + 2}, ok
}

// ExportSnippet is @@backend:value@@.
type ExportSnippet struct {
	*Node
	Backend, Value Token
}

// ExportSnippet reads a node of [KindExportSnippet].
func (n *Node) ExportSnippet() (ExportSnippet, bool) {
	if n.kind != KindExportSnippet {
		return ExportSnippet{}, false
	}
	colon := n.start + strings.IndexByte(n.Text(), ':')
	return ExportSnippet{n, n.token(Span{n.start + 2, colon}), n.token(Span{colon + 1, n.end - 2})}, true
}
