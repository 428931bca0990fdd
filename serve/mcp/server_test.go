package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/serve/mcp"
)

// connect serves a directory to a client of the official SDK.
func connect(t *testing.T, dir string, changes ...func(*mcp.Config)) *sdk.ClientSession {
	t.Helper()
	registry, err := lanes.New(lanetest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	config := mcp.Config{Dir: dir, Version: "test", Lanes: registry}
	for _, change := range changes {
		change(&config)
	}
	server, closeRoot, err := mcp.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeRoot() })
	ctx := context.Background()
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.Connect(ctx, near, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, far, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func ask(t *testing.T, s *sdk.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "! " + err.Error()
	}
	var b strings.Builder
	if r.IsError {
		b.WriteString("! ")
	}
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func TestTools(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"notes.org": "* TODO Buy milk :shop:\nAt the corner.\n* DONE Sleep\n",
		"sum.org":   "* Total\n:PROPERTIES:\n:in: a\n:out: total\n:END:\n#+begin_src js\nexport function total(a) { return a + 2 }\n#+end_src\n",
		"bad.org":   "#+begin_src cobolt\nx\n#+end_src\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := connect(t, dir)
	lanetest.Need(t, lanetest.Env(t), "quickjs")
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search", map[string]any{"text": "milk corner"}, "notes.org:1 Buy milk"},
		{"query", map[string]any{"query": "todo:TODO"}, `"title":"Buy milk"`},
		{"query", map[string]any{"query": "(todo"}, "! query:1:1: "},
		{"query", map[string]any{"query": `(query (from "/etc/passwd"))`}, "! from \"/etc/passwd\": name files with paths"},
		{"query", map[string]any{"query": "todo", "paths": []string{"../.."}}, "! ../.. is not inside"},
		{"plan", map[string]any{"file": "sum.org"}, "sum/total"},
		{"lint", map[string]any{"file": "bad.org"}, "no lane for cobolt"},
		{"lint", map[string]any{"file": "notes.org"}, "no mistakes found"},
		{"read", map[string]any{"file": "notes.org", "from": 2, "to": 2}, "At the corner.\n"},
		{"read", map[string]any{"file": "none.org"}, "! no such file: none.org"},
		{"read", map[string]any{"file": "link"}, "! link is not inside"},
		{"read", map[string]any{"file": "../x"}, "! ../x is not inside"},
		{"run", map[string]any{"file": "sum.org", "set": map[string]any{"a": 40}}, `{"total":42}`},
		{"run", map[string]any{"file": "sum.org"}, "! "},
		{"events", map[string]any{}, "! no such file: events.org"},
		{"read", map[string]any{}, "! arguments of read: validating root: required: missing properties: [\"file\"]\nhint: it takes file, from (optional), to (optional)"},
		{"query", map[string]any{"q": "todo:"}, "! arguments of query: validating root: unexpected additional properties [\"q\"]\nhint: it takes "},
	} {
		if got := ask(t, s, c.tool, c.args); !strings.Contains(got, c.want) || strings.HasPrefix(got, "! ") != strings.HasPrefix(c.want, "! ") {
			t.Errorf("%s %v gave %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "sum.org")); string(text) != files["sum.org"] {
		t.Error("run changed the workbook")
	}
	r, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: "wb:///notes.org"})
	if err != nil || r.Contents[0].Text != files["notes.org"] {
		t.Errorf("resource: %v %v", r, err)
	}
	if _, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: "wb:///../../etc/passwd"}); err == nil {
		t.Error("a resource outside the directory was read")
	}
}
