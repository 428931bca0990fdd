package host_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/host"
	"wb/agent/mcptools"
	"wb/agent/settings"
	"wb/internal/test/llmtest"
)

// tally is an MCP server whose tool does something each time, and then keeps the
// caller waiting until it is told to answer.
type tally struct {
	calls  atomic.Int64
	keys   sync.Map
	answer chan struct{}
	called chan struct{}
}

func (c *tally) serve(t *testing.T, annotations *mcp.ToolAnnotations) string {
	s := mcp.NewServer(&mcp.Implementation{Name: "cnt", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "add", Annotations: annotations}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		n := c.calls.Add(1)
		c.keys.Store(fmt.Sprint(r.Params.Meta[mcptools.KeyMeta]), true)
		c.called <- struct{}{}
		select {
		case <-c.answer:
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(n)}}}, nil, nil
	})
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(listening.Close)
	return listening.URL
}

// A call that was under way when its process ended is not made again unasked, unless
// the server says that this is harmless. Each has one idempotency key.
func TestOnceThroughMCP(t *testing.T) {
	for _, c := range []struct {
		name        string
		annotations *mcp.ToolAnnotations
		decide      approval.Decision
		calls       int64
		says        string
	}{
		{"denied", nil, approval.Denied, 1, "it was not repeated: check before you repeat it"},
		{"allowed", nil, approval.Allowed, 2, "2"},
		{"idempotent", &mcp.ToolAnnotations{IdempotentHint: true}, approval.Pending, 2, "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			count := &tally{answer: make(chan struct{}), called: make(chan struct{}, 9)}
			rt, dir, server := bench(t, llmtest.Step{Calls: []llmtest.Call{{Name: "mcp_cnt_add", Args: "{}"}}, In: 1, Out: 1},
				step("done", map[string]string{"result": "counted"}))
			rt.Settings = settings.Settings{MCP: map[string]settings.MCPServer{"cnt": {URL: count.serve(t, c.annotations)}}}
			writeTeam(t, dir, strings.Replace(team, ":END:", ":MCP: cnt\n:END:", 1))
			ctx, stop := context.WithCancel(t.Context())
			go func() { <-count.called; stop() }() // the process ends with the call under way
			task := host.Task{File: filepath.Join(dir, "team.org"), Text: "count", NoWait: true}
			r, err := rt.Run(ctx, task)
			if err != nil || r.Status != agent.StatusCancelled {
				t.Fatalf("%+v %v", r, err)
			}
			close(count.answer)
			r, err = rt.Resume(t.Context(), r.RunID)
			if c.decide != approval.Pending {
				if err != nil || r.Status != agent.StatusCancelled || !strings.Contains(r.Result, "waiting for approval") || count.calls.Load() != 1 {
					t.Fatalf("%+v %v after %d calls", r, err, count.calls.Load())
				}
				open, err := rt.Approvals().Of(r.RunID)
				if err != nil || len(open) != 1 || !strings.Contains(open[0].Why, "died before the answer came") {
					t.Fatalf("%+v %v", open, err)
				}
				if _, err := rt.Approvals().Decide(open[0].ID, c.decide, "test", time.Now()); err != nil {
					t.Fatal(err)
				}
				if r, err = rt.Resume(t.Context(), r.RunID); err != nil {
					t.Fatal(err)
				}
			}
			if err != nil || r.Result != "counted" || count.calls.Load() != c.calls {
				t.Fatalf("%+v %v after %d calls", r, err, count.calls.Load())
			}
			keys := 0
			count.keys.Range(func(key, _ any) bool { keys++; return key != "<nil>" })
			requests := server.Requests()
			if got := requests[len(requests)-1].Outputs()[0]; keys != 1 || !strings.Contains(got, c.says) {
				t.Errorf("%d keys; the model reads %q, want %q", keys, got, c.says)
			}
		})
	}
}

// Turns that are begun at once in one session are both in it.
func TestTurnsQueue(t *testing.T) {
	const turns = 5
	server := llmtest.Func(t, func(r llmtest.Request) llmtest.Step {
		_, task := r.Turn()
		return llmtest.Step{Text: "re: " + task, Stall: 10 * time.Millisecond}
	})
	rt, dir, _ := bench(t)
	rt.Getenv = func(name string) string { return map[string]string{"WB_LLM_BASE_URL": server.URL}[name] }
	var group sync.WaitGroup
	for i := range turns {
		group.Go(func() {
			if r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: fmt.Sprint("q", i), Session: "s"}); err != nil || r.ExitCode() != 0 {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	group.Wait()
	r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), Text: "last", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range r.Log {
		said = append(said, m.Content)
	}
	for i := range turns {
		if all := strings.Join(said, "|"); strings.Count(all, fmt.Sprintf("|q%d|re: q%d|", i, i)) != 1 {
			t.Errorf("q%d is not in %s", i, all)
		}
	}
}

// A policy that names no tool stops every run: it would protect nothing.
func TestPolicyOfNothing(t *testing.T) {
	rt, dir, _ := bench(t, llmtest.Step{Text: "hello"}, llmtest.Step{Text: "hello"}, llmtest.Step{Text: "hello"}, llmtest.Step{Text: "hello"})
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "write"}
	for name, ok := range map[string]bool{"git": true, "own:deploy": true, "mcp:cnt": true, "mcp_cnt_add": true, "mcp:nt": false, "mcp_nt_add": false, "nosuchtool": false, "publsh": false} {
		rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{name}}, MCP: map[string]settings.MCPServer{"cnt": {URL: "http://127.0.0.1:1/"}}}
		if _, err := rt.Run(t.Context(), task); (err == nil) != ok {
			t.Errorf("approve = [%q]: %v", name, err)
		}
	}
}

// Agents that another asks keep their own models.
func TestOwnModel(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Calls: []llmtest.Call{{Name: "waldo", Args: `{"task":"write"}`}}, In: 1, Out: 1}, llmtest.Step{Text: "written"},
		llmtest.Step{Calls: []llmtest.Call{{Name: "plain", Args: `{"task":"write"}`}}, In: 1, Out: 1}, llmtest.Step{Text: "written"}, llmtest.Step{Text: "done"})
	writeTeam(t, dir, "* Boss :agent:\n:PROPERTIES:\n:ID: boss\n:TOOLS: waldo plain\n:MODEL: big\n:END:\nAsk.\n* Plain :agent:\n:PROPERTIES:\n:ID: plain\n:END:\nYou write.\n"+
		strings.Replace(team, ":END:", ":MODEL: small\n:END:", 1))
	if r, err := rt.Run(t.Context(), host.Task{File: filepath.Join(dir, "team.org"), ID: "boss", Text: "write", Model: "other"}); err != nil || r.Result != "done" {
		t.Fatalf("%+v %v", r, err)
	}
	var models []string
	for _, r := range server.Requests() {
		models = append(models, fmt.Sprint(r.Body["model"]))
	}
	if got, want := strings.Join(models, " "), "other small other other other"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

// writeTeam replaces the document.
func writeTeam(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "team.org"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
