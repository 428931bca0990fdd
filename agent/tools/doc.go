// Package tools has the tools that every agent is given: a shell, files, search,
// workbooks, wb itself, the web, tickets, and done. All of them work inside the
// sandbox or through a broker of the host; none takes a command line of the
// host's. What a tool cannot do it says in words that the model reads.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wb/agent"
)

// tool is a tool made of a function.
type tool struct {
	name, description string
	schema            string
	readOnly          bool
	contained         bool // it changes the run's tree or state and nothing else
	call              func(ctx context.Context, args agent.Args) (agent.Output, error)
	accept            map[string]string // older names of arguments
}

func (t *tool) Spec() agent.ToolSpec {
	return agent.ToolSpec{Name: t.name, Description: t.description, Schema: json.RawMessage(t.schema)}
}

func (t *tool) ReadOnly() bool { return t.readOnly }

// Contained reports whether calls change nothing outside the run.
func (t *tool) Contained() bool { return t.readOnly || t.contained }

func (t *tool) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	return t.call(ctx, args)
}

// Accept takes arguments by their older names.
func (t *tool) Accept(args agent.Args) {
	for older, name := range t.accept {
		if v, ok := args[older]; ok && args[name] == nil {
			args[name] = v
			delete(args, older)
		}
	}
}

// object is the JSON Schema of an object. Each property is "name type
// description"; a name with a question mark is optional.
func object(properties ...string) string {
	var props, required []string
	for _, p := range properties {
		name, rest, _ := strings.Cut(p, " ")
		kind, description, _ := strings.Cut(rest, " ")
		name, optional := strings.CutSuffix(name, "?")
		text, _ := json.Marshal(description)
		props = append(props, fmt.Sprintf(`%q:{"type":%q,"description":%s}`, name, kind, text))
		if !optional {
			required = append(required, fmt.Sprintf("%q", name))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, strings.Join(props, ","), strings.Join(required, ","))
}

// Done ends the run.
func Done() agent.Tool {
	return &tool{name: "done", readOnly: true, description: "End the run and give its result.",
		schema: `{"type":"object","properties":{"result":{"description":"The result, as text or, where a schema is asked for, as JSON."}},"required":["result"]}`,
		call: func(_ context.Context, args agent.Args) (agent.Output, error) {
			text := args.Text("result")
			if text == "" {
				text = string(args["result"])
			}
			return agent.Output{Text: text, Done: true}, nil
		}}
}
