package plan

import (
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/workbook/format"
)

// Sizes of the picture, in user units.
const (
	svgNodeHeight = 44
	svgNodeMin    = 96
	svgNodeMax    = 240
	svgCharWidth  = 7.4 // of the 13-unit labels, on the generous side
	svgColumnGap  = 56
	svgRowGap     = 16
	svgMargin     = 16
)

// SVG is the plan as a picture that needs nothing else: layers from left to
// right, values flowing along the lines, light or dark as the reader's screen
// is. Every box carries the full id and place as a tooltip.
func (p *Plan) SVG() string {
	l := newLayout(p)
	l.rank()
	l.order()
	l.place()
	return l.draw()
}

// layout is the picture under construction (Sugiyama's method): ranks, order
// within ranks, coordinates.
type layout struct {
	plan   *Plan
	nodes  []*svgNode
	edges  []svgEdge
	layers [][]*svgNode
}

// svgNode is a box, or a bend of an edge that crosses layers.
type svgNode struct {
	title, sub, tip string
	class           string // "" for a bend
	layer           int
	weight          float64 // position among neighbours while ordering
	x, y, w         float64 // left, middle, width
	up, down        []*svgNode
}

// svgEdge is a line through its bends.
type svgEdge struct {
	path  []*svgNode
	class string
	tip   string
}

func newLayout(p *Plan) *layout {
	l := &layout{plan: p}
	boxes := map[string]*svgNode{}
	for _, i := range p.Imports {
		n := &svgNode{title: i.Name, sub: "input", tip: "input " + i.Name, class: "import"}
		boxes["in "+i.Name] = n
		l.nodes = append(l.nodes, n)
	}
	for _, c := range p.Components {
		n := &svgNode{title: c.label(), sub: c.subtitle(), class: string(c.Kind),
			tip: fmt.Sprintf("%s\n%s", c.ID, diag.Position{File: filepath.Base(c.Pos.File), Line: c.Pos.Line, Col: c.Pos.Col})}
		boxes[c.ID] = n
		l.nodes = append(l.nodes, n)
	}
	for _, n := range l.nodes {
		chars := max(format.Width(n.title), format.Width(n.sub))
		n.w = min(max(float64(chars)*svgCharWidth+24, svgNodeMin), svgNodeMax)
	}
	connect := func(from, to *svgNode, class, tip string) {
		if from != nil && to != nil && from != to {
			l.edges = append(l.edges, svgEdge{path: []*svgNode{from, to}, class: class, tip: tip})
		}
	}
	for _, i := range p.Imports {
		for _, consumer := range i.Consumers {
			connect(boxes["in "+i.Name], boxes[consumer], "flow", i.Name)
		}
	}
	for _, e := range p.Edges {
		class := "flow"
		if e.CodeOnly() {
			class = "code"
		}
		connect(boxes[e.From.Component], boxes[e.To.Component], class,
			fmt.Sprintf("%s → %s (%s)", e.From.Component, e.To.Component, e.To.Port))
	}
	return l
}

// subtitle is the second line of a box: language, and workflow if any.
func (c *Component) subtitle() string {
	parts := []string{c.Lang}
	if c.World != nil {
		parts = append(parts, c.World.Name)
	}
	return strings.Join(parts, " · ")
}

// rank puts every node one layer right of what it needs, and bends into the
// layers that an edge passes. Edges that would close a cycle point backwards
// and are left out of the ranking.
func (l *layout) rank() {
	number := make(map[*svgNode]int, len(l.nodes))
	for i, n := range l.nodes {
		number[n] = i
	}
	g := make(Graph, len(l.nodes))
	for _, e := range l.edges {
		g[number[e.path[1]]] = append(g[number[e.path[1]]], number[e.path[0]])
	}
	placed := make([]bool, len(l.nodes))
	for _, i := range g.Order() {
		for _, need := range g[i] {
			if placed[need] {
				l.nodes[i].layer = max(l.nodes[i].layer, l.nodes[need].layer+1)
			}
		}
		placed[i] = true
	}
	for i := range l.edges {
		l.bend(&l.edges[i])
	}
	for _, n := range l.nodes {
		for len(l.layers) <= n.layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[n.layer] = append(l.layers[n.layer], n)
	}
}

func (l *layout) bend(e *svgEdge) {
	from, to := e.path[0], e.path[1]
	path := []*svgNode{from}
	for layer := from.layer + 1; layer < to.layer; layer++ {
		b := &svgNode{layer: layer}
		l.nodes = append(l.nodes, b)
		path = append(path, b)
	}
	e.path = append(path, to)
	if from.layer >= to.layer {
		return // backwards: drawn, but it orders nothing
	}
	for i := 1; i < len(e.path); i++ {
		e.path[i-1].down = append(e.path[i-1].down, e.path[i])
		e.path[i].up = append(e.path[i].up, e.path[i-1])
	}
}

// order moves nodes within their layers towards the middle of their
// neighbours, so that fewer lines cross.
func (l *layout) order() {
	renumber := func(layer []*svgNode) {
		for i, n := range layer {
			n.y = float64(i)
		}
	}
	for _, layer := range l.layers {
		renumber(layer)
	}
	sweep := func(layer []*svgNode, neighbours func(*svgNode) []*svgNode) {
		for _, n := range layer {
			n.weight = middle(neighbours(n), n.y)
		}
		slices.SortStableFunc(layer, func(a, b *svgNode) int {
			switch {
			case a.weight < b.weight:
				return -1
			case a.weight > b.weight:
				return 1
			}
			return 0
		})
		renumber(layer)
	}
	for range 6 {
		for _, layer := range l.layers {
			sweep(layer, func(n *svgNode) []*svgNode { return n.up })
		}
		for _, layer := range slices.Backward(l.layers) {
			sweep(layer, func(n *svgNode) []*svgNode { return n.down })
		}
	}
}

// middle is the mean height of nodes, or otherwise when there are none.
func middle(nodes []*svgNode, otherwise float64) float64 {
	if len(nodes) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, n := range nodes {
		sum += n.y
	}
	return sum / float64(len(nodes))
}

// place gives coordinates: columns as wide as their widest box, rows pulled
// towards their neighbours without overlapping.
func (l *layout) place() {
	x := float64(svgMargin)
	for _, layer := range l.layers {
		width := 0.0
		for _, n := range layer {
			width = max(width, n.w)
		}
		for i, n := range layer {
			n.x = x
			n.y = float64(i) * (svgNodeHeight + svgRowGap)
			if n.class == "" {
				n.w = width // lines pass a column level, between its boxes
			}
		}
		x += width + svgColumnGap
	}
	for range 8 {
		for _, layer := range l.layers {
			settle(layer, func(n *svgNode) []*svgNode { return n.up })
		}
		for _, layer := range slices.Backward(l.layers) {
			settle(layer, func(n *svgNode) []*svgNode { return n.down })
		}
	}
	top := 0.0
	for _, n := range l.nodes {
		top = min(top, n.y)
	}
	for _, n := range l.nodes {
		n.y += svgMargin + svgNodeHeight/2 - top
	}
}

// settle moves each node to the middle of its neighbours, then pushes
// overlapping ones apart, half of the correction each way.
func settle(layer []*svgNode, neighbours func(*svgNode) []*svgNode) {
	want := make([]float64, len(layer))
	for i, n := range layer {
		want[i] = middle(neighbours(n), n.y)
	}
	down := slices.Clone(want)
	for i := 1; i < len(layer); i++ {
		down[i] = max(down[i], down[i-1]+gap(layer[i-1], layer[i]))
	}
	up := slices.Clone(want)
	for i := len(layer) - 2; i >= 0; i-- {
		up[i] = min(up[i], up[i+1]-gap(layer[i], layer[i+1]))
	}
	for i, n := range layer {
		n.y = (down[i] + up[i]) / 2
	}
}

// gap is the least distance between the middles of two neighbours in a layer.
func gap(a, b *svgNode) float64 {
	height := func(n *svgNode) float64 {
		if n.class == "" {
			return svgRowGap
		}
		return svgNodeHeight
	}
	return (height(a)+height(b))/2 + svgRowGap
}

const svgStyle = `
.flow,.code{fill:none;stroke:#8a94a6;stroke-width:1.5}
.code{stroke-dasharray:5 4}
rect{fill:#fff;stroke:#3b5bdb;stroke-width:1.5}
.data rect{stroke:#2b8a3e}.import rect{stroke:#e8590c}
text{font:13px system-ui,sans-serif;fill:#212529}
.sub{font-size:11px;fill:#667085}
marker path{fill:#8a94a6}
@media (prefers-color-scheme:dark){
rect{fill:#1a1d24;stroke:#91a7ff}.data rect{stroke:#69db7c}.import rect{stroke:#ffa94d}
text{fill:#e9ecef}.sub{fill:#9aa4b2}.flow,.code{stroke:#6b7688}marker path{fill:#6b7688}}
`

func (l *layout) draw() string {
	width, height := 2.0*svgMargin, 2.0*svgMargin
	for _, n := range l.nodes {
		width = max(width, n.x+n.w+svgMargin)
		height = max(height, n.y+svgNodeHeight/2+svgMargin)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString("plan of "+l.plan.Title))
	b.WriteString("\n<title>" + html.EscapeString(l.plan.Title) + "</title>\n<style>" + svgStyle + "</style>\n")
	b.WriteString(`<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	for _, e := range l.edges {
		drawEdge(&b, e)
	}
	for _, n := range l.nodes {
		if n.class != "" {
			drawNode(&b, n)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawEdge is a smooth line from the right side of one box to the left side of
// the next.
func drawEdge(b *strings.Builder, e svgEdge) {
	from := e.path[0]
	x, y := from.x+from.w, from.y
	fmt.Fprintf(b, `<path class="%s" marker-end="url(#end)" d="M%.1f %.1f`, e.class, x, y)
	for _, n := range e.path[1:] {
		bend := max((n.x-x)/2, svgColumnGap/2)
		fmt.Fprintf(b, "C%.1f %.1f %.1f %.1f %.1f %.1f", x+bend, y, n.x-bend, n.y, n.x, n.y)
		x, y = n.x+n.w, n.y
		if n.class == "" {
			fmt.Fprintf(b, "H%.1f", x)
		}
	}
	fmt.Fprintf(b, "\"><title>%s</title></path>\n", html.EscapeString(e.tip))
}

func drawNode(b *strings.Builder, n *svgNode) {
	fmt.Fprintf(b, `<g class="%s"><title>%s</title>`, n.class, html.EscapeString(n.tip))
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="7"/>`, n.x, n.y-svgNodeHeight/2, n.w, svgNodeHeight)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f">%s</text>`, n.x+12, n.y-3, html.EscapeString(clip(n.title)))
	fmt.Fprintf(b, `<text class="sub" x="%.1f" y="%.1f">%s</text></g>`+"\n", n.x+12, n.y+14, html.EscapeString(clip(n.sub)))
}

// clip shortens a label to fit its box.
func clip(s string) string {
	width := 0.0
	for i, r := range s {
		if width += svgCharWidth * float64(format.Width(string(r))); width > svgNodeMax-24 {
			return s[:i] + "…"
		}
	}
	return s
}
