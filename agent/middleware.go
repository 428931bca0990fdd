package agent

import (
	"context"
	"errors"
	"fmt"

	"wb/internal/sha"
	"wb/internal/trace"
)

// Middleware wraps what a run does. It is called once for each run, so what its
// functions close over is that run's own state; the first of a list is outermost.
//
// It sees what is done anew. Turns and calls that the journal has are not done, and
// a replay does nothing: what a middleware answers must not change what a run that
// goes on would find in its journal.
type Middleware func(RunInfo) Layer

// RunInfo describes to a middleware the run it wraps.
type RunInfo struct {
	Agent     *Definition
	RunID     string
	RootRunID string
	SessionID string
}

// Layer is a middleware at work in one run. Functions that are nil wrap nothing.
type Layer struct {
	// Admit sees the task before the first turn. A [*BlockedError] ends the run as
	// blocked, any other error as failed. The answer is in the journal.
	Admit func(ctx context.Context, task string) error
	Ask   func(next AskFunc) AskFunc   // wraps every turn of the model
	Call  func(next CallFunc) CallFunc // wraps every call of a tool
}

// AskFunc is [Model.Complete].
type AskFunc func(ctx context.Context, request Request, delta func(text string)) (Reply, error)

// CallFunc makes the call of a tool, whose arguments it checks.
type CallFunc func(ctx context.Context, call ToolCall) (Output, error)

// BlockedError refuses a task.
type BlockedError struct{ Reason string }

func (e *BlockedError) Error() string { return "blocked: " + e.Reason }

// layers puts the run's middleware to work.
func (r *run) layers() {
	info := RunInfo{Agent: r.agent, RunID: r.RunID, RootRunID: r.RootRunID, SessionID: r.SessionID}
	r.call = r.perform
	r.complete = func(ctx context.Context, request Request, delta func(string)) (Reply, error) {
		return r.Model.Complete(ctx, request, delta) // a replay has no model
	}
	for i := len(r.Around) - 1; i >= 0; i-- {
		l := r.Around[i](info)
		if l.Ask != nil {
			r.complete = l.Ask(r.complete)
		}
		if l.Call != nil {
			r.call = l.Call(r.call)
		}
		if l.Admit != nil {
			r.admits = append([]func(context.Context, string) error{l.Admit}, r.admits...)
		}
	}
}

// admission is the journal's record of whether a guard admitted the task.
type admission struct {
	Task    string `json:"task"` // digest
	Blocked string `json:"blocked,omitempty"`
}

// admit asks the middleware about the task; an outcome ends the run before its
// first turn.
func (r *run) admit(ctx context.Context) *outcome {
	if len(r.admits) == 0 {
		return nil
	}
	err := r.admitted(ctx)
	var blocked *BlockedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &blocked):
		r.emit(trace.Event{Kind: trace.KindDenial, Tool: "guard", Status: StatusBlocked, Error: blocked.Reason})
		return &outcome{status: StatusBlocked, text: blocked.Error(), err: err}
	case errors.Is(err, context.Canceled):
		o := r.conclude(ctx, err)
		return &o
	}
	return &outcome{status: StatusError, text: fmt.Sprintf("error: %v", err), err: err} // no turn to wrap up: the model may not see the task
}

func (r *run) admitted(ctx context.Context) error {
	const key = "admit"
	a := admission{Task: sha.Hex(r.Task)}
	var known admission
	found, err := r.recorded(trace.EntryEffect, key, &known)
	switch {
	case err != nil:
		return err
	case found && known.Task != a.Task:
		return &DivergedError{Key: key, Got: r.Task}
	case found && known.Blocked != "":
		return &BlockedError{known.Blocked}
	case found:
		return nil
	case r.Replay:
		return &DivergedError{Key: key}
	}
	within, cancel := r.within(ctx, r.deadline)
	defer cancel()
	for _, admit := range r.admits {
		var blocked *BlockedError
		switch err := admit(within, r.Task); {
		case errors.As(err, &blocked):
			a.Blocked = blocked.Reason
			return errors.Join(r.record(trace.EntryEffect, key, a), blocked)
		case ctx.Err() != nil:
			return context.Canceled
		case err != nil: // who cannot ask may not go on
			return fmt.Errorf("guard: %w", err)
		}
	}
	return r.record(trace.EntryEffect, key, a)
}
