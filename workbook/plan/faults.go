package plan

import (
	"wb/internal/diag"
)

// fault notes a mistake at an offset that stops components.
func (b *builder) fault(c *Component, code string, offset int, hint, format string, args ...any) {
	b.problem(code, offset, hint, format, args...)
	found := &b.plan.Problems[len(b.plan.Problems)-1]
	found.Component = c.ID
	b.stop(c, *found)
}

// stop makes a mistake stop a component. The first one is the one that is told.
func (b *builder) stop(c *Component, found diag.Finding) {
	if b.plan.faults == nil {
		b.plan.faults = map[*Component]diag.Finding{}
	}
	if _, known := b.plan.faults[c]; !known {
		b.plan.faults[c] = found
	}
}
