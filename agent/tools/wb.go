package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wb/agent"
	"wb/compile"
)

// allowed are the verbs of wb that an agent may use, with the second words that
// are, where not all are.
var allowed = map[string][]string{
	"query": nil, "search": nil, "plan": nil, "lint": nil, "why": nil, "tangle": nil, "fmt": nil, "telemetry": nil, "run": nil,
	"var": {"get", "list", "set", "ref"}, "toolkit": {"list", "show", "search", "run"}, "trace": nil, "help": nil,
}

// Permitted says why an agent may not use a command line of wb, or nothing.
func Permitted(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("wb error: no verb")
	}
	verb := args[0]
	words, ok := allowed[verb]
	if ok && words != nil {
		ok = len(args) > 1 && slices.Contains(words, args[1])
		verb = strings.Join(args[:min(2, len(args))], " ")
	}
	if !ok {
		return fmt.Errorf("wb %s not permitted to an agent", verb)
	}
	return nil
}

// Verb runs a command line of wb in this process with the agent's tree as its
// directory, and gives what it printed.
type Verb func(ctx context.Context, args []string, tree *agent.Tree) (output string, exit int, err error)

// WB is the wb command line.
func WB(tree *agent.Tree, verb Verb) agent.Tool {
	return &tool{name: "wb", description: "Run a wb command: query, search, plan, lint, why, tangle, fmt, telemetry, trace, run, var, toolkit, help.",
		schema: `{"type":"object","properties":{"args":{"description":"the words after wb, as a list","anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}},"required":["args"],"additionalProperties":false}`,
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			words := compile.Words(args.Text("args"))
			_ = json.Unmarshal(args["args"], &words)
			if len(words) > 0 && words[0] == "wb" {
				words = words[1:]
			}
			if err := Permitted(words); err != nil {
				return agent.Output{}, err
			}
			text, exit, err := verb(ctx, words, tree)
			if err != nil {
				return agent.Output{}, err
			}
			if exit != 0 {
				text = joined(text, fmt.Sprintf("exit %d", exit))
			}
			return changed(ctx, tree, agent.Output{Text: text, Exit: &exit})
		}}
}
