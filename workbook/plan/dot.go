package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// DOT is the plan in Graphviz's language, worlds as clusters. Edges through
// which only source flows are dashed.
func (p *Plan) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", strconv.Quote(p.Slug))
	b.WriteString("  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n")
	for _, c := range p.Components {
		if c.World == nil {
			writeDotNode(&b, c, "  ")
		}
	}
	clusters := 0
	for _, w := range p.Worlds {
		writeDotWorld(&b, w, "  ", &clusters)
	}
	for _, i := range p.Imports {
		fmt.Fprintf(&b, "  %s [label=%s, shape=plaintext];\n", strconv.Quote("in "+i.Name), strconv.Quote(i.Name))
		for _, consumer := range i.Consumers {
			fmt.Fprintf(&b, "  %s -> %s;\n", strconv.Quote("in "+i.Name), strconv.Quote(consumer))
		}
	}
	for _, e := range p.Edges {
		style := ""
		if e.CodeOnly() {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", strconv.Quote(e.From.Component), strconv.Quote(e.To.Component), strconv.Quote(e.To.Port), style)
	}
	b.WriteString("}\n")
	return b.String()
}

func writeDotNode(b *strings.Builder, c *Component, indent string) {
	shape := ""
	if c.Kind == KindData {
		shape = ", shape=note, style=solid"
	}
	fmt.Fprintf(b, "%s%s [label=%s%s];\n", indent, strconv.Quote(c.ID), strconv.Quote(c.label()+"\n"+c.Lang), shape)
}

func writeDotWorld(b *strings.Builder, w *World, indent string, clusters *int) {
	fmt.Fprintf(b, "%ssubgraph cluster_%d {\n%s  label=%s;\n", indent, *clusters, indent, strconv.Quote(w.Name))
	*clusters++
	for _, c := range w.Components {
		writeDotNode(b, c, indent+"  ")
	}
	for _, sub := range w.Worlds {
		writeDotWorld(b, sub, indent+"  ", clusters)
	}
	fmt.Fprintf(b, "%s}\n", indent)
}
