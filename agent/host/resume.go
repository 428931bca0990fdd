package host

import (
	"context"
	"fmt"
	"slices"

	"wb/agent"
	"wb/internal/diag"
	"wb/internal/trace"
)

// Resume goes on with a run that did not end: what its journal has is not done
// again, nor what a run has done that went on with it before.
func (rt *Runtime) Resume(ctx context.Context, run string) (*agent.Result, error) {
	return rt.from(ctx, run, -1)
}

// Fork runs again from a point of another run: turns before step are taken from
// its journal, the rest happens anew.
func (rt *Runtime) Fork(ctx context.Context, run string, step int) (*agent.Result, error) {
	return rt.from(ctx, run, step)
}

func (rt *Runtime) from(ctx context.Context, run string, step int) (*agent.Result, error) {
	if step == 0 {
		return nil, &TaskError{"steps count from 1", "wb agent show " + run}
	}
	old, err := rt.open(run)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	if step < 0 { // looked for while nobody else can resume it
		latest, err := rt.Latest(run)
		if err != nil {
			return nil, err
		}
		if latest.Run != run {
			_ = old.Close()
			return rt.from(ctx, latest.Run, step)
		}
	}
	r, err := recordOf(old)
	if err != nil {
		return nil, err
	}
	entries := old.Entries()
	keep := len(entries)
	if step >= 0 {
		if keep, err = before(entries, step); err != nil {
			return nil, err
		}
	}
	from := &origin{run: run, journal: old, entries: keep, root: r.Root, model: r.Model, memory: r.memory}
	if step >= 0 { // what a fork does, it does itself
		from.root = ""
	}
	return rt.start(ctx, r.Task, from)
}

// before is how many entries stand before the model's turn of a step.
func before(entries []trace.Entry, step int) (int, error) {
	key := fmt.Sprintf("turn/%d", max(0, step-1))
	turns := 0
	for i, e := range entries {
		if e.Kind != trace.EntryModel {
			continue
		}
		if e.Key == key {
			return i, nil
		}
		turns++
	}
	return 0, &diag.NotFoundError{What: fmt.Sprintf("the run has no step %d", step), Help: fmt.Sprintf("it has %d", turns)}
}

// origin is the run that another goes on from.
type origin struct {
	run     string
	journal *trace.Journal
	entries int
	root    string // whose effects it goes on with; "" begins its own
	model   string // that it asked
	memory  memory
}

// Replay repeats a run offline: every turn and effect comes from its journal,
// and a difference ends it with a [*agent.DivergedError] in the result.
func (rt *Runtime) Replay(ctx context.Context, run string) (*agent.Result, error) {
	old, err := rt.open(run)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	r, err := recordOf(old)
	if err != nil {
		return nil, err
	}
	d, err := definition(r.Task)
	if err != nil {
		return nil, err
	}
	if d.Model = r.Model; d.Model == "" {
		if d.Model, err = rt.model(d, r.Task); err != nil {
			return nil, err
		}
	}
	opts := r.options()
	opts.Taint = slices.Concat(opts.Taint, r.Task.Taint)
	opts.Journal, opts.Replay, opts.RunID, opts.RootRunID = old, true, run, r.Root
	return rt.execute(ctx, d, r.Task, opts)
}
