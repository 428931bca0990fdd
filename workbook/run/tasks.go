package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// task is one component's turn. Its fields may be read once finished is
// closed.
type task struct {
	finished chan struct{}
	done     Done
	words    result.Words // of :results, as they hold after :post
	args     argSet
	digests  *Digests
	volatile bool          // its outcome is not kept
	made     bool          // the component really ran
	blank    bool          // it failed and its result is empty
	standing bool          // its value is in the document
	lacking  *lackingError // it was skipped and has no value; nil otherwise
	hash     string        // for #+RESULTS[hash]:, with :cache yes
	src      *compile.Source
	program  *program // nil until it is prepared
}

// BlockedError says that a component could not run because another failed.
type BlockedError struct{ Needs string }

func (e *BlockedError) Error() string { return fmt.Sprintf("it needs %s, which failed", e.Needs) }

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

// fail files an error under the status it means.
func (t *task) fail(err error) {
	t.done.Err = err
	t.done.Value = value.Nil()
	if !errors.Is(err, errWouldRun) {
		t.done.Why = err.Error()
	}
	t.done.Status = StatusFailed
	var blocked *BlockedError
	switch {
	case errors.Is(err, context.Canceled):
		t.done.Status = StatusCancelled
	case errors.As(err, &blocked):
		t.done.Status = StatusBlocked
	}
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

// taskOf is the task of a component by id, nil when it has none.
func (r *runner) taskOf(id string) *task {
	if c := r.plan.ByID(id); c != nil {
		return r.tasks[c.Index()]
	}
	return nil
}

// acquire waits for a free slot. The time it takes is not part of the turn.
func (r *runner) acquire(ctx context.Context, t *task) (release func(), err error) {
	start := time.Now()
	defer func() { t.done.Queued += time.Since(start) }()
	select {
	case r.slots <- struct{}{}:
		telling(r).begun(t.done.ID)
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

// standingResult is the value of a component that may not run: what stands
// under its #+RESULTS:, null when nothing does.
func (r *runner) standingResult(c *plan.Component) value.Value {
	v, _ := r.recorded(c)
	return v
}

// recorded is the value that stands in the document, and whether one does.
func (r *runner) recorded(c *plan.Component) (value.Value, bool) {
	stands, ok := resultOf(r.plan.Document(), c)
	if !ok || stands.Element == nil {
		return value.Nil(), false
	}
	v, err := result.ReadElement(stands.Element)
	return v, err == nil
}

// hasRecorded reports whether anything stands below the #+RESULTS: of a component, also
// what no value can be read from, such as a link to a picture.
func hasRecorded(doc *org.Document, c *plan.Component) bool {
	stands, ok := resultOf(doc, c)
	return ok && stands.Body.Start < stands.Body.End
}

func resultOf(doc *org.Document, c *plan.Component) (org.Result, bool) {
	if c.Node() == nil || !c.IsElement() {
		return org.Result{}, false
	}
	return doc.ResultOf(c.Node())
}

// props are the properties of the event that ends a turn.
func (d *Done) props() []trace.Prop {
	all := placed(d.Where)
	if queued := d.Queued.Milliseconds(); queued > 0 {
		all = append(all, trace.Prop{Name: trace.PropQueued, Value: strconv.FormatInt(queued, 10)})
	}
	if said := strings.TrimSpace(d.Stderr); said != "" && (d.Err == nil || strings.Contains(said, "\n")) { // an error has one line of it
		all = append(all, trace.Prop{Name: trace.PropStderr, Value: said})
	}
	return all
}

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
