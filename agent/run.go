package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/internal/sha"
	"wb/internal/textdiff"
	"wb/internal/trace"
)

// Recorder takes the events of a run as they happen; a [*trace.Run] is one.
type Recorder interface {
	Emit(trace.Event) error
}

// Journal holds what a run is resumed from; a [*trace.Journal] is one. What Add
// was given outlives the process, and once Sync has returned the machine's power.
type Journal interface {
	Add(kind trace.EntryKind, key string, body []byte) (trace.Entry, error)
	Sync() error
	Find(kind trace.EntryKind, key string) (trace.Entry, bool)
	Body(trace.Entry) ([]byte, error)
}

// Prices are a provider's prices, in dollars per million tokens.
type Prices struct{ In, Out float64 }

// Options is one execution of an agent.
type Options struct {
	Agent   *Definition
	Task    string
	Model   Model
	Tools   []Tool
	History []Message // of the conversation so far, without a system prompt
	State   *State    // of the session; nil when nothing uses one
	Tree    *Tree     // the run's files; nil when it has none
	Limits  Bounds    // in place of the definition's where they are not zero
	Ledger  *Ledger   // of the caller, which the run draws on; nil for none
	Prices  Prices    // needed where dollars are bounded

	// RunID names the run, RootRunID the outermost and first one it belongs to
	// (itself when ""), SessionID whatever the caller groups runs by.
	RunID, RootRunID, SessionID string
	// Instance is whose listeners hear the run besides the definition's; nil for none.
	Instance *Agent
	// On hears this run and the runs inside it.
	On []Listener
	// Keys begins the idempotency keys of the run's calls: the root run, or for a
	// run inside a run the key of the call that started it.
	Keys string

	Events  Recorder // nil records nothing
	Journal Journal  // nil makes the run neither durable nor resumable
	// Replay takes everything from the journal and does nothing anew.
	Replay bool
	// Consent is asked before calls that need a person; nil allows every call.
	Consent Consent
	// Around wraps the run; the first is outermost.
	Around []Middleware
	// Taint is where untrusted text came from that the history or the task has.
	Taint []string
	// Keep stores a whole output and returns its id; nil keeps nothing.
	Keep func(text string) string
	// Delta hears the model's text as it comes.
	Delta func(text string)
	// Starting hears of every tool call before it is made; it may be nil, and is
	// called by several calls at once.
	Starting func(agent string, step int, call ToolCall)
	Now      func() time.Time // nil is time.Now
	// Window is how many tokens the model takes at once, 0 where that is not known: a
	// conversation that comes near it is shortened before it is asked about.
	Window int64

	// retold hears every turn that is taken from the journal, in place of a comparison
	// of what is asked with what was: see [Retell].
	retold func(key string, request Request, t turn, exact bool)
}

// run is the state of one execution.
type run struct {
	Options
	agent      *Definition
	tools      *toolbox
	transcript []Message
	result     *Result

	deadline    time.Time // of tools and turns; the zero time is none
	hardStop    time.Time // of the wrap-up turn
	limits      Bounds    // as the user wrote them
	main        *Ledger   // what turns and tools draw on
	outer       *Ledger   // main and what is held back for the wrap-up turn
	taint       []string  // sources of untrusted text that was read
	repairs     int
	retries     int // of the step retriedStep
	retriedStep int
	trips       int
	elapsed     time.Duration // recorded by the journal before this process
	started     time.Time
	lastKnown   int64 // tokens of the transcript when the provider last counted them
	knownSize   int64 // of the transcript then, by our own estimate
	askedSize   int64 // of the request that was reserved for last
	later       later

	complete  AskFunc  // the model, with the middleware around it
	call      CallFunc // perform, with the middleware around it
	compacted int64    // tokens of the transcript after it was shortened last
	admits    []func(ctx context.Context, task string) error
}

// Run executes an agent. It never fails: what goes wrong is in the result.
func Run(ctx context.Context, opts Options) *Result {
	opts = opts.Announced()
	r := &run{Options: opts, agent: opts.Agent, repairs: opts.Agent.Repair, taint: slices.Clone(opts.Taint)}
	if r.Now == nil {
		r.Now = time.Now
	}
	r.result = &Result{RunID: r.RunID, RootRunID: r.RootRunID, SessionID: r.SessionID, Agent: r.agent.ID, Events: []StepEvent{}}
	heard := r.Events.(*audience) // by Announced
	heard.announce(trace.Event{Kind: trace.KindRun})
	end := r.begin()
	if end == nil {
		end = r.admit(ctx)
	}
	if end == nil {
		o := r.loop(ctx)
		if err := r.sync(); err != nil {
			o = r.conclude(ctx, err)
		}
		end = &o
	}
	r.close(end)
	heard.announce(trace.Event{Kind: trace.KindResult, Status: r.result.Status, Output: r.result.Result, Error: r.result.Error,
		Exit: trace.Exit(r.result.ExitCode()), Usage: r.result.Usage, Duration: r.elapsed + r.Now().Sub(r.started)})
	return r.result
}

// begin sets the run up; an outcome ends it before it began.
func (r *run) begin() *outcome {
	r.started = r.Now()
	tools, err := newToolbox(r.Tools)
	if err != nil {
		return &outcome{status: StatusError, text: "error: " + err.Error(), err: err}
	}
	r.tools = tools
	r.layers()
	limits := r.agent.Bounds.overriddenBy(r.Limits)
	if (limits.USD > 0 || r.Ledger.boundsUSD()) && r.Prices == (Prices{}) {
		err := errors.New("a budget in dollars needs prices: set WB_LLM_PRICE_IN and WB_LLM_PRICE_OUT, in dollars per million tokens")
		return &outcome{status: StatusError, text: "error: " + err.Error(), err: err}
	}
	r.outer = NewLedger(limits, r.Ledger)
	r.outer.ownSteps = true
	r.limits = limits
	held := limits
	if r.agent.WrapUp == WrapUpTurn {
		held.Tokens -= wrapUpTokens(limits.Tokens)
		held.USD -= limits.USD / 8
	}
	if limits.Steps > 0 { // the bound is on turns of the loop; the wrap-up turn is none
		held.Steps = limits.Steps
	}
	r.main = NewLedger(held, r.outer)
	if limits.Wall > 0 {
		r.hardStop = r.started.Add(limits.Wall)
		r.deadline = r.hardStop
		if r.agent.WrapUp == WrapUpTurn {
			r.deadline = r.hardStop.Add(-min(limits.Wall/5, 15*time.Second))
		}
	}
	r.transcript = append(r.transcript, Message{Role: RoleSystem, Content: r.agent.System})
	r.transcript = append(r.transcript, r.History...)
	r.transcript = append(r.transcript, Message{Role: RoleUser, Content: r.Task})
	return nil
}

// wrapUpTokens is how much of a budget is held back for the last turn.
func wrapUpTokens(limit int64) int64 { return min(limit/4, 4000) }

// close fills the result.
func (r *run) close(end *outcome) {
	r.result.Status, r.result.Result, r.result.Data = end.status, end.text, end.data
	if end.err != nil {
		r.result.Error = end.err.Error()
		_ = errors.As(end.err, &r.result.Bound)
		var diverged *DivergedError
		if errors.As(end.err, &diverged) {
			r.result.Diff = diverged.Diff()
		}
	}
	r.result.Log, r.result.Taint = r.transcript, r.taint
	if end.status == StatusMaxSteps || end.status == StatusTimeout || end.status == StatusBudget {
		r.result.Report.Warnings = append(r.result.Report.Warnings, end.err.Error())
	}
}

// stopped is why the run may not go on: it was cancelled or its time is over.
func (r *run) stopped(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Canceled
	}
	if !r.deadline.IsZero() && r.elapsed+r.Now().Sub(r.started) >= r.deadline.Sub(r.started) {
		return &BoundError{"timeout", fmt.Sprint(r.hardStop.Sub(r.started).Milliseconds())}
	}
	return nil
}

// keep stores a whole output; what is short stands in the transcript anyway.
func (r *run) keep(text string) string {
	if len(text) <= MaxOutput {
		return ""
	}
	if r.Keep == nil {
		return sha.Hex(text)
	}
	return r.Keep(text)
}

// emit records an event. Views inform and never stop a run.
func (r *run) emit(e trace.Event) {
	e.Agent = r.agent.ID
	_ = r.Events.Emit(e)
}

// within gives ctx the run's deadline; asking after its end gives the bound.
func (r *run) within(ctx context.Context, stop time.Time) (context.Context, context.CancelFunc) {
	if stop.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, stop.Sub(r.started)-r.elapsed-r.Now().Sub(r.started))
}

// recorded reads an entry of the journal into body.
func (r *run) recorded(kind trace.EntryKind, key string, body any) (bool, error) {
	if r.Journal == nil {
		return false, nil
	}
	e, ok := r.Journal.Find(kind, key)
	if !ok {
		return false, nil
	}
	text, err := r.Journal.Body(e)
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(text, body)
}

// record writes an entry of the journal, which need not be on disk yet.
func (r *run) record(kind trace.EntryKind, key string, body any) error {
	if r.Journal == nil {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // arguments must come back as they were
	if err := encoder.Encode(body); err != nil {
		return err
	}
	_, err := r.Journal.Add(kind, key, text.Bytes())
	return err
}

// sync returns when what was recorded is on disk: before every effect, and
// before the run ends.
func (r *run) sync() error {
	if r.Journal == nil {
		return nil
	}
	r.later.forget()
	return r.Journal.Sync()
}

// syncMeanwhile brings what a turn recorded to the disk while the model thinks, or
// leaves it to the next effect where the model is faster than that: a sync under
// way would only have to be waited for. A failure is met by the next entry.
func (r *run) syncMeanwhile() {
	if r.Journal != nil && !r.Replay {
		r.later.do(thinking, func() { _ = r.Journal.Sync() })
	}
}

// thinking is how long a model takes at least that is worth a sync meanwhile.
const thinking = 3 * time.Millisecond

// later is one thing to do unless it is forgotten before. It is safe for concurrent
// use.
type later struct {
	mu    sync.Mutex
	timer *time.Timer
}

func (l *later) do(after time.Duration, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(after, f)
}

func (l *later) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// DivergedError says that a run which goes on from a journal, or repeats it, wanted
// to do something else than was recorded.
type DivergedError struct {
	Key       string // of the journal entry
	Got, Want string // what it wanted and what was recorded, as texts; "" where that is not known
}

func (e *DivergedError) Error() string {
	switch {
	case e.Got == "" && e.Want == "":
		return fmt.Sprintf("replay diverged: %s was not recorded", e.Key)
	case e.Want == "" && strings.HasPrefix(e.Key, "turn/"):
		return fmt.Sprintf("replay diverged at %s: the conversation before it differs from the recorded one", e.Key)
	}
	return fmt.Sprintf("replay diverged at %s", e.Key)
}

// Diff shows what was recorded and what is wanted now, "" where that is not known.
func (e *DivergedError) Diff() string {
	if e.Want == "" {
		return ""
	}
	return textdiff.Unified("recorded", "now", e.Want, e.Got)
}
