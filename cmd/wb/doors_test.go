package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/tools"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/sandbox"
	"wb/serve/api"
	"wb/workbook"
	"wb/workbook/capability"
)

// wordLane is a language for tests, so that nothing depends on which toolchains are
// installed: a block's value is its text. A block that says fail fails, one that
// says wait waits until it is cancelled, one that says ask asks for a key.
type wordLane struct{ begun chan<- struct{} }

func (wordLane) Info() compile.Info {
	return compile.Info{Name: "word", Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand}, Summary: "words for tests"}
}

func (wordLane) Fingerprint() string { return "1" }

func (wordLane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if strings.Contains(src.Body, "fail") {
		return nil, diag.Errorf(src.At(1, 1), "it says fail")
	}
	return &compile.Artifact{Lane: "word", Script: src.Body}, nil
}

func (l wordLane) Run(ctx context.Context, a *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	if strings.Contains(a.Script, "wait") {
		l.begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if strings.Contains(a.Script, "ask") && job.Dock != nil {
		if _, err := job.Dock.Call(ctx, "kv.get", []byte("key")); err != nil {
			return nil, err
		}
	}
	return &compile.Outcome{Value: value.OfString(strings.TrimSpace(a.Script)), Usage: sandbox.Usage{Fuel: 7}}, nil
}

// doorDocuments are the documents that go through every door. Each is a workflow
// with a schedule, so that the schedule's door has it too. A mistake stops the
// components it concerns and no others.
var doorDocuments = []struct {
	name, body string
	exit       int
	status     string
}{
	{"fine", "** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src word\nhello\n#+end_src\n", 0, "ok"},
	{"failing", "** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src word\nhello\n#+end_src\n** Break :component:\n#+begin_src word\nfail\n#+end_src\n", diag.ExitFailed, "failed"},
	{"cancelled", "** Linger :component:\n#+begin_src word\nwait\n#+end_src\n", diag.ExitInterrupted, "cancelled"},
	{"denied", "** Ask :component:\n#+begin_src word :uses kv\nask\n#+end_src\n", diag.ExitFailed, "failed"},
	{"secret", "** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src word\nhello\n#+end_src\n* Site :publish:\n#+PUBLISH_TOKEN: abcdefabcdefabcdefabcdef\n", 0, "ok"},
	{"laneless", "** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src cobolt\nhello\n#+end_src\n", diag.ExitFailed, "failed"},
	{"agent", "** Greet :component:\n:PROPERTIES:\n:out: greeting\n:END:\n#+begin_src word\nhello\n#+end_src\n* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:TOOLS: nosuchtool\n:END:\nYou look.\n", 0, "ok"},
}

const doorHead = "* Daily :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 2 * * *\n:END:\n"

// seen is what a door has shown of a document.
type seen struct {
	Findings []string // of lint, without the file
	Status   string   // of the record, with what follows
	Exit     int
	Fuel     int64
	Exports  string
	Events   []string // kinds and components
}

// doorWorld is a directory with one document, and a user with nothing.
type doorWorld struct {
	t     *testing.T
	dir   string
	lanes *compile.Registry
	begun chan struct{}
}

func newDoorWorld(t *testing.T, body string) *doorWorld {
	freshUser(t)
	w := &doorWorld{t: t, dir: t.TempDir(), begun: make(chan struct{}, 9)}
	var err error
	if w.dir, err = filepath.EvalSymlinks(w.dir); err != nil {
		t.Fatal(err)
	}
	if w.lanes, err = compile.NewRegistry(wordLane{w.begun}); err != nil {
		t.Fatal(err)
	}
	writeHere(t, filepath.Join(w.dir, "book.org"), doorHead+body)
	return w
}

func (w *doorWorld) terminal(out io.Writer) *terminal {
	return &terminal{ctx: w.t.Context(), std: stdio{strings.NewReader(""), out, io.Discard},
		makeLanes: func(*compile.Env) (*compile.Registry, error) { return w.lanes, nil }}
}

// recorded reads what events.org says of the one run, when it has ended.
func (w *doorWorld) recorded(s *seen) {
	w.t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join(w.dir, "events.org"))
		if err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
		for e := range trace.Events(text) {
			if e.Kind != trace.KindResult {
				continue
			}
			s.Status, s.Fuel, s.Exports = e.Status, e.Fuel, e.Output
			if e.Exit != nil {
				s.Exit = *e.Exit
			}
			for e := range trace.Events(text) {
				s.Events = append(s.Events, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Component, " ", e.Tool)))
			}
			slices.Sort(s.Events)
			return
		}
		select {
		case <-w.t.Context().Done():
			w.t.Fatal("the run was not recorded")
		case <-time.After(time.Millisecond):
		}
	}
}

// doing is a context that ends when a block of the document waits, if it does.
func (w *doorWorld) doing() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(w.t.Context())
	go func() {
		select {
		case <-w.begun:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// doors are the ways to lint and run a document. Lint is nil for doors that only
// run.
var doors = []struct {
	name string
	lint func(*doorWorld) []diag.Finding
	run  func(*doorWorld, *seen)
}{
	{"terminal", terminalLint, terminalRun},
	{"mcp", mcpLint, mcpRun},
	{"http", nil, httpRun},
	{"schedule", nil, scheduleRun},
	{"editor", editorLint, editorRun},
	{"agent", agentLint, agentRun},
}

func terminalLint(w *doorWorld) []diag.Finding {
	var out bytes.Buffer
	w.terminal(&out).run([]string{"lint", "--json", filepath.Join(w.dir, "book.org")})
	var answer struct{ Data []diag.Finding }
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		w.t.Fatal(err, out.String())
	}
	return answer.Data
}

func terminalRun(w *doorWorld, s *seen) {
	ctx, cancel := w.doing()
	defer cancel()
	a := w.terminal(io.Discard)
	a.ctx = ctx
	if code := a.run([]string{"run", "--no-write", filepath.Join(w.dir, "book.org")}); ctx.Err() == nil {
		defer func() {
			if code != s.Exit {
				w.t.Errorf("the process exits with %d, the record says %d", code, s.Exit)
			}
		}()
	}
	w.recorded(s)
}

func (w *doorWorld) mcp() *sdk.ClientSession {
	w.t.Helper()
	server, closeServer, err := w.terminal(io.Discard).mcpServer(&mcpCmd{Dir: w.dir}, w.lanes)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(closeServer)
	near, far := sdk.NewInMemoryTransports()
	if _, err := server.Connect(w.t.Context(), near, nil); err != nil {
		w.t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(w.t.Context(), far, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { session.Close() })
	return session
}

func mcpLint(w *doorWorld) []diag.Finding {
	r, err := w.mcp().CallTool(w.t.Context(), &sdk.CallToolParams{Name: "lint", Arguments: map[string]any{"file": "book.org"}})
	if err != nil {
		w.t.Fatal(err)
	}
	text, _ := json.Marshal(r.StructuredContent)
	var answer struct{ Diagnostics []diag.Finding }
	if err := json.Unmarshal(text, &answer); err != nil {
		w.t.Fatal(err, string(text))
	}
	return answer.Diagnostics
}

func mcpRun(w *doorWorld, s *seen) {
	ctx, cancel := w.doing()
	defer cancel()
	_, _ = w.mcp().CallTool(ctx, &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"file": "book.org"}})
	w.recorded(s)
}

func (w *doorWorld) api(change func(*api.Config)) *api.Server {
	w.t.Helper()
	config := api.Config{State: w.t.TempDir(), Lanes: w.lanes, Version: "test", Tenants: []api.Tenant{{Name: "default", Dir: w.dir}},
		Capabilities: app.TenantCapabilities,
		Identity:     func(string) (identity.Key, error) { return identity.FromSeed(make([]byte, 32)) },
		Runtime:      func(api.Tenant) *host.Runtime { return &host.Runtime{Lanes: w.lanes, Getenv: os.Getenv} }}
	if change != nil {
		change(&config)
	}
	server, err := api.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	return server
}

func httpRun(w *doorWorld, s *seen) {
	server := w.api(nil)
	front := httptest.NewServer(server.Handler())
	defer front.Close()
	defer server.Close()
	ctx, cancel := w.doing()
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", front.URL+"/api/workflow", strings.NewReader(`{"workbook":"book.org"}`))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if answer, err := http.DefaultClient.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	w.recorded(s)
}

// handClock is a clock that is turned by hand.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// At lets whoever waits wait no longer: the time is what it waits for.
func (c *handClock) At(t time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := make(chan time.Time, 1)
	if t.Hour() <= 2 && t.Minute() == 0 { // nothing is due after that
		c.now = t
		at <- t
	}
	return at
}

func scheduleRun(w *doorWorld, s *seen) {
	server := w.api(func(c *api.Config) {
		c.Schedules, c.Clock = true, &handClock{now: time.Date(2026, 6, 6, 1, 59, 30, 0, time.Local)}
	})
	ctx, cancel := w.doing()
	defer cancel()
	defer context.AfterFunc(ctx, func() { server.Close() })()
	w.recorded(s)
	server.Close()
}

// wire speaks the language server protocol as far as the test needs it.
type wire struct {
	w        *doorWorld
	to       io.Writer
	findings chan []diag.Finding
	answers  chan json.RawMessage
}

func (w *doorWorld) editor() (*wire, func()) {
	w.t.Helper()
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	c := &wire{w: w, to: toServer, findings: make(chan []diag.Finding, 100), answers: make(chan json.RawMessage, 100)}
	a := w.terminal(io.Discard)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer toEditor.Close()
		_ = a.editor(&lspCmd{}, w.lanes).Serve(w.t.Context(), fromEditor, toEditor)
	}()
	go c.read(fromServer)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"workspace":{"applyEdit":true}},"initializationOptions":{"lintDelayMs":1}}}`)
	<-c.answers
	c.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	text, err := os.ReadFile(filepath.Join(w.dir, "book.org"))
	if err != nil {
		w.t.Fatal(err)
	}
	quoted, _ := json.Marshal(string(text))
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"org","version":1,"text":%s}}}`, c.uri(), quoted))
	return c, func() { toServer.Close(); <-done }
}

func (c *wire) uri() string { return "file://" + filepath.Join(c.w.dir, "book.org") }

func (c *wire) send(body string) {
	_, _ = fmt.Fprintf(c.to, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (c *wire) read(from io.Reader) {
	for {
		var size int
		if _, err := fmt.Fscanf(from, "Content-Length: %d\r\n\r\n", &size); err != nil {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Diagnostics []struct {
					Range struct {
						Start struct{ Line, Character int }
					}
					Severity      int
					Code, Message string
				}
			}
		}
		if json.Unmarshal(body, &m) != nil {
			return
		}
		switch {
		case m.Method == "workspace/applyEdit":
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"applied":false}}`, m.ID))
		case m.Method == "textDocument/publishDiagnostics":
			found := []diag.Finding{}
			for _, d := range m.Params.Diagnostics {
				message, hint, _ := strings.Cut(d.Message, "\n")
				found = append(found, diag.Finding{Pos: diag.Position{Line: d.Range.Start.Line + 1}, Message: message, Hint: hint, Code: d.Code})
			}
			c.findings <- found
		case m.Method == "" && len(m.ID) > 0:
			c.answers <- body
		case len(m.ID) > 0:
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID))
		}
	}
}

func editorLint(w *doorWorld) []diag.Finding {
	c, end := w.editor()
	defer end()
	return <-c.findings
}

func editorRun(w *doorWorld, s *seen) {
	c, end := w.editor()
	defer end()
	ctx, cancel := w.doing()
	defer cancel()
	defer context.AfterFunc(ctx, func() { c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`) })()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":"wb.run","arguments":[%q]}}`, c.uri()))
	w.recorded(s)
}

// agentTool is the tool wb of an agent that works in the directory.
func (w *doorWorld) agentTool(events trace.Sink) (agent.Tool, func()) {
	w.t.Helper()
	tree, err := agent.NewTree(w.dir, false)
	if err != nil {
		w.t.Fatal(err)
	}
	brokers, err := app.Capabilities()
	if err != nil {
		w.t.Fatal(err)
	}
	pass := func(context.Context, string) tools.Held {
		docks, finish := brokers.DocksFor(capability.Starter{Name: "waldo", File: filepath.Join(w.dir, "book.org"), Dir: w.dir}, w.lanes, 0)
		return tools.Held{Docks: docks, Finish: finish, Trace: events}
	}
	return tools.Bench{Table: app.ForAgents{}, Lanes: w.lanes, Tree: tree, Cache: workbook.CacheBeside, Pass: pass}.WB(), func() { brokers.Close(); tree.Close() }
}

func agentLint(w *doorWorld) []diag.Finding {
	tool, done := w.agentTool(nil)
	defer done()
	out, err := tool.Call(w.t.Context(), agent.Args{"args": json.RawMessage(`"lint book.org"`)})
	if err != nil {
		w.t.Fatal(err)
	}
	found := []diag.Finding{}
	for line := range strings.Lines(out.Text) {
		line = strings.TrimSpace(line)
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			found[len(found)-1].Hint = hint
			continue
		}
		var d diag.Finding
		if _, err := fmt.Sscanf(line, "book.org:%d:%d:", &d.Pos.Line, &d.Pos.Col); err != nil {
			continue
		}
		rest := strings.SplitN(line, ": ", 3)
		d.Severity, d.Message = diag.Severity(rest[1]), rest[2]
		found = append(found, d)
	}
	return found
}

// agentRun takes the record of a run from what the call gives: it is a tool call in
// the record of the agent's run.
func agentRun(w *doorWorld, s *seen) {
	var mu sync.Mutex
	heard := trace.SinkFunc(func(e trace.Event) error {
		mu.Lock()
		defer mu.Unlock()
		s.Events = append(s.Events, strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.Component, " ", e.Tool)))
		return nil
	})
	tool, done := w.agentTool(heard)
	defer done()
	ctx, cancel := w.doing()
	defer cancel()
	out, err := tool.Call(ctx, agent.Args{"args": json.RawMessage(`"run book.org"`)})
	s.Events = append(s.Events, "run", "result")
	slices.Sort(s.Events)
	s.Status, s.Exit, s.Fuel = "ok", *out.Exit, out.Fuel
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		s.Status = "cancelled"
	case err != nil || s.Exit != 0:
		s.Status = "failed"
	}
	if i := strings.LastIndex(out.Text, "{"); i >= 0 {
		v, err := value.ParseJSON([]byte(strings.SplitN(out.Text[i:], "\n", 2)[0]))
		if err != nil {
			w.t.Fatal(err)
		}
		var lines []string
		for _, f := range v.Fields() {
			lines = append(lines, f.Name+" = "+f.Value.String())
		}
		s.Exports = strings.Join(lines, "\n")
	}
}

// carried drops from findings what a door does not show as the others do: an editor
// marks the word that is wrong in place of the line where its block begins.
func carried(door string, found []diag.Finding) []string {
	var all []string
	for _, d := range found {
		text := d.Message
		if d.Code != "" { // the tool of agents has it in the message
			text = d.Code + " " + text
		}
		if door == "editor" {
			d.Pos.Line = 0
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%d %s %s", d.Pos.Line, text, d.Hint)))
	}
	slices.Sort(all)
	return all
}

// TestDoors puts the same documents through every door: they have the same
// mistakes, run or are refused alike, and leave the same record.
func TestDoors(t *testing.T) {
	for _, doc := range doorDocuments {
		var findings []diag.Finding
		var want *seen
		for _, door := range doors {
			t.Run(doc.name+"/"+door.name, func(t *testing.T) {
				if door.lint != nil {
					found := door.lint(newDoorWorld(t, doc.body))
					if door.name == "terminal" {
						findings = found
					}
					if got, want := carried(door.name, found), carried(door.name, findings); !slices.Equal(got, want) {
						t.Errorf("lint finds\n%s\nthe terminal\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				}
				s := &seen{}
				door.run(newDoorWorld(t, doc.body), s)
				if s.Exit != doc.exit || s.Status != doc.status {
					t.Errorf("the run ended with %s, exit %d, not %s, exit %d", s.Status, s.Exit, doc.status, doc.exit)
				}
				if want == nil {
					want = s
					return
				}
				if s.Fuel != want.Fuel || s.Exports != want.Exports {
					t.Errorf("the record has fuel %d and exports %q, the terminal's %d and %q", s.Fuel, s.Exports, want.Fuel, want.Exports)
				}
				if !slices.Equal(s.Events, want.Events) {
					t.Errorf("events are\n%s\nthe terminal's\n%s", strings.Join(s.Events, "\n"), strings.Join(want.Events, "\n"))
				}
			})
		}
	}
}
