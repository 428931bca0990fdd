package host

import (
	"context"
	"sync"

	"wb/agent"
	"wb/agent/llm"
	"wb/agent/settings"
	"wb/sandbox/dock/broker"
)

// Completer asks the model that the environment names, for components that were
// granted llm. The client is made at the first question; without a key that is
// an error with a hint.
func Completer(getenv func(string) string) broker.Completer {
	rt := &Runtime{Getenv: getenv}
	client := sync.OnceValues(func() (_ *llm.Client, err error) {
		if rt.Settings, err = settings.Load(getenv); err != nil {
			return nil, err
		}
		return rt.client(nil)
	})
	return func(ctx context.Context, prompt string) (broker.Completion, error) {
		c, err := client()
		if err != nil {
			return broker.Completion{}, err
		}
		model, err := rt.model(&agent.Definition{}, Task{})
		if err != nil {
			return broker.Completion{}, err
		}
		reply, err := c.Complete(ctx, agent.Request{Model: model, Temperature: 0.4, Messages: []agent.Message{{Role: agent.RoleUser, Content: prompt}}}, nil)
		return broker.Completion{Text: reply.Message.Content, Tokens: reply.Usage.TokensIn + reply.Usage.TokensOut}, err
	}
}
