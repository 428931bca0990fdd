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

	"wb/internal/trace"
)

// effect is the journal's record of a tool call.
type effect struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Output Output          `json:"output"`
	Error  string          `json:"error,omitempty"`
	Took   time.Duration   `json:"took_ns"`
}

// MaxCalls is how many calls of one turn are made; the model reads that the others
// were not.
const MaxCalls = 128

// parallelCalls is how many read-only calls of a turn run at once.
const parallelCalls = 8

// callTools runs the calls of one turn. Neighbours that only read run at the
// same time, all others one after the other; outputs are in the order of the
// calls. The only error is one that ends the run.
func (r *run) callTools(ctx context.Context, step int, calls []ToolCall) ([]Output, error) {
	effects := make([]effect, len(calls))
	failures := make([]error, len(calls))
	last := min(len(calls), MaxCalls)
	for from := 0; from < last; {
		to := from + 1
		for to < last && r.reads(calls[from]) && r.reads(calls[to]) {
			to++
		}
		var group sync.WaitGroup
		slots := make(chan struct{}, parallelCalls)
		for i := from; i < to; i++ {
			slots <- struct{}{}
			group.Go(func() {
				defer func() { <-slots }()
				effects[i], failures[i] = r.callTool(ctx, step, i, calls[i])
			})
		}
		group.Wait()
		for i := from; i < to; i++ {
			if failures[i] != nil {
				return nil, failures[i]
			}
			r.noteCall(step, effects[i])
		}
		from = to
	}
	for i := last; i < len(calls); i++ { // none vanishes unsaid
		text := fmt.Sprintf("%s was not run: it is call %d of %d in one turn, and a turn may make %d; call it again", calls[i].Name, i+1, len(calls), MaxCalls)
		effects[i] = effect{Tool: calls[i].Name, Args: jsonArgs(calls[i].Args), Error: text, Output: Output{Text: text}}
		r.noteCall(step, effects[i])
	}
	outputs := make([]Output, len(calls))
	for i, e := range effects {
		outputs[i] = e.Output
	}
	r.result.Steps = step
	r.syncMeanwhile()
	return outputs, nil
}

func (r *run) reads(call ToolCall) bool {
	t, ok := r.tools.tools[call.Name]
	return ok && t.ReadOnly()
}

// callTool gets an effect from the journal, or has the tool make it.
func (r *run) callTool(ctx context.Context, step, index int, call ToolCall) (effect, error) {
	key := fmt.Sprintf("tool/%d/%d/%s", r.trips-1, index, call.Name)
	args := jsonArgs(call.Args)
	var e effect
	found, err := r.recorded(trace.EntryEffect, key, &e)
	switch {
	case err != nil:
		return e, err
	case found && string(e.Args) != string(args):
		return e, &DivergedError{key, string(args), string(e.Args)}
	case found:
		r.elapsed += e.Took
		r.repeated(&e)
		return e, r.Tree.apply(e.Output.Files)
	case r.Replay:
		return e, &DivergedError{Key: key}
	}
	if announced, err := r.announced(key, args, &e); announced || err != nil {
		return e, err
	}
	if err := r.stopped(ctx); err != nil {
		return e, err
	}
	again, err := r.onceMore(ctx, step, key, call)
	if err != nil {
		return e, err
	}
	allowed := again
	if again {
		if allowed, err = r.consented(ctx, step, key, call); err != nil {
			return e, err
		}
	}
	reserved, err := r.main.Reserve(Bounds{ToolCalls: 1})
	if err != nil {
		return e, err
	}
	e = effect{Tool: call.Name, Args: args}
	if err := r.intend(key, call, e); err != nil {
		reserved.Settle(Bounds{})
		return e, err
	}
	if r.Starting != nil {
		r.Starting(r.agent.ID, step, call)
	}
	start := r.Now()
	if !again {
		err = errUnknown(call.Name)
	} else if allowed {
		e.Output, err = r.call(r.withCall(ctx, key), call)
	} else {
		err = errRefused(call.Name)
	}
	e.Took = r.Now().Sub(start)
	reserved.Settle(Bounds{ToolCalls: 1, BytesOut: e.Output.BytesOut})
	var bound *BoundError
	if ctx.Err() != nil || errors.As(err, &bound) {
		return e, err
	}
	if err != nil {
		e.Error = err.Error()
		e.Output.Text = e.Error
	}
	return e, r.settle(key, &e)
}

// intend records what is about to be done. Outside the run nothing may happen
// before that is on disk, and with it the turn that asked for it; a call whose
// effects stay in the run need not wait.
func (r *run) intend(key string, call ToolCall, e effect) error {
	if err := r.record(trace.EntryIntent, key, e); err != nil || r.contained(call) {
		return err
	}
	return r.sync()
}

// contained reports whether a call changes nothing outside the run.
func (r *run) contained(call ToolCall) bool {
	t, ok := r.tools.tools[call.Name].(interface{ Contained() bool })
	return ok && t.Contained()
}

// writes is the key of the entry that announces what a call writes.
func writes(key string) string { return key + "/writes" }

// settle ends a call: what it changed is announced in the journal, then written,
// then the call is done. A process that dies before the announcement has changed
// nothing, one that dies after it leaves it to the next to write the same again.
func (r *run) settle(key string, e *effect) error {
	if files := r.Tree.unwritten(); len(files) > 0 {
		e.Output.Files = files
		if err := r.record(trace.EntryIntent, writes(key), e); err != nil {
			return err
		}
		if err := r.sync(); err != nil {
			return err
		}
		landed, merged, err := r.Tree.flush(false)
		e.landed(landed, merged, err)
	}
	return r.record(trace.EntryEffect, key, e)
}

// landed notes what became of the files that a call changed, also for the model.
func (e *effect) landed(files []FileChange, merged []string, err error) {
	e.Output.Files = files
	if len(merged) > 0 {
		e.Output.Text = under(e.Output.Text, fmt.Sprintf("note: %s was changed by somebody else meanwhile; it now holds both changes", strings.Join(merged, ", ")))
	}
	if err != nil {
		e.Error = err.Error()
		e.Output.Text = under(e.Output.Text, e.Error)
		if e.Output.Exit == nil || *e.Output.Exit != 0 {
			return
		}
		failed := 1
		e.Output.Exit = &failed
	}
}

// under sets a line under a text.
func under(text, line string) string {
	if text == "" {
		return line
	}
	return strings.TrimSuffix(text, "\n") + "\n" + line
}

// repeated counts a call that was made by another process as if it were made by
// this one.
func (r *run) repeated(e *effect) {
	r.main.spend(Bounds{ToolCalls: 1, BytesOut: e.Output.BytesOut})
	if counted, ok := r.tools.tools[e.Tool].(interface{ Recorded() }); ok {
		counted.Recorded() // what a tool counts over a run goes on
	}
	r.State.Apply(e.Output.State)
}

// announced takes over a call whose process died while it wrote.
func (r *run) announced(key string, args json.RawMessage, e *effect) (bool, error) {
	found, err := r.recorded(trace.EntryIntent, writes(key), e)
	if !found || err != nil {
		return false, err
	}
	if string(e.Args) != string(args) {
		return false, &DivergedError{key, string(args), string(e.Args)}
	}
	r.elapsed += e.Took
	r.repeated(e)
	e.landed(r.Tree.redo(e.Output.Files))
	return true, r.record(trace.EntryEffect, key, e)
}

// perform checks a call and runs it, for at most ToolTimeout and not beyond the
// run's own time. A tool that does not end when told to is left behind.
func (r *run) perform(ctx context.Context, call ToolCall) (Output, error) {
	tool, args, err := r.tools.arguments(call)
	if err != nil {
		return Output{}, err
	}
	within, stop := r.within(ctx, r.deadline)
	defer stop()
	within, cancel := context.WithTimeout(within, ToolTimeout)
	defer cancel()
	type answer struct {
		out Output
		err error
	}
	done := make(chan answer, 1)
	start := time.Now()
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- answer{err: fmt.Errorf("tool error: %s failed: %v", call.Name, p)}
			}
		}()
		out, err := tool.Call(within, args)
		done <- answer{out, err}
	}()
	select {
	case a := <-done:
		if a.err != nil && within.Err() != nil && ctx.Err() == nil {
			return a.out, timedOut(call.Name, time.Since(start))
		}
		return a.out, a.err
	case <-within.Done():
	}
	if ctx.Err() != nil {
		return Output{}, context.Canceled
	}
	select { // it may be ending just now
	case a := <-done:
		if a.err == nil {
			return a.out, nil
		}
	case <-time.After(graceAfterKill):
	}
	return Output{}, timedOut(call.Name, time.Since(start))
}

// graceAfterKill is how long a tool has to end once it was told to.
const graceAfterKill = 2 * time.Second

func timedOut(name string, after time.Duration) error {
	return fmt.Errorf("tool error: %s timed out after %ds (killed)", name, min(int(ToolTimeout.Seconds()), int(after.Round(time.Second).Seconds())))
}

// noteCall records a call in the result and in the events.
func (r *run) noteCall(step int, e effect) {
	r.tainted(e.Output.Taint)
	r.result.Artifacts = append(r.result.Artifacts, e.Output.Artifacts...)
	r.result.Events = append(r.result.Events, StepEvent{Step: step, Agent: r.agent.ID, Tool: e.Tool, Args: e.Args, Output: e.Output.Text,
		Exit: e.Output.Exit, Error: e.Error, Duration: milliseconds(e.Took)})
	event := trace.Event{Kind: trace.KindToolCall, Step: step, Tool: e.Tool, Args: e.Args, Output: e.Output.Text, Exit: e.Output.Exit, Fuel: e.Output.Fuel, Error: e.Error, Duration: e.Took}
	if e.Output.Taint != "" {
		event.Props = append(event.Props, trace.Prop{Name: "TAINT", Value: e.Output.Taint})
	}
	r.emit(event)
}

// jsonArgs are arguments as the model wrote them, as JSON without blanks: what
// the journal gives back.
func jsonArgs(text string) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) == nil {
		return b.Bytes()
	}
	quoted, _ := json.Marshal(text)
	return quoted
}

// callContext describes the current call to its tool.
type callContext struct {
	key    string
	ledger *Ledger
	taint  []string
	run    *run
	entry  string // the call's key within the run's journal
}

type callContextKey struct{}

func (r *run) withCall(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callContextKey{}, callContext{r.Keys + "/" + key, r.main, slices.Clone(r.taint), r, key})
}

// CallKey is the idempotency key of the tool call a context belongs to: the
// same when a resumed run repeats a call whose end is not known.
func CallKey(ctx context.Context) string {
	c, _ := ctx.Value(callContextKey{}).(callContext)
	return c.key
}

// WithCallKey is a context with the idempotency key of a call, for tools that are
// called outside of a run.
func WithCallKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, callContextKey{}, callContext{key: key})
}

// Announce notes in the journal what a tool call is about to do, and returns when
// that is on disk. Where the call was announced by a process that died, what that one
// was about to do is read into plan instead, and again is true. Without a journal
// nothing is noted.
func Announce(ctx context.Context, plan any) (again bool, err error) {
	c, _ := ctx.Value(callContextKey{}).(callContext)
	if c.run == nil || c.run.Journal == nil {
		return false, nil
	}
	key := c.entry + "/plan"
	if again, err = c.run.recorded(trace.EntryIntent, key, plan); again || err != nil {
		return again, err
	}
	if err := c.run.record(trace.EntryIntent, key, plan); err != nil {
		return false, err
	}
	return false, c.run.sync()
}

// LedgerOf is the ledger of the run whose tool call a context belongs to: what
// a tool starts draws on it. It is nil outside tool calls.
func LedgerOf(ctx context.Context) *Ledger {
	c, _ := ctx.Value(callContextKey{}).(callContext)
	return c.ledger
}
