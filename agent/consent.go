package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/internal/trace"
)

// Consent decides about calls that a person must allow. The run asks before the
// call and keeps the answer in its journal.
type Consent interface {
	// Needed says why a call needs a person, "" when it does not. Taint is where
	// the untrusted text came from that the run has read.
	Needed(r Reviewed) string
	// Ask returns when a person has decided, or a *[PendingError] when the run
	// shall not wait for that.
	Ask(ctx context.Context, q Question) (allowed bool, err error)
}

// Reviewed is a call that may need a person.
type Reviewed struct {
	Call  ToolCall
	Reads bool // the tool only reads
	Taint []string
	// Seen reports whether a text stands in what the run was told or has read.
	Seen func(text string) bool
}

// Question is a call that needs a person.
type Question struct {
	Key   string // the call's idempotency key, the same in a resumed run
	Agent string
	Call  ToolCall
	Why   string
	// Waits is called when no answer is there yet.
	Waits func()
}

// PendingError ends a run that does not wait for a person.
type PendingError struct{ Tool, ID string }

func (e *PendingError) Error() string {
	return fmt.Sprintf("waiting for approval of %s (%s)", e.Tool, e.ID)
}

// consent is the journal's record of an approval's answer.
type consent struct {
	Allowed bool   `json:"allowed"`
	Why     string `json:"why"`
}

// consented asks a person where one is needed. Time spent waiting is not the
// agent's.
func (r *run) consented(ctx context.Context, step int, key string, call ToolCall) (bool, error) {
	if r.Consent == nil || r.tools.tools[call.Name] == nil {
		return true, nil
	}
	var c consent
	if found, err := r.recorded(trace.EntryApproval, key, &c); found || err != nil {
		return c.Allowed, err
	}
	if c.Why = r.Consent.Needed(Reviewed{call, r.reads(call), r.taint, r.seen}); c.Why == "" {
		return true, nil
	}
	return r.askPerson(ctx, step, key, call, c.Why)
}

// seen reports whether a text stands in what the run was told or has read.
func (r *run) seen(text string) bool {
	return slices.ContainsFunc(r.transcript, func(m Message) bool { return m.Role != RoleAssistant && strings.Contains(m.Content, text) })
}

// askPerson puts a call to a person and keeps the answer in the journal.
func (r *run) askPerson(ctx context.Context, step int, key string, call ToolCall, why string) (bool, error) {
	c := consent{Why: why}
	if r.Replay {
		return false, &DivergedError{Key: key}
	}
	asked := r.Now()
	waits := func() {
		r.emit(trace.Event{Kind: trace.KindApproval, Step: step, Tool: call.Name, Args: jsonArgs(call.Args), Status: "asked", Output: c.Why})
	}
	allowed, err := r.Consent.Ask(ctx, Question{Key: r.Keys + "/" + key, Agent: r.agent.ID, Call: call, Why: c.Why, Waits: waits})
	waited := r.Now().Sub(asked)
	r.elapsed -= waited
	if err != nil {
		return false, err
	}
	c.Allowed = allowed
	status := "allowed"
	if !allowed {
		status = "denied"
	}
	r.emit(trace.Event{Kind: trace.KindApproval, Step: step, Tool: call.Name, Status: status, Duration: waited})
	return allowed, r.record(trace.EntryApproval, key, c)
}

// onceMore asks a person about a call that a process began and did not end: it may
// have been made already, and the tool does not say that making it twice is harmless.
func (r *run) onceMore(ctx context.Context, step int, key string, call ToolCall) (again bool, err error) {
	t, ok := r.tools.tools[call.Name].(interface{ Once() bool })
	if !ok || !t.Once() || r.Journal == nil {
		return true, nil
	}
	if _, begun := r.Journal.Find(trace.EntryIntent, key); !begun {
		return true, nil
	}
	key += "/again"
	var c consent
	if found, err := r.recorded(trace.EntryApproval, key, &c); found || err != nil {
		return c.Allowed, err
	}
	if r.Consent == nil {
		return false, nil
	}
	return r.askPerson(ctx, step, key, call, "the process that made this call died before the answer came: allow repeats the call, deny counts it as made")
}

// errUnknown is the tool result of a call that may have happened before a crash and is not
// repeated.
func errUnknown(tool string) error {
	return errors.New(tool + " was under way when the process died, so it may have taken effect; it was not repeated: check before you repeat it")
}

// errRefused is the tool result of a call that a reviewer denied.
func errRefused(tool string) error {
	return errors.New(tool + " denied by a person; carry on without it")
}

// tainted notes where text that was read came from.
func (r *run) tainted(labels string) {
	for label := range strings.FieldsSeq(labels) {
		if !slices.Contains(r.taint, label) {
			r.taint = append(r.taint, label)
		}
	}
}

// TaintOf returns the untrusted sources read so far by the run that a tool call's context
// belongs to; a run that the call starts begins with it.
func TaintOf(ctx context.Context) []string {
	c, _ := ctx.Value(callContextKey{}).(callContext)
	return c.taint
}
