package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/internal/diag"
	"wb/workbook"
)

// listed answers resources/list with the current files.
func (s *server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method != "resources/list" {
			return next(ctx, method, r)
		}
		result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
		err := host.FilesIn(s.root.FS(), func(name string, info fs.FileInfo) {
			kind := mime.TypeByExtension(path.Ext(name))
			if path.Ext(name) == ".org" || kind == "" {
				kind = "text/plain"
			}
			result.Resources = append(result.Resources, &mcp.Resource{Name: name, URI: scheme + name, MIMEType: kind, Size: info.Size()})
		})
		return result, err
	}
}

func (s *server) listAgents(context.Context, struct{}) (string, any, error) {
	all, err := host.AgentsIn(s.root.FS())
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %s\n", a.Name, strings.TrimSpace(a.Title+"  "+a.Tagline))
	}
	if len(all) == 0 {
		return "no document here defines an agent", map[string]any{"agents": all}, nil
	}
	return b.String(), map[string]any{"agents": all}, nil
}

type askIn struct {
	Agent   string `json:"agent" jsonschema:"which agent: FILE#ID, as agents lists them"`
	Task    string `json:"task" jsonschema:"what to do, with everything the agent needs to know"`
	Session string `json:"session,omitempty" jsonschema:"a conversation to go on with"`
}

// ask gives an agent of a document a task.
func (s *server) ask(ctx context.Context, in askIn) (string, any, error) {
	result, err := s.asked(ctx, in)
	if err != nil {
		return "", nil, err
	}
	return result.Result, outcome(result), nil
}

// asked is the result of an agent that came to one.
func (s *server) asked(ctx context.Context, in askIn) (*agent.Result, error) {
	name, id, _ := strings.Cut(in.Agent, "#")
	file, err := s.home(ctx).Path(name)
	if err != nil {
		return nil, err
	}
	result, err := s.Ask(ctx, host.Task{File: file, ID: id, Text: in.Task, Session: in.Session})
	if err != nil {
		return nil, err
	}
	if result.ExitCode() != 0 {
		return nil, fmt.Errorf("the run %s ended with %s: %s", result.RunID, result.Status, strings.TrimPrefix(result.Result, "error: "))
	}
	return result, nil
}

// The schemas of a tool that is an agent.
var (
	taskSchema = json.RawMessage(`{"type":"object","properties":{
		"task":{"type":"string","description":"what to do, with everything the agent needs to know"},
		"session":{"type":"string","description":"a conversation to go on with"}},"required":["task"],"additionalProperties":false}`)
	outcomeSchema = json.RawMessage(`{"type":"object","properties":{"result":{"type":"string"},"status":{"type":"string"},
		"run":{"type":"string"},"steps":{"type":"integer"}},"required":["result","status","run","steps"]}`)
)

// outcome is a result as outcomeSchema describes it.
func outcome(r *agent.Result) map[string]any {
	return map[string]any{"result": r.Result, "status": r.Status, "run": r.RunID, "steps": r.Steps}
}

// isObject reports whether a schema describes objects, as the protocol wants.
func isObject(schema json.RawMessage) bool {
	var s struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// askAs is the tool of one agent. Shaped says that its document gives the schema of
// its results.
func (s *server) askAs(name string, shaped bool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := askIn{}
		err := arguments(r, taskSchema, &in)
		var result *agent.Result
		if err == nil {
			in.Agent = name
			result, err = s.asked(withNotifier(ctx, r), in)
		}
		if err != nil {
			return s.refusal(ctx, err), nil
		}
		answer := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: result.Result}}, StructuredContent: outcome(result)}
		if shaped {
			answer.StructuredContent = result.Data
		}
		return answer, nil
	}
}

// runAs is the tool of one workbook or workflow.
func (s *server) runAs(file string, signature workbook.Signature) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		exports, err := s.exports(withNotifier(ctx, r), file, signature, r)
		if err != nil {
			return s.refusal(ctx, err), nil
		}
		text, err := json.Marshal(exports)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
	}
}

// exports runs what a signature describes, with a call's arguments as its imports.
func (s *server) exports(ctx context.Context, file string, signature workbook.Signature, r *mcp.CallToolRequest) (map[string]json.RawMessage, error) {
	set := map[string]json.RawMessage{}
	schema, err := json.Marshal(signature.In)
	if err != nil {
		return nil, err
	}
	if err := arguments(r, schema, &set); err != nil {
		return nil, err
	}
	row, _ := app.Find("run")
	run := map[string]any{"file": file, "set": set}
	if len(signature.Only) > 0 {
		run["only"] = signature.Only
	}
	given, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	in, err := row.JSON(given)
	if err != nil {
		return nil, err
	}
	reply, err := row.Reply(ctx, s.home(ctx), in)
	if err != nil {
		return nil, err
	}
	out, ok := reply.Data.(*app.RunOut)
	if !ok || out.Exit() != 0 {
		return nil, fmt.Errorf("%s failed: %s", file, strings.TrimSpace(reply.Text))
	}
	exports := map[string]json.RawMessage{}
	for name := range signature.Out["properties"].(map[string]any) {
		if value, ok := out.Exports[name]; ok {
			exports[name] = value
		}
	}
	return exports, nil
}

// arguments reads those of a call that fit a schema, with its defaults.
func arguments(r *mcp.CallToolRequest, schema json.RawMessage, into any) error {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: false})
	if err != nil {
		return err
	}
	given := map[string]any{}
	if len(r.Params.Arguments) > 0 {
		if err := json.Unmarshal(r.Params.Arguments, &given); err != nil {
			return diag.Usagef("", "arguments of %s: %v", r.Params.Name, err)
		}
	}
	if err := resolved.ApplyDefaults(&given); err != nil {
		return err
	}
	if err := resolved.Validate(given); err != nil {
		return diag.Usagef(app.Takes(&s), "arguments of %s: %v", r.Params.Name, err)
	}
	exact := map[string]json.RawMessage{} // large numbers, too, are as they were given
	if len(r.Params.Arguments) > 0 {
		if err := json.Unmarshal(r.Params.Arguments, &exact); err != nil {
			return err
		}
	}
	for name, value := range given {
		if _, ok := exact[name]; !ok {
			if exact[name], err = json.Marshal(value); err != nil {
				return err
			}
		}
	}
	whole, err := json.Marshal(exact)
	if err != nil {
		return err
	}
	return json.Unmarshal(whole, into)
}

// refusal is an error as the caller reads it, in which files are named as the caller
// names them.
func (s *server) refusal(ctx context.Context, err error) *mcp.CallToolResult {
	text := s.home(ctx).Inside(diag.Explain(err))
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// addPrompt offers an agent's instructions to clients that have a model of their own.
func (s *server) addPrompt(m *mcp.Server, a host.Found) {
	m.AddPrompt(&mcp.Prompt{Name: a.Name, Title: a.Title, Description: strings.TrimSpace("The instructions of the agent " + a.Name + ". " + a.Tagline),
		Arguments: []*mcp.PromptArgument{{Name: "task", Description: "what to do", Required: true}}},
		func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			text := strings.TrimSpace(a.System + "\n\nThe task: " + r.Params.Arguments["task"])
			return &mcp.GetPromptResult{Description: a.Title, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
}
