package broker

import (
	"context"
	"sync"

	"wb/sandbox/dock"
)

// Completion is a model's answer and what it cost.
type Completion struct {
	Text   string
	Tokens int64 // of prompt and answer together
}

// Completer asks a model. The key and the endpoint are its own affair: its
// errors must not name the key.
type Completer func(ctx context.Context, prompt string) (Completion, error)

// LLM asks a model, within a budget of tokens for the run; 0 is no budget.
// Once it is used up no further call is made.
func LLM(complete Completer, budget int64) dock.Broker {
	var mu sync.Mutex
	var spent int64
	return operations{
		"complete": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			// A token is some four bytes; one call at a time keeps the budget
			// from being overrun by calls that do not know of each other.
			mu.Lock()
			defer mu.Unlock()
			if budget > 0 && spent+int64(len(call.Args[0]))/4 >= budget {
				return dock.Reply{}, dock.Errorf(dock.CodeLimit, "llm: the budget of %d tokens is used up", budget)
			}
			c, err := complete(ctx, call.Text(0))
			spent += c.Tokens
			if err != nil {
				return dock.Reply{}, err
			}
			return dock.Found([]byte(c.Text)), nil
		},
	}
}
