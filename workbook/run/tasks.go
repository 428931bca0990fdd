package run

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// waits is the graph of who must wait for whom: for the values a component
// takes itself, and for those that blocks it includes or runs anew take.
func (r *runner) waits() plan.Graph {
	values, code := r.plan.Graph(false), make(plan.Graph, len(r.plan.Components))
	for _, e := range r.plan.Edges {
		if e.CodeOnly() {
			to := r.plan.ByID(e.To.Component).Index()
			code[to] = append(code[to], r.plan.ByID(e.From.Component).Index())
		}
	}
	g := make(plan.Graph, len(values))
	for i := range g {
		if len(code[i]) == 0 {
			g[i] = values[i]
			continue
		}
		seen := map[int]bool{}
		for b, reached := range code.Needs(i) {
			if !reached {
				continue
			}
			for _, n := range values[b] {
				if !seen[n] && n != i {
					seen[n] = true
					g[i] = append(g[i], n)
				}
			}
		}
	}
	return g
}

// runAll gives every selected component its turn, each as soon as what it
// waits for is done.
func (r *runner) runAll(ctx context.Context) {
	g := r.waits()
	for i, fault := range r.faults {
		if fault != nil { // it does not wait, perhaps for itself
			g[i] = nil
		}
	}
	r.tasks = make([]*task, len(r.plan.Components))
	for i, chosen := range r.selected {
		if chosen {
			r.tasks[i] = &task{finished: make(chan struct{})}
		}
	}
	turns := r.directoryOrder(g)
	var all sync.WaitGroup
	for _, c := range r.plan.Components {
		t := r.tasks[c.Index()]
		if t == nil {
			continue
		}
		all.Go(func() {
			defer r.saver.ended()
			defer close(t.finished)
			for _, before := range slices.Concat(g[c.Index()], turns[c.Index()]) {
				<-r.tasks[before].finished
			}
			r.turn(ctx, c, t)
			telling(r).progress(t.done)
		})
	}
	all.Wait()
}

// turn runs one component whose needs are done.
func (r *runner) turn(ctx context.Context, c *plan.Component, t *task) {
	t.done = Done{ID: c.ID, Title: c.Title, Lang: c.Lang, Pos: c.Pos}
	t.args = argSet{c.Args}
	t.words = result.WordsOf(c.Args)
	start := time.Now()
	err := r.attempt(ctx, c, t)
	t.done.Duration = time.Since(start) - t.done.Queued
	switch {
	case err == nil:
	case unrunnable(c, err):
		r.skip(c, t, err)
	default:
		t.fail(placeAt(c, err))
		if t.blank {
			t.done.Value = value.OfString("")
		}
	}
	r.recordEnd(c, t)
}

// attempt decides what kind of turn it is.
func (r *runner) attempt(ctx context.Context, c *plan.Component, t *task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	may, err := r.mayRun(ctx, c)
	if err != nil {
		return err
	}
	if c.Kind != plan.KindData && !may {
		t.done.Status, t.done.Why = StatusSkipped, ":eval "+c.Args.Value(":eval")
		t.done.Value = r.standingResult(c)
		return nil
	}
	if err := cmp.Or(r.faultOf(c), r.blocker(c)); err != nil {
		return err
	}
	if c.Kind == plan.KindData {
		v, err := r.dataValue(c)
		t.done.Value, t.done.Status, t.done.Why = v, StatusData, "a value in the document"
		return err
	}
	if c.IsAgent() {
		return executing(r).agent(ctx, c, t)
	}
	p, err := binding(r).program(ctx, c)
	if err != nil {
		return err
	}
	t.program = p
	return executing(r).execute(ctx, p, t)
}

// dataValue reads a component that is a value: a table, a list, a text, or a
// block of JSON, CSV or YAML.
func (r *runner) dataValue(c *plan.Component) (value.Value, error) {
	if parse := plan.DataParser(c.Lang); parse != nil && c.IsBlock() {
		v, err := parse(c.Body, c.Args)
		var at *plan.DataError
		if errors.As(err, &at) {
			pos := c.CodePos()
			return v, diag.Errorf(diag.Position{File: pos.File, Line: pos.Line + at.Line - 1, Col: max(1, at.Col)}, "%s: %s", c.Lang, at.Msg)
		}
		return v, err
	}
	if h, ok := c.Node().Headline(); ok {
		return value.OfString(result.PlainLines(r.plan.Document().Text(h.Body()))), nil
	}
	v, err := result.ReadElement(c.Node())
	if err != nil {
		return v, diag.Errorf(c.Pos, "%s: %v", c.ID, err)
	}
	return v, nil
}
