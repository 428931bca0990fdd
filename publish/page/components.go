package page

import (
	"fmt"
	"html"
	"strings"

	"wb/org"
	"wb/workbook"
)

// components finds the plan's blocks and results by where they stand in the
// author's file, so that what is shown can be traced back to what made it.
func (w *writer) components() {
	w.blocks, w.results = map[int]*workbook.Component{}, map[int]*workbook.Component{}
	for _, c := range w.plan.Components {
		n := c.Node()
		if n == nil || n.Kind() != org.KindSrcBlock && n.Kind() != org.KindCall {
			continue
		}
		w.blocks[coreStart(n)] = c
		if at, ok := w.plan.Document().ResultOf(n); ok && at.Element != nil {
			w.results[coreStart(at.Element)] = c
		}
	}
}

// componentOf is the component that a block or a result of the shown document belongs to,
// nil for what was not written there by its author.
func (w *writer) componentOf(n *org.Node, in map[int]*workbook.Component) *workbook.Component {
	from, at := w.text.place(coreStart(n))
	if from.dir != "" || from.name != w.file {
		return nil
	}
	return in[at]
}

// madeBy is one line under a result: who made it and at what cost, and what
// lets readers make it themselves.
func (w *writer) madeBy(n *org.Node) string {
	c := w.componentOf(n, w.results)
	if c == nil {
		return ""
	}
	return w.madeLine(c) + w.live(c)
}

func (w *writer) madeLine(c *workbook.Component) string {
	f, known := w.opts.Facts[c.ID]
	parts := []string{fmt.Sprintf("made by <a href=\"#made--%s\">%s</a> in %s", html.EscapeString(workbook.Slug(c.ID)), html.EscapeString(c.ID), html.EscapeString(c.Lang))}
	if known && f.Kept {
		if f.Duration > 0 {
			parts = append(parts, duration(f.Duration))
		}
		parts = append(parts, thousands(f.Fuel)+" units of fuel")
	}
	line := strings.Join(parts, ", ")
	if known && f.Kept {
		line += " " + cacheBadge(f)
	}
	for _, u := range c.Uses {
		line += " " + capBadge(u)
	}
	return "<p class=\"made\">" + strings.TrimSpace(line) + "</p>\n"
}

// capBadge names a capability that a component asks for.
func capBadge(name string) string {
	return "<span class=\"badge cap\" title=\"asks for this capability\">" + html.EscapeString(name) + "</span>"
}

// cacheBadge says whether the result was made in the run that wrote it or
// taken from an earlier one.
func cacheBadge(f Fact) string {
	switch f.Cache {
	case "hit":
		return "<span class=\"badge\" title=\"taken from an earlier run of the same source and inputs\">kept</span>"
	case "":
		return ""
	}
	return "<span class=\"badge\" title=\"executed in this run\">fresh</span>"
}

// live is the HTML that lets a reader run a component.
func (w *writer) live(c *workbook.Component) string {
	if w.opts.Live == nil || w.lived[c.ID] {
		return ""
	}
	body, ok := w.opts.Live(c.ID)
	if !ok {
		return ""
	}
	if w.lived == nil {
		w.lived = map[string]bool{}
	}
	w.lived[c.ID] = true
	return body
}

// liveBelow is the same below a block whose result is not shown.
func (w *writer) liveBelow(n *org.Node) string {
	if w.opts.Live == nil {
		return ""
	}
	c := w.componentOf(n, w.blocks)
	if c == nil || w.showsResult(c) {
		return ""
	}
	return w.live(c)
}

// showsResult reports whether readers see a component's result.
func (w *writer) showsResult(c *workbook.Component) bool {
	exports := c.Args.Value(":exports")
	if exports != "both" && exports != "results" {
		return false
	}
	at, ok := w.plan.Document().ResultOf(c.Node())
	return ok && at.Element != nil
}
