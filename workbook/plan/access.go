package plan

import (
	"wb/org"
)

// Index is the component's place in the plan's Components.
func (c *Component) Index() int { return c.index }

// Span is the block, call line, inline object or named element in the document,
// without affiliated keywords.
func (c *Component) Span() org.Span { return c.span }

// Target is the name of the block that a call runs, absent for other components.
func (c *Component) Target() org.Token { return c.target }

// Callee is the block that a call runs, nil for other components.
func (c *Component) Callee() *Component { return c.callee }

// Library reports whether the component stands in another document.
func (c *Component) Library() bool { return c.library }

// Exec is the value of :exec, "" without one.
func (c *Component) Exec() string { return c.exec }
