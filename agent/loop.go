package agent

import (
	"context"
	"errors"
	"fmt"
)

// outcome is how the loop ended: with a text, in a status.
type outcome struct {
	status string
	text   string
	data   []byte // JSON, when the text was checked against a schema
	err    error  // why, unless the agent ended by itself
}

// loop is the agent. It asks the model, runs the tools it calls, appends what
// they said, and asks again, until an answer comes without tools, done is
// called, a bound would be broken, or somebody cancels. The transcript is all
// the state there is.
func (r *run) loop(ctx context.Context) outcome {
	for step := 1; ; {
		if err := r.stopped(ctx); err != nil {
			return r.conclude(ctx, err)
		}
		reply, err := r.askShortened(ctx, step)
		if err != nil {
			return r.conclude(ctx, err)
		}
		r.transcript = append(r.transcript, reply.Message)
		if len(reply.Message.ToolCalls) == 0 {
			if complaint := r.checkAnswer(reply.Message.Content); complaint != "" && r.repair() {
				r.transcript = append(r.transcript, Message{Role: RoleUser, Content: complaint})
				continue
			}
			return r.finish(StatusText, reply.Message.Content)
		}
		outputs, err := r.callTools(ctx, step, reply.Message.ToolCalls)
		if err != nil {
			return r.conclude(ctx, err)
		}
		silent, again := true, false
		for i, call := range reply.Message.ToolCalls {
			out := outputs[i]
			if out.Done {
				complaint := r.check(out.Text)
				if complaint == "" || !r.repair() {
					return r.finish(StatusDone, out.Text)
				}
				out.Text, out.Silent = complaint, false
			}
			silent, again = silent && out.Silent, again || out.Retry
			r.transcript = append(r.transcript, Message{Role: RoleTool, ToolCallID: call.ID, Content: excerpt(out.Text, r.keep(out.Text)), Pictures: out.Pictures})
		}
		if silent {
			return outcome{status: StatusSilent, text: r.latestText()}
		}
		if !again || !r.retry(step) {
			step++
		}
	}
}

// finish ends the run with an answer.
func (r *run) finish(status, text string) outcome {
	if err := r.fits(text); err != nil {
		return outcome{status: StatusError, text: "error: " + err.Error(), err: err}
	}
	return outcome{status: status, text: text, data: r.dataOf(text)}
}

// conclude ends a run that did not end by itself. A bound leaves the agent one
// turn without tools, when it is so defined, to say what it has found.
func (r *run) conclude(ctx context.Context, why error) outcome {
	var bound *BoundError
	var pending *PendingError
	if errors.As(why, &bound) {
		bound = r.asWritten(bound)
		why = bound
	}
	switch {
	case errors.As(why, &bound) && r.agent.WrapUp == WrapUpTurn:
		if text, ok := r.wrapUp(ctx, bound); ok {
			return outcome{status: bound.Status(), text: text, data: r.dataOf(text), err: why}
		}
		return outcome{status: bound.Status(), text: bound.Error(), err: why}
	case errors.As(why, &bound) && r.agent.WrapUp == WrapUpLast && r.latestText() != "":
		return outcome{status: bound.Status(), text: r.latestText(), data: r.dataOf(r.latestText()), err: why}
	case errors.As(why, &bound):
		return outcome{status: bound.Status(), text: bound.Error(), err: why}
	case errors.As(why, &pending):
		return outcome{status: StatusCancelled, text: "cancelled: " + why.Error(), err: why}
	case errors.Is(why, context.Canceled):
		reason := "interrupted"
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			reason = cause.Error()
		}
		return outcome{status: StatusCancelled, text: "cancelled: " + reason, err: why}
	}
	return outcome{status: StatusError, text: fmt.Sprintf("error: %v", why), err: why}
}

// asWritten is a bound with the number that the user wrote: a part of it is held back
// for the wrap-up turn.
func (r *run) asWritten(b *BoundError) *BoundError {
	switch {
	case b.Name == "tokens" && r.main.limit.Tokens > 0 && b.Limit == fmt.Sprint(r.main.limit.Tokens):
		return &BoundError{b.Name, fmt.Sprint(r.limits.Tokens)}
	case b.Name == "usd" && r.main.limit.USD > 0 && b.Limit == fmt.Sprintf("%g", r.main.limit.USD):
		return &BoundError{b.Name, fmt.Sprintf("%g", r.limits.USD)}
	}
	return b
}

// latestText is the last thing the model said in words.
func (r *run) latestText() string {
	for i := len(r.transcript) - 1; i >= 0; i-- {
		m := r.transcript[i]
		program := r.agent.Style == StyleWat && len(m.ToolCalls) > 0 // the text is the call
		if m.Role == RoleAssistant && m.Content != "" && !program {
			return m.Content
		}
	}
	return ""
}
