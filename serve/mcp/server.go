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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/agent/host"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org/oql"
	"wb/search"
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
	// Ask gives an agent of a document a task; nil offers no agents.
	Ask func(ctx context.Context, file, id, task string) (*agent.Result, error)
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
		CompletionHandler: s.complete, SubscribeHandler: watch.subscribe, UnsubscribeHandler: watch.unsubscribe,
		Instructions: "Org files and workbooks below " + filepath.Base(dir) + ". search finds headings by words, query asks exact questions in OQL, plan and lint look at a workbook, run executes one in a sandbox, read gives a file, events what runs did."})
	watch.told = func(ctx context.Context, uri string) error {
		return m.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
	watch.anyone = func() bool {
		for range m.Sessions() {
			return true
		}
		return false
	}
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	mcp.AddTool(m, &mcp.Tool{Name: "search", Description: "Find the headings that best match words, with a snippet of each.", Annotations: readOnly}, tool(s.search))
	mcp.AddTool(m, &mcp.Tool{Name: "query", Description: "Ask over headings, blocks, links, tables, events and runs in OQL, for example: todo:NEXT tags:work, or tag:tool_call exit:!=0 | group tool | count.", Annotations: readOnly}, tool(s.query))
	mcp.AddTool(m, &mcp.Tool{Name: "plan", Description: "The components of a workbook and how values flow between them.", Annotations: readOnly}, tool(s.plan))
	mcp.AddTool(m, &mcp.Tool{Name: "lint", Description: "The mistakes in a workbook, with places and hints.", Annotations: readOnly}, tool(s.lint))
	mcp.AddTool(m, &mcp.Tool{Name: "read", Description: "The text of a file.", Annotations: readOnly}, tool(s.read))
	mcp.AddTool(m, &mcp.Tool{Name: "events", Description: "What runs did: the latest events of events.org, of one run or of all.", Annotations: readOnly}, tool(s.events))
	mcp.AddTool(m, &mcp.Tool{Name: "run", Description: "Run a workbook in the sandbox, with no capability but those the server was started with, and get its exports and what became of each component."}, tool(s.run))
	if s.Ask != nil {
		mcp.AddTool(m, &mcp.Tool{Name: "agents", Description: "The agents that documents here define.", Annotations: readOnly}, tool(s.listAgents))
		mcp.AddTool(m, &mcp.Tool{Name: "ask", Description: "Give one of the agents a task and get its result."}, tool(s.ask))
	}
	if err := s.prompts(m); err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	m.AddReceivingMiddleware(s.listed)
	m.AddResourceTemplate(&mcp.ResourceTemplate{Name: "file", URITemplate: fileTemplate, Description: "A file of the directory.", MIMEType: "text/plain"}, s.resource)
	return m, func() error { watch.close(); return root.Close() }, nil
}

// tool makes a handler of a function that gives text and data. Its error is
// what the caller reads.
func tool[In any](f func(context.Context, In) (string, any, error)) mcp.ToolHandlerFor[In, any] {
	return func(ctx context.Context, r *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, data, err := f(withNotifier(ctx, r), in)
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: explain(err)}}}, nil, nil
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
		if data != nil {
			result.StructuredContent = data
		}
		return result, nil, nil
	}
}

// explain is an error with its hint.
func explain(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + "\nhint: " + hinted.Hint()
	}
	return err.Error()
}

// inside is the absolute path of a file or directory of the server's.
func (s *server) inside(name string) (string, error) {
	name = strings.TrimPrefix(filepath.ToSlash(name), "./")
	if name == "" {
		name = "."
	}
	if host.Hidden(name) {
		return "", fmt.Errorf("%s is kept back by the host", name)
	}
	if _, err := s.root.Stat(filepath.FromSlash(name)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no such file: %s", name)
		}
		return "", fmt.Errorf("%s is not inside the directory of this server", name)
	}
	return filepath.Join(s.Dir, filepath.FromSlash(name)), nil
}

// text reads a file of the server's.
func (s *server) text(name string) ([]byte, error) {
	if _, err := s.inside(name); err != nil {
		return nil, err
	}
	return s.root.ReadFile(filepath.FromSlash(name))
}

type searchIn struct {
	Text string `json:"text" jsonschema:"what to look for: words, \"a phrase\", prefix*, -not"`
	In   string `json:"in,omitempty" jsonschema:"file or directory to search; everything by default"`
	K    int    `json:"k,omitempty" jsonschema:"how many headings, 8 by default"`
}

func (s *server) search(ctx context.Context, in searchIn) (string, any, error) {
	path, err := s.inside(in.In)
	if err != nil {
		return "", nil, err
	}
	hits, err := Search(ctx, path, in.Text, in.K)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	for i := range hits {
		if rel, err := filepath.Rel(s.Dir, hits[i].Path); err == nil {
			hits[i].Path = filepath.ToSlash(rel)
		}
		fmt.Fprintf(&b, "%s:%d %s\n%s\n\n", hits[i].Path, hits[i].Line, strings.Join(hits[i].Outline, " › "), hits[i].Snippet)
	}
	if len(hits) == 0 {
		b.WriteString("nothing found")
	}
	return strings.TrimSpace(b.String()), map[string]any{"hits": hits}, nil
}

// Search ranks the headings below a path.
func Search(ctx context.Context, path, text string, k int) ([]search.Hit, error) {
	q, err := search.ParseQuery(text)
	if err != nil {
		return nil, err
	}
	x, err := search.Open(ctx, search.Config{Paths: []string{path}})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if _, err := x.Refresh(ctx); err != nil {
		return nil, err
	}
	if k <= 0 {
		k = 8
	}
	opts := search.Options{K: k}
	if q.Where != "" {
		if opts.Allowed, err = x.Filter(ctx, q.Where); err != nil {
			return nil, err
		}
	}
	answer, err := x.Search(ctx, q, opts)
	if err != nil {
		return nil, err
	}
	return answer.Hits, nil
}

type queryIn struct {
	Query string   `json:"query" jsonschema:"the query, in OQL"`
	Paths []string `json:"paths,omitempty" jsonschema:"files and directories; everything by default"`
	Limit int      `json:"limit,omitempty" jsonschema:"rows at most, 100 by default"`
}

func (s *server) query(ctx context.Context, in queryIn) (string, any, error) {
	q, err := oql.Parse(in.Query)
	if err != nil {
		return "", nil, err
	}
	if err := ownRows(q); err != nil {
		return "", nil, err
	}
	if in.Limit <= 0 {
		in.Limit = 100
	}
	if q.Limit == 0 || q.Limit > in.Limit {
		q.Limit = in.Limit
	}
	var paths []string
	for _, name := range in.Paths {
		path, err := s.inside(name)
		if err != nil {
			return "", nil, err
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		paths = []string{s.Dir}
	}
	answer, err := oql.Ask(ctx, oql.Request{Paths: paths, Query: q})
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	err = answer.Write(&b, "json")
	if closeErr := answer.Close(); err == nil {
		err = closeErr
	}
	return strings.ReplaceAll(b.String(), s.Dir+string(filepath.Separator), ""), nil, err
}

// rowKinds are the sources a query may name here; files are named by paths.
var rowKinds = []string{"headlines", "blocks", "links", "tables", "events", "runs"}

func ownRows(q *oql.Query) error {
	sources := slices.Clone(q.From)
	for _, j := range q.Joins {
		sources = append(sources, j.From...)
	}
	for _, from := range sources {
		if !slices.Contains(rowKinds, from.Name) {
			return fmt.Errorf("from %q: name files with paths; from takes %s", from.Name, strings.Join(rowKinds, ", "))
		}
	}
	return nil
}

type fileIn struct {
	File string `json:"file" jsonschema:"path of a workbook, relative to the directory"`
}

func (s *server) plan(_ context.Context, in fileIn) (string, any, error) {
	src, err := s.text(in.File)
	if err != nil {
		return "", nil, err
	}
	data, err := workbook.NewPlan(in.File, src).JSON("")
	if err != nil {
		return "", nil, err
	}
	text, err := json.Marshal(data)
	return string(text), data, err
}

func (s *server) lint(_ context.Context, in fileIn) (string, any, error) {
	src, err := s.text(in.File)
	if err != nil {
		return "", nil, err
	}
	found := workbook.Lint(in.File, src, workbook.LintOptions{Languages: s.Lanes})
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Pos, d.Severity, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
		}
	}
	if len(found) == 0 {
		b.WriteString("no mistakes found")
		found = []diag.Finding{}
	}
	return b.String(), map[string]any{"diagnostics": found}, nil
}

type readIn struct {
	File string `json:"file" jsonschema:"path of a file, relative to the directory"`
	From int    `json:"from,omitempty" jsonschema:"first line, from 1"`
	To   int    `json:"to,omitempty" jsonschema:"last line"`
}

// maxRead bounds what one call of read gives, in bytes.
const maxRead = 256 << 10

func (s *server) read(_ context.Context, in readIn) (string, any, error) {
	src, err := s.text(in.File)
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

func (s *server) events(_ context.Context, in eventsIn) (string, any, error) {
	if in.File == "" {
		in.File = "events.org"
	}
	src, err := s.text(in.File)
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

type runIn struct {
	File string         `json:"file" jsonschema:"path of a workbook, relative to the directory"`
	Only []string       `json:"only,omitempty" jsonschema:"run only these components and what they need"`
	Set  map[string]any `json:"set,omitempty" jsonschema:"values of inputs"`
}

func (s *server) run(ctx context.Context, in runIn) (string, any, error) {
	path, err := s.inside(in.File)
	if err != nil {
		return "", nil, err
	}
	src, err := s.text(in.File)
	if err != nil {
		return "", nil, err
	}
	set := map[string]value.Value{}
	for name, v := range in.Set {
		text, err := json.Marshal(v)
		if err != nil {
			return "", nil, err
		}
		if set[name], err = value.ParseJSON(text); err != nil {
			return "", nil, err
		}
	}
	opts := workbook.Options{File: path, Source: src, Lanes: s.Lanes, Only: in.Only, Set: set, NoWrite: !s.Write, Cache: workbook.CacheBeside(path)}
	finish := func(context.Context) error { return nil }
	if s.Capabilities != nil {
		finish = s.Capabilities.PrepareFor(&opts, capability.Starter{File: path, Dir: s.Dir, Grants: s.Grants, Granted: s.opened})
	}
	if s.Agents != nil {
		opts.Agents = s.Agents()
	}
	var record *trace.Run
	if s.Record != nil {
		if record, err = s.Record(path, src); err != nil {
			return "", nil, err
		}
		opts.Trace = record
	}
	opts.Trace = progressive(ctx, opts.Trace)
	report, err := workbook.Run(ctx, opts)
	err = errors.Join(err, finish(context.WithoutCancel(ctx)))
	if record != nil {
		err = errors.Join(err, record.End(outcome(report, err)))
	}
	if err != nil {
		return "", nil, errors.New(strings.ReplaceAll(explain(err), s.Dir+string(filepath.Separator), ""))
	}
	return s.reported(report)
}

// outcome is how a run ended, for its records.
func outcome(report *workbook.Report, err error) trace.Outcome {
	switch {
	case err != nil:
		return trace.Outcome{Status: "failed", Error: err.Error(), Exit: trace.Exit(1)}
	case report.Failed() != nil:
		return trace.Outcome{Status: "failed", Error: report.Failed().Err.Error(), Exit: trace.Exit(1)}
	}
	return trace.Outcome{Status: "ok", Exit: trace.Exit(0)}
}

// reported is a run as text and as data.
func (s *server) reported(report *workbook.Report) (string, any, error) {
	type component struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Error  string `json:"error,omitempty"`
	}
	var all []component
	var b strings.Builder
	for _, d := range report.Components {
		c := component{ID: d.ID, Status: string(d.Status)}
		if d.Err != nil {
			c.Error = strings.ReplaceAll(d.Err.Error(), s.Dir+string(filepath.Separator), "")
			fmt.Fprintf(&b, "%s %s: %s\n", d.ID, d.Status, c.Error)
		}
		all = append(all, c)
	}
	exports := value.OfObject(report.Exports...)
	fmt.Fprintf(&b, "exports: %s\n", exports)
	return b.String(), map[string]any{"components": all, "exports": json.RawMessage(exports.String())}, nil
}

// resource gives a file by its URI.
func (s *server) resource(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, ok := strings.CutPrefix(r.Params.URI, scheme)
	if !ok {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	src, err := s.text(name)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: string(src)}}}, nil
}
