package host

import (
	"context"
	"encoding/json"
	"errors"

	"wb/agent"
	"wb/internal/redact"
)

// The shortest keys that are taken out of records, and out of what tools say: there
// a short one may be an ordinary word.
const (
	shortestKey    = 8
	shortestHidden = 12
)

// secrets are the keys of the environment that the host uses for agents.
func (rt *Runtime) secrets() []string {
	names := []string{"WB_LLM_API_KEY", "OPENROUTER_API_KEY", "WB_SEARCH_KEY", "WB_IMAGE_KEY", "WB_GIT_TOKEN", rt.Settings.Model.KeyEnv, rt.Settings.Image.KeyEnv}
	for _, m := range rt.Settings.MCP {
		names = append(names, m.KeyEnv)
	}
	for _, g := range rt.Settings.Guard {
		names = append(names, g.KeyEnv)
	}
	var all []string
	for _, name := range names {
		if name != "" {
			all = append(all, rt.Getenv(name))
		}
	}
	return all
}

// hiding takes the host's keys out of what tools say, so that one which lies in a
// file or comes back from a server reaches neither the model nor the journal.
func (rt *Runtime) hiding() agent.Middleware {
	keys := redact.New("[key]", shortestHidden, rt.secrets()...)
	return func(agent.RunInfo) agent.Layer {
		if keys == nil {
			return agent.Layer{}
		}
		return agent.Layer{Call: func(next agent.CallFunc) agent.CallFunc {
			return func(ctx context.Context, call agent.ToolCall) (agent.Output, error) {
				out, err := next(ctx, call)
				out.Text = keys.Text(out.Text)
				if len(out.Data) > 0 {
					out.Data = json.RawMessage(keys.Text(string(out.Data)))
				}
				var bound *agent.BoundError
				if err == nil || errors.As(err, &bound) {
					return out, err
				}
				if text := keys.Text(err.Error()); text != err.Error() {
					err = errors.New(text)
				}
				return out, err
			}
		}}
	}
}
