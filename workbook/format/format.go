// Package format tidies org files the way Emacs does when its author presses
// the keys for it, and changes nothing else.
//
//   - Tables are aligned as org-table-align aligns them, and formulas in
//     #+TBLFM: lines are recomputed when all of them belong to the subset that
//     [Options.Formulas] describes.
//   - Tags end in column 77, as org-align-tags puts them.
//   - Properties are laid out with org-property-format, "%-10s %s".
//   - Blank lines lose their blanks. Their number carries meaning in org (two
//     of them end a list), so it stays.
//
// Blocks of every kind and results are left as they are: what stands there
// belongs to a program. Formatting is idempotent: what [Format] returns is
// what it returns for that again.
package format

import (
	"slices"
	"sort"
	"strings"

	"wb/org"
)

// Format returns src tidied, and notes on what it did not touch.
func Format(src []byte, opts Options) ([]byte, []Note) {
	edits, notes := Edits(org.Parse(src), opts)
	out, err := org.Apply(src, edits)
	if err != nil { // edits of distinct leaves cannot overlap
		return src, append(notes, Note{1, 1, err.Error()})
	}
	return out, notes
}

// Edits returns the changes that tidy a document; none when it is tidy.
func Edits(doc *org.Document, opts Options) ([]org.Edit, []Note) {
	f := &formatter{doc: doc, opts: opts}
	for r := range doc.Results() {
		f.results = append(f.results, org.Span{Start: r.Line.Start, End: max(r.Line.End, r.Body.End)})
	}
	f.visit(doc.Root())
	return f.edits, f.notes
}

// visit formats a node and what stands below it. It keeps its own stack, since
// lists may nest as deep as their author likes.
func (f *formatter) visit(root *org.Node) {
	stack := []*org.Node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.Kind().IsBlock() || f.isResult(n) {
			continue
		}
		switch n.Kind() {
		case org.KindHeadline:
			if h, ok := n.Headline(); ok {
				f.tags(h)
			}
		case org.KindProperty:
			f.property(n)
		case org.KindBlank:
			f.blank(n)
		case org.KindTable:
			if t, ok := n.Table(); ok {
				f.table(t)
			}
			continue
		}
		for c := n.FirstChild(); c != nil; c = c.Next() {
			stack = append(stack, c)
		}
	}
	slices.SortFunc(f.edits, func(a, b org.Edit) int { return a.Start - b.Start })
	slices.SortStableFunc(f.notes, func(a, b Note) int { return a.Line - b.Line })
}

// isResult reports whether the node belongs to what a program wrote. A list or
// a headline that holds results further below does not.
func (f *formatter) isResult(n *org.Node) bool {
	i := sort.Search(len(f.results), func(i int) bool { return f.results[i].End > n.Start() })
	return i < len(f.results) && f.results[i].Start <= n.Start() && n.End() <= f.results[i].End && n.End() > n.Start() ||
		startsWithResults(n)
}

// startsWithResults reports whether "#+RESULTS:" stands above the element.
func startsWithResults(n *org.Node) bool {
	for _, k := range n.Affiliated() {
		if k.Name() == "RESULTS" {
			return true
		}
	}
	return false
}

// tagColumn is where tags end: org-tags-column is -77.
const tagColumn = 77

// tags aligns the tags of a headline.
func (f *formatter) tags(h org.Headline) {
	if !h.TagList.Present() {
		return
	}
	before := f.doc.Text(org.Span{Start: h.Line.Start, End: h.TagList.Start})
	head := strings.TrimRight(before, " \t")
	if len(head) < h.Level {
		return
	}
	column := columns(head)
	gap := max(1, tagColumn-displayWidth(h.TagList.Text)-column)
	if columns(before) == column+gap {
		return // Org does not touch tags that stand right, be it by tabs
	}
	f.change(org.Span{Start: h.Line.Start + len(head), End: h.TagList.Start}, strings.Repeat(" ", gap))
}

// property lays out a line of a property drawer.
func (f *formatter) property(n *org.Node) {
	p, ok := n.Property()
	if !ok {
		return
	}
	line := n.Text()
	end := len(strings.TrimRight(line, "\r\n"))
	bare := strings.TrimLeft(line[:end], " \t")
	key := ":" + p.Key.Text + ":"
	if p.Append {
		key = ":" + p.Key.Text + "+:"
	}
	if !strings.HasPrefix(bare, key) || strings.Contains(bare, "\r") {
		return
	}
	text := key
	if p.Value.Text != "" {
		text += strings.Repeat(" ", max(0, 10-displayWidth(key))) + " " + p.Value.Text
	}
	start := n.Start() + end - len(bare)
	f.change(org.Span{Start: start, End: n.Start() + end}, text)
}

// blank strips lines that hold nothing but blanks.
func (f *formatter) blank(n *org.Node) {
	at := n.Start()
	for line := range strings.Lines(n.Text()) {
		text := strings.TrimRight(line, "\r\n")
		if len(text) > 0 && strings.Trim(text, " \t") == "" {
			f.change(org.Span{Start: at, End: at + len(text)}, "")
		}
		at += len(line)
	}
}
