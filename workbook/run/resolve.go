package run

import (
	"context"

	"wb/compile"
	"wb/internal/value"
	"wb/workbook/plan"
)

// Resolve returns what a reference stands for in a workbook, such as totals,
// totals(n=4) or totals[0,1]: it runs the component named and what that needs.
// The file stays as it is. Tangling asks it for <<totals()>> and :var x=totals.
func Resolve(ctx context.Context, opts Options, expr string) (value.Value, error) {
	if err := opts.read(); err != nil {
		return value.Nil(), err
	}
	p := plan.New(opts.File, opts.Source)
	ref := plan.ParseReference(expr)
	from := p.Referred(ref.Name)
	if from == nil {
		return value.Nil(), &NotFoundError{ID: ref.Name, Near: compile.Nearest(ref.Name, p.IDs())}
	}
	opts.Only, opts.Write = []string{from.ID}, WriteNothing
	r, err := newRunner(opts, look{})
	if err != nil {
		return value.Nil(), err
	}
	defer r.close()
	if err := placing(r).open(ctx); err != nil {
		return value.Nil(), err
	}
	defer placing(r).close()
	r.runAll(ctx)
	if t := r.tasks[from.Index()]; t.done.Err != nil && !ref.RunsAnew() {
		return value.Nil(), t.done.Err
	}
	return binding(r).eval(ctx, from, expr, nil)
}
