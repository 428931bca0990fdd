package run

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"wb/compile"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/workbook/plan"
)

// Run runs a workbook: every component whose source, inputs, toolchain,
// profile or capabilities changed since its kept result was made, in parallel
// as the plan allows, and writes the results into the file.
//
// A component that fails, or that a mistake in the document concerns, stops
// what needs it and nothing else: its error is in the report, and Run's own
// error is nil. Run returns an error, with the
// report so far, when the workbook cannot be run at all, when its file cannot
// be written, or when ctx ends; results of components that were done by then
// are written.
func Run(ctx context.Context, opts Options) (*Report, error) {
	start := time.Now()
	r, err := newRunner(opts, look{})
	if err != nil {
		return r.report, err
	}
	defer r.close()
	if err := placing(r).open(ctx); err != nil {
		return r.report, err
	}
	if err := executing(r).thaw(ctx); err != nil {
		return r.report, err
	}
	r.saver = recording(r).startSaving()
	r.runAll(ctx)
	r.saver.end()
	frozen := executing(r).handFrozen(ctx)
	r.sessions.close(context.WithoutCancel(ctx))
	if err := placing(r).close(); err != nil {
		return r.report, err
	}
	r.collect()
	err = errors.Join(recording(r).writeResults(), frozen)
	r.report.Duration = time.Since(start)
	return r.report, errors.Join(ctx.Err(), err)
}

// newRunner plans and checks; the report is never nil.
func newRunner(opts Options, l look) (*runner, error) {
	r := &runner{look: l, opts: opts, report: &Report{}, calls: &callMemo{}, sessions: &sessions{}, hearing: &sync.Mutex{}}
	if err := r.opts.read(); err != nil {
		return r, err
	}
	r.source = r.opts.Source
	if r.plan = l.plan; r.plan == nil {
		r.plan = plan.New(opts.File, r.source)
	}
	r.report.Plan = r.plan
	if err := r.lint(); err != nil {
		return r, err
	}
	placing(r).trust()
	if err := r.choose(); err != nil {
		return r, err
	}
	if err := r.bindImports(); err != nil {
		return r, err
	}
	if err := recording(r).mayWrite(); err != nil {
		return r, err
	}
	files, err := openTree(opts.File)
	if err != nil {
		return r, err
	}
	r.files = files
	r.written, r.before = r.source, opts.Cache.lastRuns(opts.File)
	if r.opts.Trace == nil {
		r.opts.Trace = trace.Discard
	}
	jobs := opts.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	r.slots = make(chan struct{}, jobs)
	return r, nil
}

func (r *runner) close() {
	r.sessions.close(context.Background())
	r.files.close()
}

// lint finds out what is wrong with the workbook.
func (r *runner) lint() error {
	found := r.plan.Problems
	if r.opts.Lint != nil {
		found = r.opts.Lint(r.plan)
	}
	return r.findFaults(found)
}

// choose marks what runs: everything, or what Only names and what that needs.
func (r *runner) choose() error {
	n := len(r.plan.Components)
	r.selected, r.wanted = make([]bool, n), make([]bool, n)
	if len(r.opts.Only) == 0 {
		for i := range n {
			r.selected[i], r.wanted[i] = true, true
		}
		r.leaveLibraries()
		return nil
	}
	var only []int
	for _, id := range r.opts.Only {
		c := r.plan.Component(id)
		if c == nil {
			return &NotFoundError{ID: id, Near: compile.Nearest(id, r.plan.IDs())}
		}
		only = append(only, c.Index())
		r.wanted[c.Index()] = true
	}
	r.selected = r.waits().Needs(only...)
	return nil
}

// leaveLibraries takes blocks of other documents out of the run whose value
// no component needs: they are only called.
func (r *runner) leaveLibraries() {
	needed := make([]bool, len(r.plan.Components))
	for _, e := range r.plan.Edges {
		needed[r.plan.ByID(e.From.Component).Index()] = needed[r.plan.ByID(e.From.Component).Index()] || !e.CodeOnly()
	}
	for i, c := range r.plan.Components {
		r.selected[i] = r.selected[i] && (needed[i] || !c.Library())
	}
}

// bindImports gives every import of a selected component its value: what the
// user set, else the default in the document.
func (r *runner) bindImports() error {
	r.imports = map[string]value.Value{}
	missing := &MissingError{}
	var starved []string
	for _, imp := range r.plan.Imports {
		switch set, ok := r.opts.Set[imp.Name]; {
		case ok:
			r.imports[imp.Name] = set
		case imp.Default != nil:
			r.imports[imp.Name] = *imp.Default
		case slices.ContainsFunc(imp.Consumers, r.runs):
			if missing.Names == nil {
				missing.Pos = imp.Pos
			}
			missing.Names = append(missing.Names, imp.Name)
			starved = append(starved, imp.Consumers...)
		}
	}
	for name := range r.opts.Set {
		if !slices.ContainsFunc(r.plan.Imports, func(i plan.Import) bool { return i.Name == name }) {
			return &NotFoundError{ID: "with input " + name, Near: compile.Nearest(name, r.plan.Inputs())}
		}
	}
	if missing.Names != nil && !r.lenient && !r.anyBeside(starved) {
		return missing
	}
	return nil
}

// anyBeside reports whether something runs that needs none of the given
// components. If nothing does, the run as a whole was started wrongly.
func (r *runner) anyBeside(ids []string) bool {
	var of []int
	for _, id := range ids {
		of = append(of, r.plan.ByID(id).Index())
	}
	cone := r.waits().Cone(of...)
	return slices.ContainsFunc(r.plan.Components, func(c *plan.Component) bool {
		return !cone[c.Index()] && c.Kind != plan.KindData && r.wanted[c.Index()] && r.runs(c.ID)
	})
}

// runs reports whether a component is to be run and may be.
func (r *runner) runs(id string) bool {
	c := r.plan.ByID(id)
	return c != nil && r.selected[c.Index()] && c.MayRun() && (r.mapped == "" || r.plan.Component(r.mapped) != c)
}

// collect puts the outcomes into the report.
func (r *runner) collect() {
	for _, t := range r.tasks {
		if t != nil {
			r.report.Components = append(r.report.Components, t.done)
		}
	}
	for _, e := range r.plan.Exports {
		c := r.plan.ByID(e.Component)
		t := r.tasks[c.Index()]
		if t == nil || !r.wanted[c.Index()] || t.done.Err != nil || t.done.Status == StatusSkipped {
			continue
		}
		r.report.Exports = append(r.report.Exports, value.Field{Name: e.Port, Value: c.Output(t.done.Value, e.Port)})
	}
}
