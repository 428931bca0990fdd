package host_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"wb/agent/host"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/workbook/capability"
)

// equipped is an agent with a component, another agent, and everything else that
// there is; no :TOOLS: would leave out the first two.
const equipped = `* Boss :agent:
:PROPERTIES:
:ID: boss
:TOOLS: shell vfs_read vfs_write run search fetch web_search wb file_issue git publish image memory state waldo double loose
:EXEC: t
:MAX_STEPS: 5
:END:
You have everything.
* Waldo :agent:
:PROPERTIES:
:ID: waldo
:END:
You write.
* Double
:PROPERTIES:
:in: n
:out: twice
:sig: double(n: s32, names: list<string>, at: option<string>) -> s32
:END:
#+begin_src js
export function double(n) { return 2 * n }
#+end_src
* Loose
:PROPERTIES:
:in: a
:out: b
:END:
#+begin_src js
export function b(a) { return a }
#+end_src
`

// Every tool's schema, as the model gets it, is one of JSON Schema 2020-12 for an
// object, and whatever does not fit it reaches no tool.
func TestToolSchemas(t *testing.T) {
	rt, dir, server := bench(t)
	lanetest.Need(t, rt.Env, "quickjs")
	rt.Capabilities = &capability.Host{Tenant: "default", StateDir: rt.State.Dir()}
	t.Cleanup(func() { rt.Capabilities.Close() })
	file := filepath.Join(dir, "equipped.org")
	if err := os.WriteFile(file, []byte(equipped), 0o644); err != nil {
		t.Fatal(err)
	}
	task := host.Task{File: file, ID: "boss", Text: "go", Exec: true, Session: "s"}
	server.Add(llmtest.Step{Text: "nothing to do"})
	if _, err := rt.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	tools, _ := server.Requests()[0].Body["tools"].([]any)
	if len(tools) != 18 { // those above, and done
		t.Errorf("the model is told of %d tools", len(tools))
	}
	var step llmtest.Step
	var wrong []string
	misuse := func(name string, args map[string]any) {
		text, _ := json.Marshal(args)
		step.Calls = append(step.Calls, llmtest.Call{Name: name, Args: string(text)})
		wrong = append(wrong, name+" "+string(text))
	}
	for _, one := range tools {
		function, _ := one.(map[string]any)["function"].(map[string]any)
		name := function["name"].(string)
		text, err := json.Marshal(function["parameters"])
		if err != nil {
			t.Fatal(err)
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		if err := c.AddResource("tool.json", schema); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Compile("tool.json"); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		object, _ := schema.(map[string]any)
		if name == "done" { // takes any result, and ends the run with it
			continue
		}
		if object["type"] != "object" || object["additionalProperties"] != false {
			t.Errorf("%s takes more than the named arguments: %s", name, text)
		}
		misuse(name, map[string]any{"no such argument": 1})
		properties, _ := object["properties"].(map[string]any)
		for property := range properties {
			if shape, _ := properties[property].(map[string]any); len(shape) > 0 { // {} is anything
				misuse(name, map[string]any{property: map[string]any{"neither": "text nor number"}, "args": map[string]any{"a": 1}})
			}
		}
	}
	server.Add(step, llmtest.Step{Text: "tried"})
	r, err := rt.Run(t.Context(), task)
	if err != nil || len(r.Events) != len(wrong) {
		t.Fatalf("%+v %v", r, err)
	}
	for i, e := range r.Events {
		if e.Error == "" || !strings.Contains(e.Output, e.Tool+" error: ") {
			t.Errorf("%s gave %q", wrong[i], e.Output)
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); name == "issues.org" || strings.HasSuffix(name, ".txt") {
			t.Errorf("%s was made: %v", name, err)
		}
	}
}
