package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org"
	"wb/sandbox"
	"wb/workbook/format"
	"wb/workbook/plan"
)

// Status says how a component's turn ended.
type Status string

// The ways a turn ends.
const (
	StatusOK        Status = "ok"        // it ran
	StatusCached    Status = "cached"    // nothing changed, its kept result was used
	StatusData      Status = "data"      // a value in the document, nothing to run
	StatusSkipped   Status = "skipped"   // :eval says no, or no lane runs it
	StatusFailed    Status = "failed"    // it ran into an error
	StatusBlocked   Status = "blocked"   // something it needs failed
	StatusCancelled Status = "cancelled" // the run was interrupted first
)

// Begun is a component that begins to run: it has its slot.
type Begun struct {
	ID string
	Of int // components of the run that are not mere data
}

// Done reports one component.
type Done struct {
	ID       string
	Title    string
	Lang     string
	Status   Status
	Why      string // why it ran or did not, one line
	Value    value.Value
	Stdout   string
	Stderr   string
	Exit     int
	Usage    sandbox.Usage
	Duration time.Duration // of its turn, without Queued
	Queued   time.Duration // how long it waited for a slot, or a worker
	Err      error         // nil unless failed, blocked or cancelled
	Warnings []diag.Finding
	Pos      diag.Position
	// Where names the worker it ran at, "" when in this process.
	Where string
}

// Report describes a run.
type Report struct {
	Plan       *plan.Plan
	Components []Done // those whose turn came, in document order
	// Exports are the outputs that no component consumes, in document order.
	Exports []value.Field
	// Findings are the lint's findings.
	Findings []diag.Finding
	// Notes say which query blocks could not be answered, and what is doubtful of others.
	Notes []format.Note
	// Edits put the results into the text that was run.
	Edits []org.Edit
	// Tier is where programs ran, and TierNotes the walls that it lacks on this
	// system.
	Tier      string
	TierNotes []string
	// Wrote reports whether the file was changed.
	Wrote    bool
	Duration time.Duration
}

// Count is how many components ended with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, d := range r.Components {
		if d.Status == s {
			n++
		}
	}
	return n
}

// Failed returns the first component that failed, nil when none did.
func (r *Report) Failed() *Done {
	i := slices.IndexFunc(r.Components, func(d Done) bool { return d.Status == StatusFailed })
	if i < 0 {
		return nil
	}
	return &r.Components[i]
}

// PlanError says that a workbook cannot be run as it is written.
type PlanError struct{ Findings []diag.Finding }

// Error is the first error and how many more there are.
func (e *PlanError) Error() string {
	errs := 0
	first := ""
	for _, d := range e.Findings {
		if d.Severity == diag.Error {
			if errs++; errs == 1 {
				first = d.String()
			}
		}
	}
	if errs > 1 {
		return fmt.Sprintf("%s (and %d more)", first, errs-1)
	}
	return first
}

// Hint is the first error's.
func (e *PlanError) Hint() string {
	for _, d := range e.Findings {
		if d.Severity == diag.Error {
			return d.Hint
		}
	}
	return ""
}

// MissingError says that inputs are missing.
type MissingError struct {
	Names []string
	Pos   diag.Position // where the first is asked for
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: input %s is missing", e.Pos, plan.JoinNames(e.Names))
}

// ExitCode is that of wrong usage.
func (e *MissingError) ExitCode() int { return diag.ExitUsage }

// Hint shows how to give them.
func (e *MissingError) Hint() string { return fmt.Sprintf("wb run --set %s=VALUE", e.Names[0]) }

// NotFoundError says that a component asked for by id is not there.
type NotFoundError struct{ ID, Near string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no component %s", e.ID) }

// ExitCode is that of something not found.
func (e *NotFoundError) ExitCode() int { return diag.ExitNotFound }

// Hint offers the nearest id.
func (e *NotFoundError) Hint() string {
	if e.Near == "" {
		return "wb plan lists the components and their inputs"
	}
	return "did you mean " + e.Near + "?"
}

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

// runner is one run under way.
type runner struct {
	look
	opts    Options
	plan    *plan.Plan
	source  []byte
	written []byte             // the workbook's text as this run has left it
	before  map[string]lastRun // what was known of its components when the run began
	saver   *saver             // nil when nothing is written while it runs
	report  *Report
	files   *tree

	tier       string
	tierAt     diag.Position // what asks for it
	thirdParty bool
	away       compile.Place // nil: programs run here, or where Runner says

	imports  map[string]value.Value
	faults   []*diag.Finding // by component index: what stops it, nil for most
	selected []bool          // by component index: to be run
	wanted   []bool          // by component index: results are to be written
	tasks    []*task
	slots    chan struct{}
	calls    *callMemo
	sessions *sessions
	hearing  *sync.Mutex            // held while a listener hears something
	given    map[string]value.Value // inputs of a fan-out, by name
}

// newRunner plans and checks; the report is never nil.
func newRunner(opts Options, l look) (*runner, error) {
	r := &runner{look: l, opts: opts, report: &Report{}, calls: &callMemo{}, sessions: &sessions{}, hearing: &sync.Mutex{}}
	if err := r.opts.read(); err != nil {
		return r, err
	}
	r.source = r.opts.Source
	r.plan = plan.New(opts.File, r.source)
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
