package run

import (
	"context"
	"errors"
	"slices"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook/plan"
)

// Explanation says why a component would run, or would not.
type Explanation struct {
	ID string `json:"id"`
	// WouldRun reports whether the next run would execute the component.
	WouldRun bool `json:"would_run"`
	// Reason is one line: what changed, or that nothing did.
	Reason string `json:"reason"`
	// Needs are components that would run first and so may change its inputs;
	// while there are any, what it depends on cannot be known.
	Needs []string `json:"needs,omitempty"`
	// Now holds the digests its outcome depends on, nil when unknown; Before is
	// what it depended on when it last ran, nil when it never did.
	Now    *Digests `json:"now,omitempty"`
	Before *Digests `json:"before,omitempty"`
	// Reads are the files its kept outcome was made from, with their state.
	Reads []string `json:"reads,omitempty"`
	// Kept is the outcome the cache holds for it as it stands, nil for none.
	Kept *KeptOutcome `json:"kept,omitempty"`
}

// KeptOutcome is a component's outcome of its last run.
type KeptOutcome struct {
	Value  value.Value `json:"value"`
	Stdout string      `json:"-"`
	Stderr string      `json:"-"`
	Exit   int         `json:"exit"`
	Fuel   int64       `json:"fuel"`   // units used
	Memory int64       `json:"memory"` // bytes, at most
}

// Explain finds out whether a run with these options would execute a component,
// and for which reason, without executing anything.
func Explain(ctx context.Context, opts Options, id string) (*Explanation, error) {
	return ExplainIn(ctx, nil, opts, id)
}

// ExplainIn is Explain for those who ask about many components: p is the plan of
// the workbook.
func ExplainIn(ctx context.Context, p *plan.Plan, opts Options, id string) (*Explanation, error) {
	opts.Trace = nil
	r, err := newRunner(opts.quietly(id), look{dry: true, plan: p})
	if err != nil {
		return nil, err
	}
	defer r.close()
	r.runAll(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := r.plan.Component(id)
	t := r.tasks[c.Index()]
	x := &Explanation{ID: c.ID, Now: t.digests, Reason: t.done.Why, Before: opts.Cache.lastRuns(opts.File)[c.ID].Digests}
	var blocked *BlockedError
	switch {
	case errors.As(t.done.Err, &blocked):
		x.WouldRun = true
		x.Needs = r.wouldRun()
		x.Reason = blocked.Needs + " would run first, and its result is an input"
	case errors.Is(t.done.Err, errWouldRun):
		x.WouldRun = true
	case t.done.Err != nil:
		return nil, t.done.Err
	}
	if t.digests != nil {
		if k := opts.Cache.get(t.digests.Key()); k != nil {
			x.Kept = &KeptOutcome{Value: k.Value, Stdout: k.Stdout, Stderr: k.Stderr, Exit: k.Exit, Fuel: k.Usage.Fuel, Memory: k.Usage.Memory}
			for _, read := range k.Reads {
				x.Reads = append(x.Reads, read.Name+" "+read.State)
			}
		}
	}
	return x, nil
}

// wouldRun lists the components that a dry run found to be stale themselves.
func (r *runner) wouldRun() []string {
	var ids []string
	for _, t := range r.tasks {
		if t != nil && errors.Is(t.done.Err, errWouldRun) {
			ids = append(ids, t.done.ID)
		}
	}
	return ids
}

// ComponentLimits are the limits that a component would run with.
type ComponentLimits struct {
	ID      string            `json:"id"`
	Lang    string            `json:"lang"`
	Profile string            `json:"profile"`
	Limits  map[string]string `json:"limits"` // by name, as people write them
	Asked   []AskedLimit      `json:"asked,omitempty"`
	Pos     diag.Position     `json:"pos"`
}

// ExplainLimits says what each component of a workbook may use with these options,
// and runs nothing.
func ExplainLimits(_ context.Context, opts Options) ([]ComponentLimits, error) {
	r, err := newRunner(opts, look{})
	if err != nil {
		return nil, err
	}
	defer r.close()
	all := []ComponentLimits{}
	for _, c := range r.plan.Components {
		if c.Kind == plan.KindData || c.Library() || len(opts.Only) > 0 && !slices.Contains(opts.Only, c.ID) {
			continue
		}
		one := ComponentLimits{ID: c.ID, Lang: c.Lang, Profile: binding(r).profileOf(c), Limits: map[string]string{}, Pos: c.Pos}
		limits := ProfileLimits(one.Profile)
		if one.Asked, err = settleLimits(&limits, argSet{c.Args}, opts.Limits); err != nil {
			return nil, diag.Errorf(c.Pos, "%v", err)
		}
		for _, k := range limitKinds {
			one.Limits[k.name] = k.show(*k.field(&limits))
		}
		all = append(all, one)
	}
	return all, nil
}
