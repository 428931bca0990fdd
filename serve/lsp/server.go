package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/app"
	"wb/compile"
	"wb/org"
	"wb/workbook"
)

// Config holds a server's dependencies.
type Config struct {
	// Version is the version the server reports.
	Version string
	// Languages are the lanes there are.
	Languages *compile.Registry
	// Run runs a text that an editor has open and returns the report, whose
	// Edits put the results in. It must not write the file. nil switches
	// running off.
	Run func(ctx context.Context, r RunRequest) (*workbook.Report, error)
	// Grants are a run's capabilities besides those of the editor's settings.
	Grants []string
}

// RunRequest is a text to be run.
type RunRequest struct {
	File    string
	Source  []byte
	Only    []string // components; empty runs all
	Force   bool     // although nothing changed
	Grants  []string
	Profile string
	// Progress hears about each component that ends, Output what components print.
	Progress func(workbook.Done)
	Output   func(workbook.Printed)
}

// Server is a language server for one client.
type Server struct {
	config Config
	table  map[string]method
	conn   *conn
	stop   chan struct{} // closed by exit

	mu        sync.Mutex
	phase     phase
	client    initializeParams
	options   options
	enc       encoding
	documents map[string]*document
	timers    map[string]*time.Timer
	workspace *workspace
	runs      map[string]context.CancelFunc // by progress token
	lastToken int

	publishing sync.Mutex // holds diagnostics in order
}

// phase is where in its life a server is.
type phase int

const (
	fresh phase = iota
	ready
	shutDown
)

// ErrNoShutdown is an exit that no shutdown preceded; the process ends with 1.
var ErrNoShutdown = errors.New("exit came without shutdown")

// New makes a server.
func New(config Config) *Server {
	s := &Server{config: config, stop: make(chan struct{}), enc: utf16Positions,
		documents: map[string]*document{}, timers: map[string]*time.Timer{}, runs: map[string]context.CancelFunc{}}
	s.table = s.methods()
	return s
}

// Serve speaks with a client until it says exit or closes the stream. The error
// is nil when it said shutdown before.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.conn = newConn(in, out)
	err := s.conn.serve(ctx, s, s.stop)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.timers {
		t.Stop()
	}
	switch {
	case err != nil:
		return err
	case s.phase != shutDown && s.phase != fresh:
		return ErrNoShutdown
	}
	return nil
}

// method is how one method is handled. Ordered ones change what the server
// knows and so are handled in the order they come.
type method struct {
	handle  handler
	ordered bool
}

// methods is everything the server understands.
func (s *Server) methods() map[string]method {
	return map[string]method{
		"initialize":                       {request(s.initialize), true},
		"initialized":                      {request(s.initialized), true},
		"shutdown":                         {s.shutdown, true},
		"exit":                             {s.exit, true},
		"textDocument/didOpen":             {request(s.didOpen), true},
		"textDocument/didChange":           {request(s.didChange), true},
		"textDocument/didClose":            {request(s.didClose), true},
		"textDocument/didSave":             {request(s.didSave), true},
		"workspace/didChangeConfiguration": {request(s.didChangeConfiguration), true},
		"workspace/didChangeWatchedFiles":  {request(s.didChangeFiles), true},
		"workspace/didChangeWorkspaceFolders": {
			request(s.didChangeFolders), true},
		"window/workDoneProgress/cancel": {request(s.cancelRun), true},

		"textDocument/hover":                {request(s.hover), false},
		"textDocument/definition":           {request(s.definition), false},
		"textDocument/declaration":          {request(s.definition), false},
		"textDocument/references":           {request(s.references), false},
		"textDocument/documentHighlight":    {request(s.highlight), false},
		"textDocument/prepareRename":        {request(s.prepareRename), false},
		"textDocument/rename":               {request(s.rename), false},
		"textDocument/documentSymbol":       {request(s.documentSymbols), false},
		"workspace/symbol":                  {request(s.workspaceSymbols), false},
		"textDocument/foldingRange":         {request(s.folding), false},
		"textDocument/completion":           {request(s.completion), false},
		"textDocument/codeAction":           {request(s.codeActions), false},
		"textDocument/codeLens":             {request(s.codeLenses), false},
		"textDocument/documentLink":         {request(s.documentLinks), false},
		"textDocument/formatting":           {request(s.formatting), false},
		"textDocument/rangeFormatting":      {request(s.rangeFormatting), false},
		"textDocument/semanticTokens/full":  {request(s.semanticTokens), false},
		"textDocument/semanticTokens/range": {request(s.semanticTokensIn), false},
		"workspace/executeCommand":          {request(s.execute), false},
	}
}

// request decodes a handler's parameters.
func request[P any](do func(context.Context, P) (any, error)) handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, failf(codeInvalidParams, "parameters do not fit: %v", err)
			}
		}
		return do(ctx, p)
	}
}

// route implements router.
func (s *Server) route(name string, isRequest bool) (handler, bool, *wireError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, known := s.table[name]
	switch {
	case name == "exit":
		return m.handle, true, nil
	case s.phase == fresh && name != "initialize":
		return nil, false, failf(codeNotInitialized, "%s before initialize", name)
	case s.phase != fresh && name == "initialize":
		return nil, false, failf(codeInvalidRequest, "initialize was already sent")
	case s.phase == shutDown:
		return nil, false, failf(codeInvalidRequest, "%s after shutdown", name)
	case !known && isRequest:
		return nil, false, failf(codeNoMethod, "unknown method %s", name)
	case !known:
		return nil, false, nil // what is optional may be ignored
	case m.ordered:
		return m.handle, true, nil
	}
	now := s.view()
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		return m.handle(context.WithValue(ctx, viewKey{}, now), params)
	}, false, nil
}

// view is every open document as it stood when a request came, by URI. A
// request means that text, whatever is typed while it is answered.
type view map[string]*snapshot

type viewKey struct{}

func (s *Server) view() view {
	v := make(view, len(s.documents))
	for uri, d := range s.documents {
		v[uri] = d.snapshot()
	}
	return v
}

// viewed are the documents a request means.
func viewed(ctx context.Context) view {
	v, _ := ctx.Value(viewKey{}).(view)
	return v
}

// look is the analysis of a document that a request names.
func look(ctx context.Context, uri string) (*analysis, error) {
	if s := viewed(ctx)[uri]; s != nil {
		return s.analysis(), nil
	}
	return nil, failf(codeInvalidParams, "%s is not open", uri)
}

func (s *Server) initialize(_ context.Context, p initializeParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client, s.options = p, p.InitializationOptions
	s.enc = chooseEncoding(p.Capabilities.General.PositionEncodings)
	s.workspace = newWorkspace(folders(p), s.enc)
	s.phase = ready
	return map[string]any{
		"capabilities": s.capabilities(),
		"serverInfo":   map[string]string{"name": "wb", "version": s.config.Version},
	}, nil
}

// folders are the directories the client works in.
func folders(p initializeParams) []string {
	var dirs []string
	for _, f := range p.WorkspaceFolders {
		dirs = append(dirs, filePath(f.URI))
	}
	if len(dirs) == 0 && p.RootURI != "" {
		dirs = []string{filePath(p.RootURI)}
	}
	return dirs
}

// capabilities tell the client what to ask for.
func (s *Server) capabilities() map[string]any {
	return map[string]any{
		"positionEncoding": s.enc,
		"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]bool{"includeText": false}},
		"hoverProvider":    true, "definitionProvider": true, "declarationProvider": true, "referencesProvider": true, "documentHighlightProvider": true,
		"renameProvider":         map[string]bool{"prepareProvider": true},
		"documentSymbolProvider": true, "workspaceSymbolProvider": true, "foldingRangeProvider": true,
		"completionProvider":         map[string]any{"triggerCharacters": []string{":", " ", "<", "[", "#", "+", "=", "*", "_", ","}},
		"codeActionProvider":         map[string]any{"codeActionKinds": []string{"quickfix", "source", "source.fixAll.wb"}},
		"codeLensProvider":           map[string]bool{"resolveProvider": false},
		"documentLinkProvider":       map[string]bool{"resolveProvider": false},
		"documentFormattingProvider": true, "documentRangeFormattingProvider": true,
		"semanticTokensProvider": map[string]any{"legend": semanticLegend(), "full": true, "range": true},
		"executeCommandProvider": map[string]any{"commands": commandNames(), "workDoneProgress": true},
		"workspace":              map[string]any{"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true}},
	}
}

func (s *Server) initialized(ctx context.Context, _ struct{}) (any, error) { return nil, nil }

// shutdown cancels runs and lets other requests be answered, as far as they do
// not take long.
func (s *Server) shutdown(context.Context, json.RawMessage) (any, error) {
	s.mu.Lock()
	s.phase = shutDown
	for _, cancel := range s.runs {
		cancel()
	}
	s.mu.Unlock()
	s.conn.drain(2 * time.Second)
	return nil, nil
}

func (s *Server) exit(context.Context, json.RawMessage) (any, error) {
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	return nil, nil
}

func (s *Server) didOpen(_ context.Context, p openParams) (any, error) {
	d := p.TextDocument
	s.mu.Lock()
	s.documents[d.URI] = newDocument(d.URI, d.Text, d.Version, s.enc)
	s.mu.Unlock()
	s.lintSoon(d.URI, 0)
	return nil, nil
}

func (s *Server) didChange(_ context.Context, p changeParams) (any, error) {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	d.apply(p.TextDocument.Version, p.ContentChanges)
	s.lintSoon(d.uri, s.lintDelay())
	return nil, nil
}

func (s *Server) didClose(_ context.Context, p struct {
	TextDocument documentID `json:"textDocument"`
}) (any, error) {
	uri := p.TextDocument.URI
	s.mu.Lock()
	delete(s.documents, uri)
	if t := s.timers[uri]; t != nil {
		t.Stop()
		delete(s.timers, uri)
	}
	s.mu.Unlock()
	s.conn.notify("textDocument/publishDiagnostics", publishParams{URI: uri, Diagnostics: []diagnostic{}})
	return nil, nil
}

func (s *Server) didSave(_ context.Context, p struct {
	TextDocument documentID `json:"textDocument"`
}) (any, error) {
	s.lintSoon(p.TextDocument.URI, 0)
	return nil, nil
}

func (s *Server) didChangeConfiguration(_ context.Context, p struct {
	Settings struct {
		WB options `json:"wb"`
	} `json:"settings"`
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options = p.Settings.WB
	return nil, nil
}

func (s *Server) didChangeFiles(context.Context, struct{}) (any, error) { return nil, nil }

func (s *Server) didChangeFolders(_ context.Context, p struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}) (any, error) {
	for _, f := range p.Event.Removed {
		s.workspace.remove(filePath(f.URI))
	}
	for _, f := range p.Event.Added {
		s.workspace.add(filePath(f.URI))
	}
	return nil, nil
}

// open finds a document the client has open.
func (s *Server) open(uri string) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.documents[uri]; d != nil {
		return d, nil
	}
	return nil, failf(codeInvalidParams, "%s is not open", uri)
}

func (s *Server) settings() options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// home is where the verbs of the table work: on the text that the editor has open.
func (s *Server) home(a *analysis) *app.Home {
	return &app.Home{Stdin: strings.NewReader(a.text.source), StdinName: a.file,
		Languages: func(context.Context) (*compile.Registry, error) { return s.config.Languages, nil }}
}

// explain says why a component of a document would, or would not, run.
func (s *Server) explain(ctx context.Context, a *analysis, id string) (*workbook.Explanation, error) {
	set := s.settings()
	in := app.WhyIn{File: "-", ID: id, Grant: slices.Concat(s.config.Grants, set.Grants), Profile: set.Profile}
	return in.Explain(ctx, s.home(a))
}

// changesFor makes a workspace edit of one document's version.
func (s *Server) changesFor(a *analysis, edits []org.Edit) *workspaceEdit {
	return s.workspaceEdit(a.uri, &a.version, a.text.edits(edits))
}

// workspaceEdit is in the form the client understands: with versions where it
// can be.
func (s *Server) workspaceEdit(uri string, version *int, edits []textEdit) *workspaceEdit {
	if s.client.Capabilities.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{DocumentChanges: []textDocumentEdit{{TextDocument: versionedDocument{uri, version}, Edits: edits}}}
	}
	return &workspaceEdit{Changes: map[string][]textEdit{uri: edits}}
}
