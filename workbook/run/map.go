package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"wb/internal/value"
	"wb/workbook/plan"
)

// The bounds of a fan-out.
const (
	mapWidth   = 16 // inputs at once, unless Options.Jobs says otherwise
	maxMapped  = 1024
	mapTimeout = 60 * time.Second // for each input
)

// Mapped is the result of one input of a fan-out.
type Mapped struct {
	Value  value.Value
	Cached bool
	Err    error
}

// Map runs one component over many inputs, several at once, and returns what
// each gave, in order. What the component needs otherwise runs first, once. An
// input is the component's only input; where it has several, an object with a
// member for each that is to be set. One input's failure is its own.
//
// Nothing is written to the file.
func Map(ctx context.Context, opts Options, id string, inputs []value.Value) ([]Mapped, error) {
	if len(inputs) > maxMapped {
		return nil, fmt.Errorf("%d inputs are too many to map over; the limit is %d", len(inputs), maxMapped)
	}
	width := opts.Jobs
	if width <= 0 {
		width = mapWidth
	}
	opts = opts.quietly(id)
	opts.Jobs = width
	r, err := newRunner(opts, look{mapped: id})
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := placing(r).open(ctx); err != nil {
		return nil, err
	}
	defer placing(r).close()
	c := r.plan.Component(id)
	if c.Kind == plan.KindData {
		return nil, fmt.Errorf("%s: %s is data and cannot be mapped over inputs", c.Pos, c.ID)
	}
	if err := r.faultOf(c); err != nil {
		return nil, err
	}
	r.selected[c.Index()] = false
	r.runAll(ctx)
	results := make([]Mapped, len(inputs))
	var all sync.WaitGroup
	turns := make(chan struct{}, width) // an input's time begins with its turn
	for i, in := range inputs {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			results[i] = r.mapOne(ctx, c, in)
		})
	}
	all.Wait()
	return results, ctx.Err()
}

// mapOne runs a component with one input of a fan-out.
func (r *runner) mapOne(ctx context.Context, c *plan.Component, in value.Value) Mapped {
	if r.tier != tierNode { // what waits for a worker elsewhere does not run; there its own limits hold
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, mapTimeout, errMapTimeout)
		defer cancel()
	}
	given, err := distribute(c, in)
	if err != nil {
		return Mapped{Err: err}
	}
	one := *r // the memory of calls, sessions and slots is shared through pointers
	one.given = given
	p, err := binding(&one).prepare(ctx, c, c.Args, nil)
	if err != nil {
		return Mapped{Err: err}
	}
	t := &task{done: Done{ID: c.ID, Lang: c.Lang, Pos: c.Pos}}
	if err := executing(&one).execute(ctx, p, t); err != nil {
		if errors.Is(context.Cause(ctx), errMapTimeout) {
			err = errMapTimeout
		}
		t.fail(err)
	}
	one.recordEnd(c, t)
	return Mapped{Value: t.done.Value, Cached: t.done.Status == StatusCached, Err: t.done.Err}
}

var errMapTimeout = fmt.Errorf("time limit %s for one input exceeded", mapTimeout)

// distribute gives a mapped input to the inputs of a component, by name. The
// empty name stands for the input of a workflow's first component.
func distribute(c *plan.Component, in value.Value) (map[string]value.Value, error) {
	names := c.InputNames()
	switch len(names) {
	case 0:
		if c.Dialect == plan.DialectWorkflow {
			return map[string]value.Value{"": in}, nil
		}
		return nil, fmt.Errorf("%s: %s takes no input to map over", c.Pos, c.ID)
	case 1:
		return map[string]value.Value{names[0]: in}, nil
	}
	if len(in.Fields()) == 0 {
		return nil, fmt.Errorf("%s: %s takes %s: map over objects with these members", c.Pos, c.ID, plan.JoinNames(names))
	}
	given := map[string]value.Value{}
	for _, f := range in.Fields() {
		i := slices.IndexFunc(names, func(n string) bool { return n == f.Name || plan.PortName(n) == f.Name })
		if i < 0 {
			return nil, fmt.Errorf("%s: %s has no input %s", c.Pos, c.ID, f.Name)
		}
		given[names[i]] = f.Value
	}
	return given, nil
}
