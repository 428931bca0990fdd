package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/trace"
)

// Why the server ends a run.
var (
	errByCaller = errors.New("by its caller")
	errShutdown = errors.New("the server was stopped")
)

// run is a run that is going, or the log of one that has ended.
type run struct {
	tenant *tenant
	cancel context.CancelCauseFunc // nil when it has ended
	begun  chan struct{}           // closed when it has an id
	over   chan struct{}           // closed when nothing comes anymore

	mu      sync.Mutex
	record  record
	frames  []Frame
	change  chan struct{} // closed, and replaced, with every frame
	hearers map[*hearer]struct{}
	file    *os.File
	// told counts frames of earlier processes by what they say: a resumed run
	// goes through them again.
	told   map[[sha256.Size]byte]int
	failed error // the record could not be written
}

// hearer is a reader that wants to hear the model's words as they come.
type hearer struct {
	words chan string
	lost  int // guarded by the run's mu
}

func newRun(t *tenant, r record) *run {
	return &run{tenant: t, record: r, begun: make(chan struct{}), over: make(chan struct{}), change: make(chan struct{}),
		hearers: map[*hearer]struct{}{}, told: map[[sha256.Size]byte]int{}}
}

// execute does the run's work with do and keeps what comes of it. It returns
// when the run has ended or the server ends.
func (r *run) execute(ctx context.Context, do func(context.Context, *host.Runtime) (*agent.Result, error)) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.mu.Lock()
	r.cancel = cancel
	r.mu.Unlock()
	defer r.close()
	rt := r.tenant.runtime()
	rt.Sink, rt.Delta, rt.Starting = r, r.say, r.starting
	result, err := do(ctx, rt)
	stopped := errors.Is(context.Cause(ctx), errShutdown)
	if stopped && (err != nil || result.Status == agent.StatusCancelled) {
		return // the next server goes on with it
	}
	r.end(result, err)
}

// Emit takes the events of the run as they happen. The first gives the run its
// id; nothing is done before that is on disk.
func (r *run) Emit(e trace.Event) error {
	if e.Kind == trace.KindRun {
		return r.begin(e.Run)
	}
	if f, ok := frameOf(e); ok {
		r.add(f, true)
	}
	return nil
}

// starting tells that a tool is called. A call that was under way when a process
// died is told again, for it is made again.
func (r *run) starting(id string, step int, call agent.ToolCall) {
	f := Frame{Type: "tool_start", At: r.tenant.clock.Now().UnixMilli(), Agent: id, Step: step, Tool: call.Name}
	if json.Valid([]byte(call.Args)) {
		f.Args = json.RawMessage(call.Args)
	} else {
		f.Args, _ = json.Marshal(call.Args)
	}
	r.add(f, false)
}

// begin enters a run of the journal.
func (r *run) begin(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.record.ID == ""
	if first {
		r.record.ID = id
	}
	r.record.Runs = append(r.record.Runs, id)
	err := r.tenant.store.put(&r.record)
	if err == nil {
		r.file, r.frames, err = r.tenant.store.log(r.record.ID)
	}
	for _, f := range r.frames {
		r.told[f.digest()]++
	}
	if err != nil {
		r.failed = fmt.Errorf("the run cannot be recorded: %w", err)
		r.cancel(r.failed)
	}
	if first {
		close(r.begun)
	}
	return err
}

// digest identifies a frame by its content, apart from position and time.
func (f Frame) digest() [sha256.Size]byte {
	text, _ := json.Marshal([]any{f.Type, f.Agent, f.Step, f.Tool, f.Component, f.Args, f.Text, f.Output, f.Status})
	return sha256.Sum256(text)
}

// add appends a frame to the log; one that an earlier process told already is
// not told again.
func (r *run) add(f Frame, again bool) {
	f.Error = r.tenant.inside(f.Error)
	if f.Component != "" {
		f.Output = r.tenant.inside(f.Output)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if again && len(r.told) > 0 {
		if digest := f.digest(); r.told[digest] > 0 {
			r.told[digest]--
			return
		}
	}
	f.N = len(r.frames) + 1
	r.frames = append(r.frames, f)
	if line, err := json.Marshal(f); err != nil {
		r.tenant.warn(err)
	} else if r.file != nil {
		_, err := r.file.Write(append(line, '\n'))
		r.tenant.warn(err)
	}
	close(r.change)
	r.change = make(chan struct{})
}

// say tells the model's words to those who keep up.
func (r *run) say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for h := range r.hearers {
		select {
		case h.words <- text:
		default:
			h.lost++
		}
	}
}

// hear starts hearing; the function ends it.
func (r *run) hear() (*hearer, func()) {
	h := &hearer{words: make(chan string, 256)}
	r.mu.Lock()
	r.hearers[h] = struct{}{}
	r.mu.Unlock()
	return h, func() {
		r.mu.Lock()
		delete(r.hearers, h)
		r.mu.Unlock()
	}
}

// lost is how many words a hearer has missed since it was last asked.
func (r *run) lost(h *hearer) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := h.lost
	h.lost = 0
	return n
}

// since are the frames after a position, what announces more, and whether there
// will be none.
func (r *run) since(after int) (frames []Frame, more <-chan struct{}, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if after < len(r.frames) {
		frames = r.frames[max(0, after):len(r.frames):len(r.frames)]
	}
	select {
	case <-r.over:
		over = true
	default:
	}
	return frames, r.change, over
}

// snapshot is the record as it stands.
func (r *run) snapshot() record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record
}

// progress is how far a run is that has not ended.
func (r *run) progress() (steps int, usage trace.Usage, tools []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tools = []string{}
	for _, f := range r.frames {
		steps = max(steps, f.Step)
		if f.Type == "step" {
			tools = append(tools, f.Tool)
		}
		if f.Usage != nil && f.Type == "thinking" {
			usage = usage.Add(*f.Usage)
		}
	}
	return steps, usage, tools
}

// spent is the usage of all turns of a run, including those of agents it asked.
func (r *run) spent() trace.Usage {
	_, usage, _ := r.progress()
	if rec := r.snapshot(); usage == (trace.Usage{}) && rec.Result != nil { // of a time before turns were told
		usage = rec.Result.Usage
	}
	return usage
}

// end keeps how the run ended and tells it.
func (r *run) end(result *agent.Result, err error) {
	spent := r.spent()
	r.mu.Lock()
	if err == nil && r.failed != nil {
		err = r.failed
	}
	r.record.Ended, r.record.Result, r.record.Spent = r.tenant.clock.Now(), result, spent
	switch {
	case err != nil:
		r.record.Status, r.record.Error = agent.StatusError, err.Error()
	default:
		r.record.Status, r.record.Error = result.Status, result.Error
	}
	if r.record.ID != "" {
		r.tenant.warn(r.tenant.store.put(&r.record))
		if r.file == nil { // it ended before it went on
			var openErr error
			r.file, r.frames, openErr = r.tenant.store.log(r.record.ID)
			r.tenant.warn(openErr)
		}
	}
	r.mu.Unlock()
	r.add(lastFrame(result, err), false)
}

// close lets go of the run's file and of those who wait.
func (r *run) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		r.tenant.warn(r.file.Close())
		r.file = nil
	}
	close(r.over)
	close(r.change)
	r.change = make(chan struct{})
}

// stop cancels the run, if it is going.
func (r *run) stop(why error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil || !r.record.Ended.IsZero() {
		return false
	}
	r.cancel(why)
	return true
}

// took is how long a run took, or has taken.
func (r *record) took(now time.Time) time.Duration {
	if !r.Ended.IsZero() {
		now = r.Ended
	}
	return now.Sub(r.Created).Round(time.Millisecond)
}
