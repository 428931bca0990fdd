package plan

import (
	"slices"
	"strings"

	"wb/internal/diag"
)

// check finds what is wrong with the plan as a whole: who produces what twice,
// who waits for himself, what comes from outside and what goes there.
func (b checker) check() {
	b.checkBlocks()
	b.checkProducers()
	b.checkCycles()
	b.findImports()
	b.findExports()
	slices.SortStableFunc(b.plan.Problems, comparePosition)
}

// comparePosition sorts diagnostics by where they are.
func comparePosition(x, y diag.Finding) int {
	if x.Pos.Line != y.Pos.Line {
		return x.Pos.Line - y.Pos.Line
	}
	return x.Pos.Col - y.Pos.Col
}

// checkBlocks reports declared components without code.
func (b checker) checkBlocks() {
	for _, c := range b.plan.Components {
		switch {
		case c.Dialect == DialectBabel:
		case c.node == nil && !c.IsAgent():
			b.fault(c, "no-block", c.span.Start, "put a #+begin_src block below the heading", "%s has no source block", c.ID)
		case c.Lang == "":
			b.fault(c, "no-language", c.span.Start, "write the language after #+begin_src", "the source block of %s has no language", c.ID)
		}
		if c.sigErr != nil {
			b.fault(c, "bad-sig", c.sigPos.Start, hintOf(c.sigErr), "%v", c.sigErr)
		}
	}
}

// hintOf is the advice an error carries, if any.
func hintOf(err error) string {
	if h, ok := err.(interface{ Hint() string }); ok {
		return h.Hint()
	}
	return ""
}

// checkProducers reports outputs that two components of a scope both claim.
func (b checker) checkProducers() {
	first := map[*World]map[string]*Component{}
	for _, c := range b.plan.Components {
		if c.Dialect == DialectBabel {
			continue
		}
		if first[c.World] == nil {
			first[c.World] = map[string]*Component{}
		}
		for _, out := range c.Out {
			if other := first[c.World][out]; other != nil {
				b.fault(c, "duplicate-producer", c.span.Start, "rename one of the outputs",
					"%s and %s both produce %q (the first on line %d)", other.ID, c.ID, out, other.Pos.Line)
				b.stop(other, b.plan.Problems[len(b.plan.Problems)-1])
				continue
			}
			first[c.World][out] = c
		}
	}
}

// checkCycles reports components that need themselves.
func (b checker) checkCycles() {
	g := b.plan.Graph(true)
	for _, cycle := range g.Cycles() {
		var names []string
		// The graph leads from consumer to producer; people read along the flow.
		for _, i := range slices.Backward(cycle) {
			names = append(names, b.plan.Components[i].ID)
		}
		start := slices.Index(names, b.plan.Components[cycle[0]].ID)
		names = append(names[start:], names[:start]...)
		names = append(names, names[0])
		first := b.plan.Components[cycle[0]]
		b.fault(first, "cycle", first.span.Start, "", "circular dependency: %s", strings.Join(names, " → "))
		b.stopCycle(g, cycle[0], b.plan.Problems[len(b.plan.Problems)-1])
	}
}

// stopCycle stops all that lie on cycles with a component, and remembers who
// includes or calls them: expanding such code would never end.
func (b checker) stopCycle(g Graph, of int, found diag.Finding) {
	if b.plan.endless == nil {
		b.plan.endless = map[*Component]bool{}
	}
	above, below := g.Cone(of), g.Needs(of)
	for i, c := range b.plan.Components {
		if above[i] {
			b.plan.endless[c] = true
		}
		if above[i] && below[i] {
			b.stop(c, found)
		}
	}
}

// findImports collects inputs that come from nowhere in the document.
func (b checker) findImports() {
	at := map[string]int{}
	for _, c := range b.plan.Components {
		for _, in := range c.In {
			if in.From.Component != "" || in.Ref != "" || in.Literal != nil {
				continue
			}
			i, known := at[in.Name]
			if !known {
				i = len(b.plan.Imports)
				at[in.Name] = i
				b.plan.Imports = append(b.plan.Imports, Import{Name: in.Name, Pos: in.Pos})
			}
			imp := &b.plan.Imports[i]
			imp.Consumers = append(imp.Consumers, c.ID)
			if imp.Default == nil {
				imp.Default = in.Default
			}
		}
	}
	slices.SortStableFunc(b.plan.Imports, func(x, y Import) int { return strings.Compare(x.Name, y.Name) })
}

// findExports collects named outputs that no component consumes.
func (b checker) findExports() {
	used := map[Endpoint]bool{}
	whole := map[string]bool{} // components taken with all their outputs
	for _, e := range b.plan.Edges {
		if e.Why.orders() {
			continue
		}
		used[e.From] = true
		if from := b.plan.byID[e.From.Component]; from != nil && !slices.Contains(from.Out, e.From.Port) {
			whole[from.ID] = true
		}
	}
	for _, c := range b.plan.Components {
		if c.Kind == KindData && c.Dialect == DialectBabel || whole[c.ID] {
			continue
		}
		for _, out := range c.Out {
			if end := (Endpoint{c.ID, out}); !used[end] {
				b.plan.Exports = append(b.plan.Exports, end)
			}
		}
	}
}
