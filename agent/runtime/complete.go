package runtime

import (
	"context"
	"sync"

	"wb/agent"
	"wb/agent/llm"
	"wb/sandbox/dock/broker"
)

// Completer asks the model that the environment names, for components that were
// granted llm. The client is made at the first question; without a key that is
// an error with a hint.
func Completer(getenv func(string) string) broker.Completer {
	rt := &Runtime{Getenv: getenv}
	client := sync.OnceValues(func() (*llm.Client, error) { return rt.client(nil) })
	return func(ctx context.Context, prompt string) (broker.Completion, error) {
		c, err := client()
		if err != nil {
			return broker.Completion{}, err
		}
		model := getenv("WB_LLM_MODEL")
		if model == "" {
			model = DefaultModel
		}
		reply, err := c.Complete(ctx, agent.Request{Model: model, Temperature: 0.4, Messages: []agent.Message{{Role: agent.RoleUser, Content: prompt}}}, nil)
		return broker.Completion{Text: reply.Message.Content, Tokens: reply.Usage.TokensIn + reply.Usage.TokensOut}, err
	}
}
