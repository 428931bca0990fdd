package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/serve/mcp"
)

const (
	vat  = "* VAT\n:PROPERTIES:\n:in: net\n:out: gross\n:sig: gross(net: f64) -> f64\n:END:\n#+begin_src js\nexport const gross = net => net * 1.19\n#+end_src\n"
	desk = "* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:TAGLINE: finds things\n:OUTPUT: shape\n:END:\nYou find.\n" +
		"#+NAME: shape\n#+begin_src json\n{\"type\":\"object\",\"properties\":{\"place\":{\"type\":\"string\"}},\"required\":[\"place\"]}\n#+end_src\n"
)

// Each agent and each workbook of the directory is a tool with a schema of its own, as
// the documents are now.
func TestDocuments(t *testing.T) {
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs")
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	put("vat.org", vat)
	put("notes.org", "* TODO Buy milk\n")
	put("desk.org", desk)
	put("a/sum.org", strings.ReplaceAll(vat, "1.19", "2"))
	put("b/sum.org", strings.ReplaceAll(vat, "1.19", "3"))
	put("fails.org", strings.ReplaceAll(vat, "net * 1.19", `{ throw new Error("no ink") }`))
	var asked []host.Task
	server, done, err := mcp.New(mcp.Config{Dir: dir, Lanes: registry, Ask: func(_ context.Context, task host.Task) (*agent.Result, error) {
		asked = append(asked, task)
		return &agent.Result{Status: agent.StatusDone, Result: `{"place":"attic"}`, Data: json.RawMessage(`{"place":"attic"}`)}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { done() })
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), near, nil); err != nil {
		t.Fatal(err)
	}
	heard := make(chan bool, 16)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { heard <- true }}).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	tools := func() map[string]*sdk.Tool {
		t.Helper()
		all := map[string]*sdk.Tool{}
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(tool.Name, "run_") || strings.HasPrefix(tool.Name, "agent_") {
				all[tool.Name] = tool
			}
		}
		return all
	}
	offers := func(want ...string) {
		t.Helper()
		var got []string
		for name := range tools() {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("offers %v, want %v", got, want)
		}
	}
	offers("agent_waldo", "run_a_sum", "run_b_sum", "run_fails", "run_vat")
	if in, _ := json.Marshal(tools()["run_vat"].InputSchema); !strings.Contains(string(in), `"net":{"description":"an input of VAT","type":"number"}`) {
		t.Errorf("input %s", in)
	}
	if out, _ := json.Marshal(tools()["agent_waldo"].OutputSchema); !strings.Contains(string(out), "place") {
		t.Errorf("output %s", out)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"run_vat", map[string]any{"net": 100}, `{"gross":119}`},
		{"run_b_sum", map[string]any{"net": 2}, `{"gross":6}`},
		{"run_vat", nil, "! arguments of run_vat: "},
		{"run_vat", map[string]any{"net": "ten"}, "it takes net"},
		{"run_vat", map[string]any{"net": 1, "file": "x"}, "! arguments of run_vat: "},
		{"run_fails", map[string]any{"net": 1}, "no ink"},
		{"agent_waldo", map[string]any{"task": "my keys", "session": "s"}, `{"place":"attic"}`},
		{"agent_waldo", nil, "it takes session (optional), task"},
	} {
		if got := ask(t, session, c.tool, c.args); !strings.Contains(got, c.want) || strings.HasPrefix(got, "! ") == strings.HasPrefix(c.want, "{") {
			t.Errorf("%s %v gave %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	if len(asked) != 1 || asked[0].ID != "waldo" || asked[0].Text != "my keys" || asked[0].Session != "s" || asked[0].File != filepath.Join(dir, "desk.org") {
		t.Errorf("asked %+v", asked)
	}

	put("vat.org", strings.ReplaceAll(strings.ReplaceAll(vat, "1.19", "1.07"), "net", "price"))
	if err := os.Remove(filepath.Join(dir, "desk.org")); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, session, "run_vat", map[string]any{"price": 100}); got != `{"gross":107}` {
		t.Errorf("edited: %s", got)
	}
	offers("run_a_sum", "run_b_sum", "run_fails", "run_vat")
	<-heard
	if got := ask(t, session, "agent_waldo", map[string]any{"task": "x"}); !strings.HasPrefix(got, "! ") {
		t.Errorf("an agent that is gone answered %s", got)
	}
}

// What one directory's documents make does not fill a model's window.
func TestManyDocuments(t *testing.T) {
	dir := t.TempDir()
	for i := range 150 {
		write(t, filepath.Join(dir, "t"+strings.Repeat("x", i)+".org"), vat)
	}
	names := map[string]bool{}
	for tool, err := range connect(t, dir).Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(tool.Name, "run_") {
			names[tool.Name] = true
		}
		if len(tool.Name) > 64 {
			t.Errorf("%s has %d characters", tool.Name, len(tool.Name))
		}
	}
	if len(names) != 100 {
		t.Errorf("%d tools", len(names))
	}
}
