package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/serve/mcp"
)

// A server lists its files as resources and its agents as tools and prompts, and keeps
// back what belongs to the host.
func TestOffer(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"team.org": "* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:TAGLINE: writes\n:END:\nYou write.\n",
		"notes/a.org": "* TODO open\n", ".dot.org": "* TODO secret\n", "approvals.org": "* TODO secret\n", ".git/config": "secret", "_steps.jsonl": "secret", "wb.toml": "secret"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	asked := ""
	server, done, err := mcp.New(mcp.Config{Dir: dir, Ask: func(_ context.Context, task host.Task) (*agent.Result, error) {
		asked = strings.TrimPrefix(task.File, dir+"/") + "#" + task.ID + " " + task.Text
		return &agent.Result{Status: agent.StatusDone, Result: "written"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { done() })
	a, b := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), a, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	var uris []string
	for r, err := range client.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if got, want := strings.Join(uris, " "), "wb:///notes/a.org wb:///team.org"; got != want {
		t.Errorf("resources %s, want %s", got, want)
	}
	call := func(name string, args map[string]any) string {
		t.Helper()
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*sdk.TextContent).Text
	}
	for _, name := range []string{".git/config", "_steps.jsonl", "wb.toml", "notes/../.git/config"} {
		if got := call("read", map[string]any{"file": name}); strings.Contains(got, "secret") {
			t.Errorf("%s is read: %s", name, got)
		}
		if _, err := client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "wb:///" + name}); err == nil {
			t.Errorf("%s is a resource", name)
		}
	}
	if got := call("query", map[string]any{"query": "todo:TODO"}); strings.Contains(got, "secret") || !strings.Contains(got, "open") {
		t.Errorf("query: %s", got)
	}
	if got := call("agenda", map[string]any{"what": "todo"}); strings.Contains(got, "secret") || !strings.Contains(got, "open") {
		t.Errorf("agenda: %s", got)
	}
	if got := call("agents", nil); !strings.Contains(got, "team.org#waldo Waldo  writes") {
		t.Errorf("agents: %s", got)
	}
	if got := call("ask", map[string]any{"agent": "team.org#waldo", "task": "a poem"}); got != "written" || asked != "team.org#waldo a poem" {
		t.Errorf("%q, asked %q", got, asked)
	}
	prompt, err := client.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "team.org#waldo", Arguments: map[string]string{"task": "a poem"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "You write.\n\nThe task: a poem") {
		t.Errorf("%+v %v", prompt, err)
	}
}
