package wat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/agent"
	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox"
)

// notCompiled begins what a model reads of a program that did not compile.
const notCompiled = "Your program failed to compile"

// Tools are the tools that answers of this style call: wat, catalog and code. Ready says which
// languages can be used at once.
func Tools(programs *Programs, host *Host, catalog Catalog, ready func(compile.Info) bool) []agent.Tool {
	run := func(ctx context.Context, body string, args []string) (agent.Output, error) {
		out, err := programs.Run(ctx, host, body, args)
		return observation(ctx, out, err, "ToolCall::Wat(```wat ... ```)")
	}
	return []agent.Tool{
		&tool{toolUnread, "Say that a ToolCall cannot be read.", `{"type":"object"}`, unread},
		&tool{toolWat, "Run a program.", `{"type":"object","properties":{"body":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["body"]}`,
			func(ctx context.Context, args agent.Args) (agent.Output, error) {
				return run(ctx, args.Text("body"), words(args))
			}},
		&tool{toolCatalog, "Run a program of the catalog.", `{"type":"object","properties":{"name":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["name"]}`,
			func(ctx context.Context, args agent.Args) (agent.Output, error) {
				body, whole, err := catalog.Find(args.Text("name"), words(args))
				if err != nil {
					return agent.Output{}, err
				}
				return run(ctx, body, whole)
			}},
		&tool{toolCode, "Run a program in another language.", `{"type":"object","properties":{"lang":{"type":"string"},"body":{"type":"string"},"args":{"type":"array","items":{"type":"string"}}},"required":["lang","body"]}`,
			func(ctx context.Context, args agent.Args) (agent.Output, error) {
				out, err := runCode(ctx, programs.Lanes, ready, host, args.Text("lang"), args.Text("body"), words(args))
				return observation(ctx, out, err, fmt.Sprintf("ToolCall::Code(%q, ``` ... ```)", args.Text("lang")))
			}},
	}
}

// unread is the observation of a ToolCall that cannot be parsed. It may try again
// as after a program that does not compile.
func unread(context.Context, agent.Args) (agent.Output, error) {
	return agent.Output{Retry: true}, told(notCompiled + ": your ToolCall cannot be read.\n" +
		"Write exactly one of ToolCall::Wat(```wat ... ```, \"arg\"), ToolCall::Catalog(\"name\", \"arg\"), ToolCall::Code(\"lang\", ``` ... ```), ToolCall::Response(\"\"\"...\"\"\").")
}

// tool is a function as a tool.
type tool struct {
	name, about, schema string
	call                func(ctx context.Context, args agent.Args) (agent.Output, error)
}

func (t *tool) Spec() agent.ToolSpec {
	return agent.ToolSpec{Name: t.name, Description: t.about, Schema: json.RawMessage(t.schema)}
}

func (*tool) ReadOnly() bool { return false }

func (t *tool) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	return t.call(ctx, args)
}

func words(args agent.Args) []string {
	var list []string
	_ = json.Unmarshal(args["args"], &list) // checked against the schema before
	return list
}

// told is an error in whole sentences, as the model reads it.
type told string

func (t told) Error() string { return string(t) }

// observation is the model's view of an execution. What does not compile is
// tried again.
func observation(ctx context.Context, out agent.Output, err error, form string) (agent.Output, error) {
	var wrong *CompileError
	var bound *agent.BoundError
	switch {
	case err == nil:
		out.Text = "Execution result:\n" + out.Text
		return out, nil
	case errors.As(err, &bound) || ctx.Err() != nil:
		return out, err
	case errors.As(err, &wrong):
		out.Retry = true
		return out, told(fmt.Sprintf("%s: %s\nFix it and respond with the corrected %s.", notCompiled, wrong.Messages, form))
	}
	return out, told("Execution FAILED:\n" + err.Error())
}

// Languages are those that programs can be written in besides wat.
func Languages(lanes *compile.Registry, ready func(compile.Info) bool) []string {
	var names []string
	for _, lane := range lanes.All() {
		if info := lane.Info(); info.Name != "wat" && ready(info) && slices.Contains(info.Shapes, compile.ShapeCommand) {
			names = append(names, info.Name)
		}
	}
	return names
}

// runCode runs a program of a lane as a command on the run's tree.
func runCode(ctx context.Context, lanes *compile.Registry, ready func(compile.Info) bool, host *Host, lang, body string, args []string) (agent.Output, error) {
	lane, ok := lanes.Lookup(lang)
	if !ok || !slices.Contains(lane.Info().Shapes, compile.ShapeCommand) || !ready(lane.Info()) {
		return agent.Output{}, fmt.Errorf("unknown language %s; known are %s", lang, strings.Join(Languages(lanes, ready), ", "))
	}
	src := &compile.Source{Pos: diag.Position{File: "program", Line: 1, Col: 1}, Lang: lang, Body: body, Shape: compile.ShapeCommand, Args: map[string][]string{}}
	art, err := lane.Build(ctx, src)
	var wrong *diag.FindingsError
	if errors.As(err, &wrong) {
		return agent.Output{}, &CompileError{err.Error()}
	}
	if err != nil {
		return agent.Output{}, err
	}
	limits := host.Limits
	if limits == (sandbox.Limits{}) {
		limits = DefaultLimits
		limits.Memory = 256 << 20
	}
	result, err := lane.Run(ctx, art, &compile.Job{Args: args, Files: host.Files.FS(), Limits: limits, Source: src})
	var out agent.Output
	changes, treeErr := host.Files.Changes(ctx)
	out.Files, out.Taint = changes, "file:*"
	if err = errors.Join(err, treeErr); err != nil {
		return out, err
	}
	text := string(result.Stdout)
	if len(result.Stderr) > 0 {
		text += "\n" + string(result.Stderr)
	}
	if result.Exit != 0 {
		text += fmt.Sprintf("\nexit code %d", result.Exit)
	}
	out.Text, out.Exit = strings.TrimSpace(string(sandbox.Neutralize([]byte(text)))), &result.Exit
	if out.Text == "" {
		out.Text = "(no output)"
	}
	return out, nil
}
