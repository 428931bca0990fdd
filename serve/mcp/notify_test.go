package mcp_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/serve/mcp"
)

// listening is a client over HTTP that hears what the server tells by itself.
func listening(t *testing.T, dir string, hears *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	registry, err := lanes.New(lanetest.Env(t))
	if err != nil {
		t.Fatal(err)
	}
	server, closeServer, err := mcp.New(mcp.Config{Dir: dir, Version: "test", Lanes: registry, LookEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mcp.Guard(mcp.Handler(server), ""))
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, hears).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // in this order: a stream holds the server up
		session.Close()
		web.CloseClientConnections()
		web.Close()
		closeServer()
	})
	return session
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Clients hear of changes of the files they have subscribed to, and of no others.
func TestSubscriptions(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.org"), filepath.Join(dir, "b.org")
	write(t, a, "one")
	write(t, b, "one")
	told := make(chan string, 64)
	session := listening(t, dir, &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
		told <- r.Params.URI
	}})
	for _, uri := range []string{"wb:///none.org", "wb:///../x"} {
		if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("subscribed to %s", uri)
		}
	}
	if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "wb:///a.org"}); err != nil {
		t.Fatal(err)
	}
	write(t, b, "another")
	write(t, a, "another")
	if got := <-told; got != "wb:///a.org" {
		t.Errorf("told of %s", got)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "wb:///a.org" { // that a file is gone is a change, too
		t.Errorf("told of %s", got)
	}
	if err := session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: "wb:///a.org"}); err != nil {
		t.Error(err)
	}
}

func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes.org", "notes/a.org", "notes/b.org", ".git/notes", "other.org", ".notes.org", "notes/.c.org", "wb.toml", "_steps.jsonl", "approvals.org"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "x")
	}
	session := connect(t, dir)
	for begun, want := range map[string][]string{"not": {"notes.org", "notes/a.org", "notes/b.org"}, "notes/": {"notes/a.org", "notes/b.org"},
		"": {"notes.org", "notes/a.org", "notes/b.org", "other.org"}, "../": {}, "none": {}, ".g": {}} {
		got, err := session.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "wb:///{+path}"}, Argument: sdk.CompleteParamsArgument{Name: "path", Value: begun}})
		if err != nil || !slices.Equal(got.Completion.Values, want) {
			t.Errorf("%q: %v %v, want %v", begun, got, err, want)
		}
	}
}

// A client that asks for it hears what components print, and of each that is done.
func TestProgress(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "quickjs")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "two.org"), "* One\n:PROPERTIES:\n:out: one\n:END:\n#+begin_src js\nexport const one = () => 1\n#+end_src\n* Two\n:PROPERTIES:\n:in: one\n:out: two\n:END:\n#+begin_src js\nexport const two = (one) => { console.log('adding'); return one + 1 }\n#+end_src\n")
	var heard []string
	all := make(chan string, 16)
	session := listening(t, dir, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		all <- r.Params.Message
	}})
	params := &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"file": "two.org"}}
	params.SetProgressToken("far")
	if _, err := session.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	for len(heard) < 3 {
		heard = append(heard, <-all)
	}
	if want := []string{"two/one", "two/two: adding", "two/two"}; !slices.Equal(heard, want) {
		t.Errorf("heard of %v, want %v", heard, want)
	}
}
