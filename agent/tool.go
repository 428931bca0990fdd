package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is something a model can ask for. Call never sees arguments that do not
// fit the schema. An error is text the model reads, unless it is a
// [*BoundError] or the context's.
//
// A tool that changes nothing but the run's tree and state, if anything, may
// say so with a method Contained() bool: what the journal says of its calls is
// then not waited for.
type Tool interface {
	Spec() ToolSpec
	// ReadOnly tools of one turn may run at the same time.
	ReadOnly() bool
	Call(ctx context.Context, args Args) (Output, error)
}

// Args are the checked arguments of a call.
type Args map[string]json.RawMessage

// Text is a string argument, "" when it was not given.
func (a Args) Text(name string) string {
	var s string
	_ = json.Unmarshal(a[name], &s) // checked against the schema before
	return s
}

// Output is the result of a tool call.
type Output struct {
	// Text goes to the model, shortened to MaxOutput characters.
	Text string `json:"text"`
	Exit *int   `json:"exit,omitempty"`
	// Fuel is the fuel used by programs that the tool started.
	Fuel int64 `json:"fuel,omitempty"`
	// Done ends the run with Text as its result.
	Done bool `json:"done,omitempty"`
	// Data is the structured form of Text where a tool has one.
	Data json.RawMessage `json:"data,omitempty"`
	// Pictures are shown to models that see.
	Pictures []Picture `json:"pictures,omitempty"`
	// Silent output needs no answer: a turn whose calls are all silent ends the
	// run.
	Silent bool `json:"silent,omitempty"`
	// Retry asks the model to mend what it wrote: the turn counts as no step, at
	// most MaxRetries times in a row.
	Retry bool `json:"retry,omitempty"`
	// Taint names where untrusted text in the output came from: "web:HOST",
	// "file:PATH", "mcp:SERVER", several separated by blanks.
	Taint string `json:"taint,omitempty"`
	// Artifacts are for the caller; the model never sees them.
	Artifacts []Artifact `json:"artifacts,omitempty"`
	// BytesOut counts the bytes the tool sent to the network.
	BytesOut int64 `json:"bytes_out,omitempty"`
	// Files are the tool's changes to the run's tree.
	Files []FileChange `json:"files,omitempty"`
	// State holds the tool's changes to the session's state.
	State []StateChange `json:"state,omitempty"`
}

// Artifact is a thing made for the caller.
type Artifact struct {
	Kind string          `json:"kind"`
	Path string          `json:"path,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// ToolTimeout is how long one call may take.
const ToolTimeout = 150 * time.Second

// MaxOutput is how many characters of an output the model reads.
const MaxOutput = 4000

// toolbox is the tools of a run, with their schemas compiled.
type toolbox struct {
	tools   map[string]Tool
	schemas map[string]*jsonschema.Resolved
	specs   []ToolSpec // sorted by name: a stable prefix for prompt caches
}

func newToolbox(tools []Tool) (*toolbox, error) {
	b := &toolbox{tools: map[string]Tool{}, schemas: map[string]*jsonschema.Resolved{}}
	for _, t := range tools {
		spec := t.Spec()
		var schema jsonschema.Schema
		if err := json.Unmarshal(spec.Schema, &schema); err != nil {
			return nil, fmt.Errorf("tool %s: schema: %w", spec.Name, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			return nil, fmt.Errorf("tool %s: schema: %w", spec.Name, err)
		}
		if b.tools[spec.Name] != nil {
			return nil, fmt.Errorf("two tools are named %s", spec.Name)
		}
		b.tools[spec.Name], b.schemas[spec.Name] = t, resolved
		b.specs = append(b.specs, spec)
	}
	slices.SortFunc(b.specs, func(x, y ToolSpec) int { return strings.Compare(x.Name, y.Name) })
	return b, nil
}

// arguments checks a call, and says what is wrong in words the model can act
// on.
func (b *toolbox) arguments(call ToolCall) (Tool, Args, error) {
	tool, ok := b.tools[call.Name]
	if !ok {
		if reason, gated := gatedTools[call.Name]; gated {
			return nil, nil, errors.New(reason)
		}
		return nil, nil, fmt.Errorf("unknown tool: %s", call.Name)
	}
	text := strings.TrimSpace(call.Args)
	if text == "" {
		text = "{}"
	}
	var args Args
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		reason := `write them as {"name": value}`
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			reason = err.Error()
		}
		return nil, nil, fmt.Errorf("%s error: arguments are not a JSON object: %s", call.Name, reason)
	}
	if renamer, ok := tool.(interface{ Accept(Args) }); ok {
		renamer.Accept(args)
	}
	for _, name := range required(tool.Spec().Schema) {
		var s string
		raw, given := args[name]
		switch wantsString := b.wantsString(call.Name, name); {
		case wantsString && (!given || json.Unmarshal(raw, &s) != nil):
			return nil, nil, fmt.Errorf("%s error: required arg `%s` missing or not a string", call.Name, name)
		case !given:
			return nil, nil, fmt.Errorf("%s error: required arg `%s` missing", call.Name, name)
		}
	}
	var instance any
	whole, _ := json.Marshal(args)
	_ = json.Unmarshal(whole, &instance)
	if err := b.schemas[call.Name].Validate(instance); err != nil {
		return nil, nil, fmt.Errorf("%s error: %s", call.Name, oneLine(err.Error()))
	}
	return tool, args, nil
}

// gatedTools need a grant of the host; without it the model is told so.
var gatedTools = map[string]string{
	"git":     "git not permitted (no exec capability)",
	"publish": "publish not permitted (no exec capability)",
	"image":   "image not permitted (no exec capability)",
}

func required(schema json.RawMessage) []string {
	var s struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(schema, &s)
	return s.Required
}

func (b *toolbox) wantsString(tool, name string) bool {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(b.tools[tool].Spec().Schema, &s)
	return s.Properties[name].Type == "string"
}

// excerpt is the part of an output that the model reads: all of it when it is short.
func excerpt(text, id string) string {
	runes := []rune(text)
	if len(runes) <= MaxOutput {
		return text
	}
	return fmt.Sprintf("%s\n… (%d of %d characters are left out here; more reads on in output %s from %d) …\n%s",
		string(runes[:outputHead]), len(runes)-MaxOutput, len(runes), id, outputHead, string(runes[len(runes)-(MaxOutput-outputHead):]))
}

// outputHead is how much of a shortened output is its beginning; the rest is its end,
// where errors stand.
const outputHead = 2500

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
