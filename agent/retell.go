package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/internal/trace"
)

// Exchange is one turn of a run as the model saw it: what it was asked and what it
// answered.
type Exchange struct {
	Turn     int           `json:"turn"` // from 1, as [host.Runtime.Fork] counts
	Model    string        `json:"model,omitempty"`
	Messages []Message     `json:"messages"`
	Reply    Message       `json:"reply"`
	Finish   string        `json:"finish_reason,omitempty"`
	Usage    trace.Usage   `json:"usage"`
	Took     time.Duration `json:"took_ns"`
	// Exact says that the journal's digest is that of these messages. It is not where a
	// run was asked for its last words, for the journal does not say in which.
	Exact bool `json:"exact"`
	// Summary says that the turn shortened the conversation for those after it.
	Summary bool `json:"summary,omitempty"`
}

// New are the messages of a turn after those that were said before it, or all of them
// where the conversation does not go on with those.
func (e Exchange) New(before []Message) []Message {
	if len(e.Messages) < len(before) {
		return e.Messages
	}
	for i, m := range before {
		if m.Role != e.Messages[i].Role || m.Content != e.Messages[i].Content {
			return e.Messages
		}
	}
	return e.Messages[len(before):]
}

// Conversation holds the messages between a run and its model.
type Conversation struct {
	Tools []ToolSpec `json:"tools"`
	Turns []Exchange `json:"turns"`
}

// Retell goes through a run once more as far as its journal goes and gathers what its
// model was asked. Nothing is done, and the document is not looked at: the journal has
// the prompt, the tools and the task. History is what the session remembered.
func Retell(ctx context.Context, j Journal, history []Message) (*Conversation, error) {
	out := &Conversation{Turns: []Exchange{}}
	r := run{Options: Options{Journal: j}}
	var first turn
	if found, err := r.recorded(trace.EntryModel, "turn/0", &first); err != nil || !found {
		return out, err
	}
	if first.Asked == nil {
		return nil, errors.New("the journal does not record what the model was asked")
	}
	asked := first.Asked
	out.Tools = asked.Tools
	d := &Definition{ID: "retold", Model: asked.Model, System: asked.System, Temperature: asked.Temperature, MaxTokens: asked.MaxTokens, Repair: 1 << 20}
	if len(asked.Schema) > 0 {
		schema, err := NewSchema(asked.Schema)
		if err != nil {
			return nil, err
		}
		d.Output = schema
	}
	var tools []Tool
	for _, spec := range asked.Tools {
		tools = append(tools, named(spec))
	}
	Run(ctx, Options{Agent: d, Task: asked.Task, Tools: tools, History: history, Journal: onlyRead{j}, Replay: true,
		retold: func(key string, request Request, t turn, exact bool) {
			e := Exchange{Turn: turnOf(key), Model: t.Reply.Model, Messages: slices.Clip(request.Messages), Reply: t.Reply.Message,
				Finish: t.Reply.Finish, Usage: t.Reply.Usage, Took: t.Took, Exact: exact, Summary: strings.HasPrefix(key, "compact/")}
			out.Turns = append(out.Turns, e)
		}})
	return out, ctx.Err()
}

// turnOf is which turn an entry of the journal is of, or shortens the conversation
// for.
func turnOf(key string) int {
	var n int
	_, number, _ := strings.Cut(key, "/")
	_, _ = fmt.Sscanf(number, "%d", &n) // keys are our own
	return n + 1
}

// named is a tool of which nothing but what the model was told is known. It is never
// called.
type named ToolSpec

func (n named) Spec() ToolSpec { return ToolSpec(n) }
func (named) ReadOnly() bool   { return false }
func (n named) Call(context.Context, Args) (Output, error) {
	return Output{}, errors.New(n.Name + " is not called again")
}

// onlyRead is a journal that a run leaves as it is.
type onlyRead struct{ Journal }

func (onlyRead) Add(trace.EntryKind, string, []byte) (trace.Entry, error) {
	return trace.Entry{}, errors.New("the journal is only read")
}
func (onlyRead) Sync() error { return nil }
