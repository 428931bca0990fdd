package plan

import (
	"wb/org"
)

// Document is the workbook as it was parsed, for programs that need to know
// where in the text things stand.
func (p *Plan) Document() *org.Document { return p.doc }

// Node is the element or object that the component is: the block with its
// affiliated keywords, the call line, the inline code, the table. It is nil
// for a heading that declares a component and has no block.
func (c *Component) Node() *org.Node { return c.node }

// Headline is the headline the component stands below, nil above the first.
func (c *Component) Headline() *org.Node { return c.headline }

// Within lists the components that touch the lines from first to last, both
// counted from 1, in document order: those whose block, call or inline code
// begins, ends or continues there. The result of a block counts as part of it,
// and so does the headline that declares a component.
func (p *Plan) Within(first, last int) []*Component {
	var found []*Component
	for _, c := range p.Components {
		if c.Kind == KindData {
			continue
		}
		for _, s := range c.extent(p.doc) {
			from, _ := p.doc.Position(s.Start)
			to, _ := p.doc.Position(max(s.Start, s.End-1))
			if from <= last && first <= to {
				found = append(found, c)
				break
			}
		}
	}
	return found
}

// extent are the places where a component and its result stand.
func (c *Component) extent(doc *org.Document) []org.Span {
	var spans []org.Span
	if c.Dialect != DialectBabel && c.headline != nil {
		if h, ok := c.headline.Headline(); ok {
			spans = append(spans, h.Line)
		}
	}
	if c.node == nil {
		return spans
	}
	spans = append(spans, c.node.Span())
	if c.IsElement() {
		if r, ok := doc.ResultOf(c.node); ok {
			spans = append(spans, org.Span{Start: r.Line.Start, End: max(r.Line.End, r.Body.End)})
		}
	}
	return spans
}

// Of is NewPlan for a workbook that is parsed already.
func Of(file string, doc *org.Document) *Plan { return planDocument(file, doc) }
