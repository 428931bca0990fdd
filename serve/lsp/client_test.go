package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/workbook"
)

// wordLane is a language for tests: a block's value is its text; a block that
// says "fail" fails, one that says "wait" waits until it is cancelled.
type wordLane struct{ name string }

func (l wordLane) Info() compile.Info {
	return compile.Info{Name: l.name, Aliases: []string{l.name + "script"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Summary: "words for tests"}
}

func (wordLane) Fingerprint() string { return "1" }

func (l wordLane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if strings.Contains(src.Body, "fail") {
		return nil, diag.Errorf(src.At(1, 1), "it says fail")
	}
	return &compile.Artifact{Lane: l.name, Script: src.Body}, nil
}

func (wordLane) Run(ctx context.Context, a *compile.Artifact, _ *compile.Job) (*compile.Outcome, error) {
	if strings.Contains(a.Script, "wait") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &compile.Outcome{Value: value.OfString(strings.TrimSpace(a.Script))}, nil
}

func testLanes(t testing.TB) *compile.Registry {
	t.Helper()
	lanes, err := compile.NewRegistry(wordLane{"js"}, wordLane{"sh"})
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

// testConfig runs workbooks with the test's lanes and no records.
func testConfig(t testing.TB) Config {
	lanes := testLanes(t)
	return Config{Version: "test", Languages: lanes, Run: func(ctx context.Context, r RunRequest) (*workbook.Report, error) {
		return workbook.Run(ctx, workbook.Options{
			Book:      workbook.BookAt(r.File, r.Source, lanes),
			Selection: workbook.Selection{Only: r.Only, Force: r.Force},
			Listeners: workbook.Listeners{Progress: r.Progress},
			Write:     workbook.WriteFiles,
		})
	}}
}

// client is a client that keeps documents as an editor does.
type client struct {
	t    testing.TB
	conn *conn
	done chan error
	stop chan struct{}

	mu          sync.Mutex
	documents   map[string]*document
	diagnostics map[string]publishParams
	published   chan publishParams
	messages    []string
	progress    []string
	beforeEdit  func()
}

// connect starts a server and initializes it.
func connect(t testing.TB, config Config, params string) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{t: t, done: make(chan error, 1), stop: make(chan struct{}), documents: map[string]*document{}, diagnostics: map[string]publishParams{},
		published: make(chan publishParams, 100)}
	go func() {
		err := New(config).Serve(context.Background(), toServer, fromServer)
		fromServer.Close()
		toServer.Close()
		c.done <- err
	}()
	c.conn = newConn(toClient, fromClient)
	go func() { _ = c.conn.serve(context.Background(), c, c.stop) }()
	if params == "" {
		params = `{"capabilities":{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}},"textDocument":{"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}},"window":{"workDoneProgress":true}},"initializationOptions":{"lintDelayMs":1}}`
	}
	var answer struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	c.call("initialize", json.RawMessage(params), &answer)
	if answer.Capabilities.PositionEncoding == "" {
		t.Fatal("the server does not say how it counts")
	}
	c.conn.notify("initialized", struct{}{})
	t.Cleanup(func() { fromClient.Close(); toClient.Close() })
	return c
}

// route implements router: what a server asks of a client.
func (c *client) route(method string, _ bool) (handler, bool, *wireError) {
	switch method {
	case "textDocument/publishDiagnostics":
		return request(func(_ context.Context, p publishParams) (any, error) {
			c.mu.Lock()
			c.diagnostics[p.URI] = p
			c.mu.Unlock()
			select {
			case c.published <- p:
			default: // nobody waits for them
			}
			return nil, nil
		}), true, nil
	case "workspace/applyEdit":
		return request(func(_ context.Context, p applyEditParams) (any, error) {
			if c.beforeEdit != nil {
				c.beforeEdit()
			}
			return c.applyEdit(p.Edit), nil
		}), false, nil
	case "window/workDoneProgress/create":
		return request(func(context.Context, struct{}) (any, error) { return nil, nil }), true, nil
	case "$/progress":
		return request(func(_ context.Context, p struct {
			Value struct{ Kind, Message string }
		}) (any, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, p.Value.Kind+" "+p.Value.Message)
			return nil, nil
		}), true, nil
	case "window/showMessage":
		return request(func(_ context.Context, p showMessage) (any, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.messages = append(c.messages, p.Message)
			return nil, nil
		}), true, nil
	}
	return nil, false, failf(codeNoMethod, "%s", method)
}

// applyEdit does what an editor does: it refuses edits for another version.
func (c *client) applyEdit(e workspaceEdit) applyEditResult {
	for _, change := range e.DocumentChanges {
		d := c.document(change.TextDocument.URI)
		if d == nil || change.TextDocument.Version == nil || *change.TextDocument.Version != d.snapshot().version {
			return applyEditResult{FailureReason: "another version"}
		}
		c.change(d.uri, textOf(c.t, d.snapshot().text, change.Edits))
	}
	return applyEditResult{Applied: true}
}

// textOf is a text after edits.
func textOf(t testing.TB, before *text, edits []textEdit) string {
	t.Helper()
	var list []org.Edit
	for _, e := range edits {
		list = append(list, org.Replace(before.span(e.Range), e.NewText))
	}
	after, err := org.Apply([]byte(before.source), list)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func (c *client) call(method string, params, answer any) {
	c.t.Helper()
	if err := c.try(method, params, answer); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) try(method string, params, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return c.conn.call(ctx, method, params, answer)
}

// document is what the client has open under a URI, nil for nothing.
func (c *client) document(uri string) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.documents[uri]
}

func (c *client) open(uri, source string) *document {
	d := newDocument(uri, source, 1, utf16Positions)
	c.mu.Lock()
	c.documents[uri] = d
	c.mu.Unlock()
	c.conn.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "org", "version": 1, "text": source}})
	return d
}

// change replaces the whole text, told to the server as one small edit.
func (c *client) change(uri, source string) {
	d := c.document(uri)
	old := d.snapshot()
	before := old.text.source
	start := 0
	for start < len(before) && start < len(source) && before[start] == source[start] {
		start++
	}
	end := 0
	for end < len(before)-start && end < len(source)-start && before[len(before)-1-end] == source[len(source)-1-end] {
		end++
	}
	r := old.text.rangeOf(org.Span{Start: start, End: len(before) - end})
	changes := []contentChange{{Range: &r, Text: source[start : len(source)-end]}}
	d.apply(old.version+1, changes)
	c.conn.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": old.version + 1}, "contentChanges": changes})
}

// await waits for diagnostics of a document's present version that satisfy a
// condition.
func (c *client) await(uri string, enough func([]diagnostic) bool) []diagnostic {
	c.t.Helper()
	timeout := time.After(2 * time.Minute)
	for {
		select {
		case p := <-c.published:
			if p.URI == uri && (p.Version == nil || *p.Version == c.document(uri).snapshot().version) && enough(p.Diagnostics) {
				return p.Diagnostics
			}
		case <-timeout:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("the diagnostics never came; the last are %+v", c.diagnostics[uri])
		}
	}
}

// close ends the session properly.
func (c *client) close() {
	c.t.Helper()
	c.call("shutdown", nil, nil)
	c.conn.notify("exit", nil)
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(2 * time.Minute):
		c.t.Error("the server did not end")
	}
}

// mark cuts "‸" out of a text and returns the place where it stood.
func mark(t testing.TB, marked string) (string, position) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "‸")
	if !ok {
		t.Fatalf("no mark in %q", marked)
	}
	source := before + after
	return source, newText(source, utf16Positions).position(len(before))
}

func placeAt(uri string, p position) placeParams {
	return placeParams{TextDocument: documentID{uri}, Position: p}
}

// raw sends bytes that a client would not and returns the answers that come
// before the server ends.
func raw(t testing.TB, input string) ([]message, error) {
	t.Helper()
	var out bytes.Buffer
	err := New(testConfig(t)).Serve(context.Background(), strings.NewReader(input), &out)
	var answers []message
	in := newFrameReader(&out)
	for {
		data, readErr := in.next()
		if errors.Is(readErr, io.EOF) {
			return answers, err
		}
		if readErr != nil {
			t.Fatal(readErr)
		}
		var m message
		if jsonErr := json.Unmarshal(data, &m); jsonErr != nil {
			t.Fatalf("the server wrote %q: %v", data, jsonErr)
		}
		answers = append(answers, m)
	}
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
