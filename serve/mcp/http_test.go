package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/app"
	"wb/serve/mcp"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// Over HTTP, too, only who may gets in.
func TestGuard(t *testing.T) {
	server, closeRoot, err := mcp.New(mcp.Config{Dir: t.TempDir(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoot()
	const token = "mcp-token-0123456789"
	for _, c := range []struct {
		token                string
		host, origin, bearer string
		want                 int
	}{
		{"", "127.0.0.1:1", "", "", 200}, {"", "localhost", "", "", 200}, {"", "[::1]:80", "http://[::1]:80", "", 200},
		{"", "evil.example", "", "", 403}, {"", "127.0.0.1", "https://evil.example", "", 403},
		{token, "wb.example", "", "Bearer " + token, 200}, {token, "127.0.0.1", "", "", 401}, {token, "127.0.0.1", "", "Bearer x" + token, 401},
		{token, "wb.example", "https://evil.example", "Bearer " + token, 403},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.host+"/mcp", strings.NewReader(hello))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.bearer != "" {
			r.Header.Set("Authorization", c.bearer)
		}
		w := httptest.NewRecorder()
		mcp.Guard(mcp.Handler(server), c.token).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
}

// A client of the SDK sees the same tools over HTTP.
func TestOverHTTP(t *testing.T) {
	server, closeRoot, err := mcp.New(mcp.Config{Dir: t.TempDir(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeRoot()
	listening := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
	defer listening.Close()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: listening.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(app.At(app.Tools))+2 {
		t.Errorf("%v %v", list, err)
	}
}
