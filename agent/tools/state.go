package tools

import (
	"context"
	"fmt"
	"strings"

	"wb/agent"
)

// State lets an agent keep values from run to run of a session.
func State(state *agent.State) agent.Tool {
	return &tool{name: "state", contained: true, description: "Keep values under keys from one run of this session to the next. op is get, set, delete or list.",
		schema: `{"type":"object","properties":{"op":{"type":"string","enum":["get","set","delete","list"]},"key":{"type":"string"},"value":{"type":"string"}},"required":["op"],"additionalProperties":false}`,
		call: func(_ context.Context, args agent.Args) (agent.Output, error) {
			key, mark := args.Text("key"), state.Mark()
			if key == "" && args.Text("op") != "list" {
				return agent.Output{}, fmt.Errorf("state error: %s needs a key", args.Text("op"))
			}
			var text string
			switch args.Text("op") {
			case "get":
				value, ok := state.Get(key)
				if !ok {
					return agent.Output{}, fmt.Errorf("state error: there is no %s", key)
				}
				text = value
			case "set":
				if err := state.Set(key, args.Text("value")); err != nil {
					return agent.Output{}, fmt.Errorf("state error: %w", err)
				}
				text = "kept " + key
			case "delete":
				state.Delete(key)
				text = "deleted " + key
			case "list":
				if text = strings.Join(state.Keys(), "\n"); text == "" {
					text = "(nothing is stored)"
				}
			}
			return agent.Output{Text: text, State: state.Since(mark)}, nil
		}}
}
