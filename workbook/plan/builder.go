package plan

import (
	"fmt"

	"wb/internal/diag"
	"wb/org"
)

// builder makes a plan in three steps: collect the components, connect them,
// check the outcome.
type builder struct {
	plan     *Plan
	doc      *org.Document
	heads    map[*org.Node]*heading   // by headline node
	ids      map[string]bool          // taken
	counts   map[string]int           // of unnamed components by prefix
	elements map[*org.Node]*Component // by block, call line or named element

	outs      map[Endpoint][]*Component // declared components by workflow and output
	producers map[string][]*Component   // by output alone
	libraries map[string]*library       // other documents, by the names written
	lob       []*library                // those that #+LOB: lines name

	caps map[*org.Document][]string // what #+CAPS lines ask for
}

// heading holds what a headline sets for the components below it.
type heading struct {
	org.Headline
	world     *World
	component *Component // when the heading declares one
	comment   bool       // it or one above it is COMMENT
}

// position places an offset of the document.
func (b *builder) position(offset int) diag.Position {
	line, col := b.doc.Position(offset)
	return diag.Position{File: b.plan.File, Line: line, Col: col}
}

// problem notes a mistake at an offset.
func (b *builder) problem(code string, offset int, hint, format string, args ...any) {
	b.plan.Problems = append(b.plan.Problems, diag.Finding{
		Pos: b.position(offset), Severity: diag.Error, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// library is another document that this one refers to: by other.org:name, or
// by #+LOB: other.org, which lets its blocks be called by name alone (Emacs
// calls that the library of babel).
type library struct {
	file string // as written
	doc  *org.Document
	err  error
}

// add appends a component to the plan.
func (b *builder) add(c *Component) *Component {
	b.plan.Components = append(b.plan.Components, c)
	return c
}

// unnamed makes the id of the next unnamed component: block-1, call-1, …
func (b *builder) unnamed(prefix string) string {
	for {
		b.counts[prefix]++
		id := fmt.Sprintf("%s-%d", prefix, b.counts[prefix])
		if _, taken := b.doc.Named(id); !taken && !b.ids[id] {
			b.ids[id] = true
			return id
		}
	}
}

// newID makes id unique in the plan by a number at its end.
func (b *builder) newID(id string) string {
	unique := id
	for i := 2; b.ids[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", id, i)
	}
	b.ids[unique] = true
	return unique
}

// titleAbove is the headline that a node stands below, and its title.
func titleAbove(n *org.Node) (string, *org.Node) {
	for a := range n.Ancestors() {
		if h, ok := a.Headline(); ok {
			return h.Title.Text, a
		}
	}
	return "", nil
}
