package host_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent/host"
	"wb/internal/diag"
	"wb/internal/test/llmtest"
)

// A server on this machine that a document names by its address is reached where the
// user granted its very origin. The hint of the refusal is that grant.
func TestLocalServer(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "look"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "a note"}}}, nil, nil
	})
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(listening.Close)
	rt, dir, server := bench(t, llmtest.Step{Calls: []llmtest.Call{{Name: "mcp_notes_look", Args: "{}"}}, In: 1, Out: 1},
		step("done", map[string]string{"result": "seen"}))
	writeTeam(t, dir, strings.Replace(team, ":END:", ":MCP: notes="+listening.URL+"/mcp\n:END:", 1))
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "look"}

	grant := ""
	for _, given := range [][]string{nil, {"net"}, {"net:*"}, {"net:http://127.0.0.1:1"}} {
		task.Grants = given
		_, err := rt.Run(t.Context(), task)
		if err == nil || !strings.Contains(err.Error(), "denied: not granted") {
			t.Errorf("granted %v: %v", given, err)
			continue
		}
		_, grant, _ = strings.Cut(diag.HintOf(err), "--grant ")
		grant, _, _ = strings.Cut(grant, ",")
	}
	if len(server.Requests()) > 0 {
		t.Error("the model was asked")
	}
	task.Grants = []string{grant}
	r, err := rt.Run(t.Context(), task)
	if err != nil || r.Result != "seen" || server.Requests()[1].Outputs()[0] != "a note" {
		t.Errorf("granted %s: %+v %v", grant, r, err)
	}
}
