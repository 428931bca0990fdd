package mcptools_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/mcptools"
	"wb/sandbox/netbroker"
)

// notes is an MCP server with a tool that answers, one that fails and one that
// is not offered.
func notes() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	type in struct {
		Text string `json:"text" jsonschema:"what to note"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Add a\x1b[31m note."}, func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted: " + in.Text}}}, map[string]int{"notes": 1}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no ink"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "hidden"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, nil
	})
	return s
}

func check(t *testing.T, s *mcptools.Server) {
	t.Helper()
	t.Cleanup(func() { s.Close() })
	ctx := context.Background()
	listed, err := s.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(listed)
	if err := json.Unmarshal(text, &listed); err != nil { // as a journal gives it back
		t.Fatal(err)
	}
	var names []string
	tools := map[string]agent.Tool{}
	for _, tool := range s.Tools(listed) {
		spec := tool.Spec()
		names = append(names, spec.Name)
		tools[spec.Name] = tool
		if strings.ContainsRune(spec.Description, 0x1b) {
			t.Errorf("description %q", spec.Description)
		}
	}
	if got := strings.Join(names, " "); got != "mcp_notes_add mcp_notes_fail" {
		t.Fatalf("tools %s", got)
	}
	out, err := tools["mcp_notes_add"].Call(ctx, agent.Args{"text": json.RawMessage(`"milk"`)})
	if err != nil || out.Text != "noted: milk" || out.Taint != "mcp:notes" || string(out.Data) != `{"notes":1}` || out.BytesOut == 0 {
		t.Errorf("%+v %v", out, err)
	}
	if _, err := tools["mcp_notes_fail"].Call(ctx, agent.Args{}); err == nil || err.Error() != "mcp_notes_fail error: no ink" {
		t.Errorf("%v", err)
	}
	if tools["mcp_notes_add"].ReadOnly() || !tools["mcp_notes_fail"].ReadOnly() {
		t.Error("the hints were not taken")
	}
}

func TestPipe(t *testing.T) {
	server := notes()
	check(t, &mcptools.Server{Name: "notes", Only: []string{"add", "fail"}, Dial: func() (mcp.Transport, error) {
		a, b := mcp.NewInMemoryTransports()
		_, err := server.Connect(context.Background(), a, nil)
		return b, err
	}})
}

// Over HTTP every request goes through the broker, which reaches what it was
// granted and nothing else.
func TestHTTP(t *testing.T) {
	server := notes()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		r.Host = r.Context().Value(http.LocalAddrContextKey).(net.Addr).String() // the handler refuses foreign hosts on loopback
		handler.ServeHTTP(w, r)
	}))
	defer listening.Close()
	address := listening.Listener.Addr().String()
	grant, err := netbroker.ParseGrant("http://notes.example.org")
	if err != nil {
		t.Fatal(err)
	}
	web := netbroker.New(netbroker.Config{Allow: []netbroker.Grant{grant},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		}})
	check(t, &mcptools.Server{Name: "notes", Only: []string{"add", "fail"}, Dial: mcptools.HTTP("http://notes.example.org/mcp", "k", web)})
	other := &mcptools.Server{Name: "other", Dial: mcptools.HTTP("http://other.example.org/mcp", "k", web)}
	if _, err := other.List(context.Background()); err == nil || !strings.Contains(err.Error(), "mcp server other: ") || !strings.Contains(err.Error(), "denied") {
		t.Errorf("a host that was not granted: %v", err)
	}
}

func TestName(t *testing.T) {
	for want, in := range map[string][2]string{"mcp_a_b": {"a", "b"}, "mcp_my_server_get_it": {"my server", "get.it"}} {
		if got := mcptools.Name(in[0], in[1]); got != want {
			t.Errorf("%q", got)
		}
	}
	if n := len(mcptools.Name("s", strings.Repeat("x", 100))); n != 64 {
		t.Errorf("%d characters", n)
	}
}
