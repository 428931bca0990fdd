package run

import (
	"wb/internal/trace"
	"wb/workbook/plan"
	"wb/workbook/result"
)

func (r *runner) emit(e trace.Event) { _ = r.opts.Trace.Emit(e) } // reported by whoever made the trace

// recordEnd writes the event that ends a turn.
func (r *runner) recordEnd(c *plan.Component, t *task) {
	if r.dry || t.done.Status == StatusData || t.done.Status == StatusSkipped {
		return
	}
	e := trace.Event{Kind: trace.KindComponentEnd, Component: t.done.ID, Lang: t.done.Lang, Duration: t.done.Duration, Fuel: t.done.Usage.Fuel,
		Profile: binding(r).profileOf(c), Output: eventOutput(t), Cache: "miss", Exit: trace.Exit(t.done.Exit), Props: t.done.props()}
	if t.done.Status == StatusCached {
		e.Kind, e.Cache = trace.KindCacheHit, "hit"
	}
	if t.done.Err != nil {
		e.Error = firstLine(t.done.Err.Error())
		e.Cache = ""
		if t.done.Exit == 0 {
			e.Exit = trace.Exit(1)
		}
	}
	_ = r.opts.Trace.Emit(e) // reported by whoever made the trace
}

// eventOutput is a component's output in an event: what it printed, else its
// value.
func eventOutput(t *task) string {
	if t.done.Stdout != "" {
		return t.done.Stdout
	}
	if t.done.Value.IsNull() {
		return ""
	}
	return result.Display(t.done.Value)
}
