package plan

import (
	"regexp"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
)

// IsElement reports whether the component is a block or call line, which
// results stand below, and not code in running text.
func (c *Component) IsElement() bool {
	return c.node != nil && (c.node.Kind() == org.KindSrcBlock || c.node.Kind() == org.KindCall)
}

// Output is the part of a component's value for one of its outputs: the value
// itself when it has one output, a field when it has several.
func (c *Component) Output(v value.Value, port string) value.Value {
	if len(c.Out) < 2 || !slices.Contains(c.Out, port) {
		return v
	}
	field, _ := v.Get(PortName(port))
	return field
}

// MayRun reports whether :eval lets the component run.
func (c *Component) MayRun() bool {
	eval, _, err := ArgValue(c.Args, ":eval")
	if eval == "" {
		if _, off := c.Args.Get(":noeval"); off {
			return false
		}
	}
	return err == nil && eval != "no" && eval != "never"
}

// CodePos is where the first line of a component's body stands, its column
// behind the indentation that was removed.
func (c *Component) CodePos() diag.Position {
	if c.node == nil {
		return c.Pos
	}
	if src, ok := c.node.InlineSrc(); ok {
		at := c.Pos
		at.Line, at.Col = c.node.Document().Position(src.Body.Start)
		return at
	}
	b, ok := c.node.Block()
	if !ok {
		return c.Pos
	}
	doc := c.node.Document()
	at := c.Pos
	at.Line, _ = doc.Position(b.Body.Start)
	raw, _, _ := strings.Cut(doc.Text(b.Body), "\n")
	first, _, _ := strings.Cut(c.Body, "\n")
	at.Col = 1 + max(0, len(strings.TrimRight(raw, "\r"))-len(first))
	return at
}

// FunctionName is the function to call: the one named like the heading, else
// like the block's #+NAME. When the body has neither, the lane takes the only
// function there is.
func (c *Component) FunctionName() string {
	fromTitle := strings.ReplaceAll(Slug(c.Title), "-", "_")
	fromName := strings.ReplaceAll(c.Name, "-", "_")
	if fromName != "" && !hasWord(c.Body, fromTitle) && hasWord(c.Body, fromName) {
		return fromName
	}
	return fromTitle
}

func hasWord(text, word string) bool {
	return word != "" && regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).MatchString(text)
}

// PortName is a port as a parameter name: what stands before the colon of
// events:list.
func PortName(port string) string {
	name, _, _ := strings.Cut(port, ":")
	return name
}

func PortNames(ports []string) []string {
	names := make([]string, len(ports))
	for i, port := range ports {
		names[i] = PortName(port)
	}
	return names
}

// Inputs lists the names that --set gives values to.
func (p *Plan) Inputs() []string {
	names := make([]string, len(p.Imports))
	for i, imp := range p.Imports {
		names[i] = imp.Name
	}
	return names
}

// IDs lists the components' ids.
func (p *Plan) IDs() []string {
	ids := make([]string, len(p.Components))
	for i, c := range p.Components {
		ids[i] = c.ID
	}
	return ids
}

// Standing is a component that only stands for an element of a document: its
// recorded result can be read.
func Standing(n *org.Node) *Component { return &Component{node: n} }
