package run

import (
	"context"
	"errors"
	"sync"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/workbook/plan"
	"wb/workbook/result"
)

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

// look holds a runner's modes other than running a workbook.
type look struct {
	dry     bool       // find out what would run, run nothing
	lenient bool       // a missing input fails its component, not the run
	mapped  string     // the component of a fan-out, whose inputs are given later
	plan    *plan.Plan // of the workbook, nil to make it
}

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

// ended reports whether the turn is over.
func (t *task) ended() bool {
	select {
	case <-t.finished:
		return true
	default:
		return false
	}
}

// hasResult reports whether there is something to write: a value, or what a
// failed program printed before it failed.
func (t *task) hasResult() bool {
	switch t.done.Status {
	case StatusOK, StatusCached:
		return true
	case StatusFailed:
		return !t.done.Value.IsNull()
	}
	return false
}

// withheld is why a component whose turn is over has no value to give.
func (t *task) withheld(c *plan.Component) error {
	switch {
	case t.done.Err != nil:
		return &BlockedError{Needs: c.ID}
	case t.lacking != nil:
		return t.lacking
	}
	return nil
}

// taskOf is the task of a component by id, nil when it has none.
func (r *runner) taskOf(id string) *task {
	if c := r.plan.ByID(id); c != nil {
		return r.tasks[c.Index()]
	}
	return nil
}

// One runner is shared by all that a run does. Its own methods decide what runs
// and when; the rest is done by roles, each of which sees the runner and has
// methods of its own.
type (
	// binder makes programs of components: inputs, expanded source, grants.
	binder struct{ *runner }
	// executor brings about outcomes: from the cache, the sandbox or an agent.
	executor struct{ *runner }
	// recorder puts results into the document and keeps those that stand there.
	recorder struct{ *runner }
	// placer settles how far from this process programs run, and opens that place.
	placer struct{ *runner }
	// teller lets listeners hear of the run, one call at a time.
	teller struct{ *runner }
)

func binding(r *runner) binder     { return binder{r} }
func executing(r *runner) executor { return executor{r} }
func recording(r *runner) recorder { return recorder{r} }
func placing(r *runner) placer     { return placer{r} }
func telling(r *runner) teller     { return teller{r} }
