package run

import (
	"context"
	"os"

	"wb/compile"
	"wb/internal/value"
	"wb/workbook/plan"
)

// Resolve returns what a reference stands for in a workbook, such as totals,
// totals(n=4) or totals[0,1]: it runs the component named and what that needs.
// The file stays as it is. Tangling asks it for <<totals()>> and :var x=totals.
func Resolve(ctx context.Context, opts Options, expr string) (value.Value, error) {
	if opts.Source == nil {
		src, err := os.ReadFile(opts.File)
		if err != nil {
			return value.Nil(), err
		}
		opts.Source = src
	}
	p := plan.New(opts.File, opts.Source)
	ref := plan.ParseReference(expr)
	from := p.Referred(ref.Name)
	if from == nil {
		return value.Nil(), &NotFoundError{ID: ref.Name, Near: compile.Nearest(ref.Name, p.IDs())}
	}
	opts.Only, opts.NoWrite = []string{from.ID}, true
	r, err := newRunner(opts)
	if err != nil {
		return value.Nil(), err
	}
	defer r.close()
	if err := r.openTier(ctx); err != nil {
		return value.Nil(), err
	}
	defer r.closeTier()
	r.runAll(ctx)
	if t := r.tasks[from.Index()]; t.done.Err != nil && !ref.RunsAnew() {
		return value.Nil(), t.done.Err
	}
	return binding(r).eval(ctx, from, expr, nil)
}
