package mcp_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wb/serve/mcp"
)

// event is a server-sent event.
type event struct{ id, retry, data string }

func nextEvent(t *testing.T, from *bufio.Reader) (e event, ok bool) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err == io.EOF {
			return e, false
		}
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "id":
			e.id = value
		case "retry":
			e.retry = value
		case "data":
			e.data = value
		case "":
			return e, true
		}
	}
}

// A stream that closes before the answer is begun with an event to come back with,
// and says when; who comes back gets the answer.
func TestReconnection(t *testing.T) {
	server, closeRoot, err := mcp.New(mcp.Config{Dir: t.TempDir(), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeRoot() })
	equip(server)
	web := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	session := ""
	send := func(method, body, last string) *bufio.Reader {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, web.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25",
			"Mcp-Session-Id": session, "Last-Event-ID": last} {
			if value != "" && (method != http.MethodGet || name != "Content-Type") {
				r.Header.Set(name, value)
			}
		}
		if method == http.MethodGet {
			r.Header.Set("Accept", "text/event-stream")
		}
		answer, err := web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		if answer.StatusCode/100 != 2 {
			text, _ := io.ReadAll(answer.Body)
			t.Fatalf("%s %s: %s", method, answer.Status, text)
		}
		if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return bufio.NewReader(answer.Body)
	}
	// The headers come before the server has handled the request: a client that
	// does not wait for the answer may speak before there is a session.
	greeting := send(http.MethodPost, strings.Replace(hello, "2025-06-18", "2025-11-25", 1), "")
	if _, err := io.Copy(io.Discard, greeting); err != nil {
		t.Fatal(err)
	}
	send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
	stream := send(http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_reconnection","arguments":{}}}`, "")
	last, retry := "", ""
	for {
		e, ok := nextEvent(t, stream)
		if !ok {
			break
		}
		if e.data != "" {
			t.Errorf("the answer came before the stream closed: %+v", e)
		}
		if e.id != "" {
			last = e.id
		}
		if e.retry != "" {
			retry = e.retry
		}
	}
	if last == "" || retry != "10" {
		t.Fatalf("the stream began without an event to come back with: id %q, retry %q", last, retry)
	}
	again := send(http.MethodGet, "", last)
	for {
		e, ok := nextEvent(t, again)
		if !ok {
			t.Fatal("the stream ended without an answer")
		}
		if strings.Contains(e.data, "Reconnection test completed") {
			if !strings.Contains(e.data, fmt.Sprintf(`"id":%d`, 2)) {
				t.Errorf("another answer: %s", e.data)
			}
			return
		}
	}
}
