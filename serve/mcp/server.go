// Package mcp offers wb to programs that speak the Model Context Protocol, by
// its official Go SDK: agents and editors search and query org files, look at
// plans, lint and run workbooks, and read what runs did.
//
// A server is bound to one directory. Paths are inside it: every file is opened
// through an os.Root, so that neither ".." nor a link leads out. Running a
// workbook grants it what whoever starts the server grants, nothing by default;
// whether results may be written into the file is their choice too.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/compile"
	"wb/internal/trace"
	"wb/workbook"
	"wb/workbook/capability"
)

// Config says what a server offers.
type Config struct {
	Dir     string // the directory it is bound to
	Version string
	Lanes   *compile.Registry
	// Write lets run write results into workbooks.
	Write bool
	// Grants are the capabilities that workbooks have when they ask for them,
	// Capabilities serve them from the stores of the directory; nil serves none.
	Grants       []string
	Capabilities *capability.Host
	// Agents makes what does the components of a run that are agents; nil refuses them.
	Agents func() workbook.Agents
	// Ask gives an agent of a document a task, of which file, id, text and session are
	// given; nil offers no agents.
	Ask func(ctx context.Context, task host.Task) (*agent.Result, error)
	// Record opens the records of a run; nil records nothing.
	Record func(file string, src []byte) (*trace.Run, error)
	// LookEvery is how often files that a client has subscribed to are looked at;
	// 0 is every second.
	LookEvery time.Duration
}

// server is a bound server.
type server struct {
	Config
	root   *os.Root
	opened time.Time // when the grants were given
}

// The resources of a server are the files of its directory.
const (
	scheme       = "wb:///"
	fileTemplate = scheme + "{+path}"
)

// New makes a server. Close the returned function to let go of the directory.
func New(config Config) (*mcp.Server, func() error, error) {
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	config.Dir = dir
	s := &server{config, root, time.Now()}
	watch := &watcher{server: s, every: config.LookEvery, known: map[string]*watched{}}
	if watch.every <= 0 {
		watch.every = lookEvery
	}
	m := mcp.NewServer(&mcp.Implementation{Name: "wb", Title: "wb org workbooks", Version: config.Version}, &mcp.ServerOptions{
		HasPrompts: true, HasTools: true, HasResources: true, CompletionHandler: s.complete, SubscribeHandler: watch.subscribe, UnsubscribeHandler: watch.unsubscribe,
		Instructions: "Org files and workbooks below " + filepath.Base(dir) + ". search finds headings by words, query asks exact questions in OQL, plan and lint look at a workbook, run executes one in a sandbox, read gives a file, events what runs did. Each agent that a document defines is a tool agent_ID, each workbook with exports a tool run_NAME; where there are too many, agents and plan list them, ask and run do them."})
	watch.told = func(ctx context.Context, uri string) error {
		return m.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
	watch.anyone = func() bool {
		for range m.Sessions() {
			return true
		}
		return false
	}
	s.offer(m)
	readOnly := annotations(false)
	own := []error{
		addTool(s, m, &mcp.Tool{Name: "read", Description: "The text of a file.", Annotations: readOnly}, s.read),
		addTool(s, m, &mcp.Tool{Name: "events", Description: "What runs did: the latest events of events.org, of one run or of all.", Annotations: readOnly}, s.events)}
	if s.Ask != nil {
		own = append(own,
			addTool(s, m, &mcp.Tool{Name: "agents", Description: "The agents that documents here define.", Annotations: readOnly}, s.listAgents),
			addTool(s, m, &mcp.Tool{Name: "ask", Description: "Give one of the agents a task and get its result."}, s.ask))
	}
	if err := errors.Join(own...); err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	made := &documents{server: s, mcp: m}
	if err := made.refresh(); err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	m.AddReceivingMiddleware(s.listed, made.current)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: fileTemplate, Description: "A file of the directory.", MIMEType: "text/plain"}, s.resource)
	return m, func() error { watch.close(); return root.Close() }, nil
}

// addTool makes a tool of a function that gives text and data, with the schema of its
// input. Its error is what the caller reads.
func addTool[In any](s *server, m *mcp.Server, t *mcp.Tool, f func(context.Context, In) (string, any, error)) error {
	shape, err := jsonschema.For[In](nil)
	if err != nil {
		return err
	}
	schema, err := json.Marshal(shape)
	if err != nil {
		return err
	}
	t.InputSchema = json.RawMessage(schema)
	m.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = withNotifier(ctx, r)
		var in In
		if err := arguments(r, schema, &in); err != nil {
			return s.refusal(ctx, err), nil
		}
		text, data, err := f(ctx, in)
		if err != nil {
			return s.refusal(ctx, err), nil
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
		if data != nil {
			result.StructuredContent = data
		}
		return result, nil
	})
	return nil
}

// text reads a file of the server's.
func (s *server) text(ctx context.Context, name string) ([]byte, error) {
	_, _, src, err := s.home(ctx).Read(name)
	return src, err
}

type readIn struct {
	File string `json:"file" jsonschema:"path of a file, relative to the directory"`
	From int    `json:"from,omitempty" jsonschema:"first line, from 1"`
	To   int    `json:"to,omitempty" jsonschema:"last line"`
}

// maxRead bounds what one call of read gives, in bytes.
const maxRead = 256 << 10

func (s *server) read(ctx context.Context, in readIn) (string, any, error) {
	src, err := s.text(ctx, in.File)
	if err != nil {
		return "", nil, err
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return "", nil, fmt.Errorf("%s is not text (%d bytes)", in.File, len(src))
	}
	lines := strings.SplitAfter(string(src), "\n")
	from, to := max(1, in.From), len(lines)
	if in.To > 0 {
		to = min(in.To, to)
	}
	if from > to {
		return "", nil, fmt.Errorf("%s has %d lines", in.File, len(lines))
	}
	text := strings.Join(lines[from-1:to], "")
	if len(text) > maxRead {
		text = strings.ToValidUTF8(text[:maxRead], "") + fmt.Sprintf("\n… (%d bytes in all; give from and to)", len(text))
	}
	return text, nil, nil
}

type eventsIn struct {
	Run   string `json:"run,omitempty" jsonschema:"id of a run; all runs by default"`
	File  string `json:"file,omitempty" jsonschema:"an events.org; the one in the directory by default"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many of the latest, 50 by default"`
}

func (s *server) events(ctx context.Context, in eventsIn) (string, any, error) {
	if in.File == "" {
		in.File = "events.org"
	}
	src, err := s.text(ctx, in.File)
	if err != nil {
		return "", nil, err
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	var lines []string
	for e := range trace.Events(src) {
		if in.Run == "" || e.Run == in.Run {
			lines = append(lines, string(trace.AppendStep(nil, &e)))
		}
	}
	lines = lines[max(0, len(lines)-in.Limit):]
	if len(lines) == 0 {
		return "no events", nil, nil
	}
	return strings.Join(lines, ""), nil, nil
}

// resource gives a file by its URI.
func (s *server) resource(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, ok := strings.CutPrefix(r.Params.URI, scheme)
	if !ok {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	src, err := s.text(ctx, name)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: string(src)}}}, nil
}
