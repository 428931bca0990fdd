package lsp

import (
	"sync"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// analysis holds the facts about one version of a text. It never changes, so
// requests read it without locks.
type analysis struct {
	uri     string
	file    string
	version int
	text    *text
	doc     *org.Document

	planning sync.Once
	planned  *workbook.Plan

	indexing sync.Once
	indexed  *index

	linting sync.Once
	linted  []diag.Finding
}

func analyze(uri, file string, version int, t *text) *analysis {
	return &analysis{uri: uri, file: file, version: version, text: t, doc: org.ParseString(t.source)}
}

// plan is the workbook's plan. Much of what is asked while someone types does
// without it.
func (a *analysis) plan() *workbook.Plan {
	a.planning.Do(func() { a.planned = workbook.PlanDocument(a.file, a.doc) })
	return a.planned
}

// index is the index of the text's symbols. Diagnostics do without it.
func (a *analysis) index() *index {
	a.indexing.Do(func() { a.indexed = buildIndex(a) })
	return a.indexed
}

// offset is the byte at a position that has a file's line and column, both
// from 1, the column in bytes.
func (a *analysis) offset(line, col int) int {
	span, ok := a.doc.Line(line)
	if !ok {
		return len(a.text.source)
	}
	return min(span.Start+max(col-1, 0), span.End)
}

// blockAt is the source block that holds an offset, its affiliated keywords
// included.
func (a *analysis) blockAt(offset int) (org.Block, bool) {
	n := a.doc.At(offset)
	for ; n != nil; n = n.Parent() {
		if n.Kind() == org.KindSrcBlock {
			return n.Block()
		}
	}
	return org.Block{}, false
}

// componentAt is the component that an offset means: the one whose block, call,
// result or declaring headline holds it. Of several on one line it is the one
// nearest the offset.
func (a *analysis) componentAt(offset int) *workbook.Component {
	line, _ := a.doc.Position(offset)
	var best *workbook.Component
	for _, c := range a.plan().Within(line, line) {
		n := c.Node()
		if n != nil && n.Start() <= offset && offset <= n.End() {
			return c
		}
		if best == nil {
			best = c
		}
	}
	return best
}

// componentOf is the component that a node is.
func (a *analysis) componentOf(n *org.Node) *workbook.Component {
	for _, c := range a.plan().Components {
		if c.Node() == n {
			return c
		}
	}
	return nil
}

// sourceBlocks lists the source blocks of the document.
func (a *analysis) sourceBlocks() []org.Block {
	var blocks []org.Block
	for b := range a.doc.Blocks(org.KindSrcBlock) {
		blocks = append(blocks, b)
	}
	return blocks
}
