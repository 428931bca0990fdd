// Package mcptools makes the tools of MCP servers into tools of agents, by the
// protocol's official Go SDK.
//
// A server's tools are named mcp_SERVER_TOOL. What they are is asked once, when
// a run begins, and kept in its journal: a resumed or replayed run sees the same
// tools without asking, and connects only when one is called. What a server says
// is untrusted text and labelled so.
package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/sandbox"
)

// Server is one MCP server as an agent uses it. It connects when it is first
// needed.
type Server struct {
	Name string
	// Dial makes the transport of a new connection.
	Dial func() (mcp.Transport, error)
	// Only are the tools to offer; all when empty.
	Only []string

	mu      sync.Mutex
	session *mcp.ClientSession
}

// connectTimeout bounds how long a server may take to say what it offers.
const connectTimeout = 30 * time.Second

// Listed is a server's list of tools, as a journal keeps it.
type Listed struct {
	Name        string          `json:"name"` // the server's own
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	ReadOnly    bool            `json:"read_only"`
	Idempotent  bool            `json:"idempotent,omitempty"`
}

// connect is the open session.
func (s *Server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session, nil
	}
	transport, err := s.Dial()
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "wb", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	// the session outlives the call that opened it
	session, err := client.Connect(context.WithoutCancel(ctx), transport, nil)
	if err != nil {
		return nil, err
	}
	s.session = session
	return session, nil
}

// Close ends the connection, if there is one.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	session := s.session
	s.session = nil
	return session.Close()
}

// List asks the server for its tools. A tool whose schema is none is left out
// with an error that names it.
func (s *Server) List(ctx context.Context) (listed []Listed, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	type answer struct {
		listed []Listed
		err    error
	}
	done := make(chan answer, 1)
	go func() { // a server that says nothing must not hold the run
		l, err := s.list(ctx)
		done <- answer{l, err}
	}()
	select {
	case a := <-done:
		listed, err = a.listed, a.err
	case <-ctx.Done():
		err = fmt.Errorf("no answer within %v", connectTimeout)
	}
	if err != nil {
		return listed, fmt.Errorf("mcp server %s: %w", s.Name, err)
	}
	return listed, nil
}

func (s *Server) list(ctx context.Context) ([]Listed, error) {
	session, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	var all []Listed
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if len(s.Only) > 0 && !slices.Contains(s.Only, t.Name) {
			continue
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		if _, err := agent.NewSchema(schema); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		all = append(all, Listed{t.Name, clean(t.Description), schema, t.Annotations != nil && t.Annotations.ReadOnlyHint, t.Annotations != nil && t.Annotations.IdempotentHint})
	}
	return all, nil
}

// maxDescription bounds what a server may tell the model about a tool.
const maxDescription = 1000

func clean(text string) string {
	text = strings.Join(strings.Fields(string(sandbox.Neutralize([]byte(text)))), " ")
	if runes := []rune(text); len(runes) > maxDescription {
		text = string(runes[:maxDescription-1]) + "…"
	}
	return text
}

// Tools are a server's tools for an agent.
func (s *Server) Tools(listed []Listed) []agent.Tool {
	var all []agent.Tool
	for _, l := range listed {
		all = append(all, &tool{s, l})
	}
	return all
}

// tool is one tool of a server.
type tool struct {
	server *Server
	Listed
}

// Name is the name of a server's tool for the model.
func Name(server, tool string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, "mcp_"+server+"_"+tool)
	return name[:min(len(name), 64)]
}

func (t *tool) Spec() agent.ToolSpec {
	return agent.ToolSpec{Name: Name(t.server.Name, t.Name), Description: fmt.Sprintf("(from the MCP server %s) %s", t.server.Name, t.Description), Schema: t.Schema}
}

// ReadOnly is what the server says; a call that does more than it says harms
// the server's own data only.
func (t *tool) ReadOnly() bool { return t.Listed.ReadOnly }

// Once reports whether making a call twice may do its work twice.
func (t *tool) Once() bool { return !t.Listed.ReadOnly && !t.Idempotent }

// KeyMeta is where a call's idempotency key stands in what a server is sent: a call
// that a resumed run makes again has the same.
const KeyMeta = "wb/idempotency-key"

func (t *tool) Call(ctx context.Context, args agent.Args) (agent.Output, error) {
	name := t.Spec().Name
	session, err := t.server.connect(ctx)
	if err != nil {
		return agent.Output{}, fmt.Errorf("%s error: mcp server %s: %w", name, t.server.Name, err)
	}
	sent, err := json.Marshal(args)
	if err != nil {
		return agent.Output{}, err
	}
	params := &mcp.CallToolParams{Name: t.Name, Arguments: json.RawMessage(sent)}
	if key := agent.CallKey(ctx); key != "" {
		params.Meta = mcp.Meta{KeyMeta: key}
	}
	result, err := session.CallTool(ctx, params)
	if err != nil {
		return agent.Output{BytesOut: int64(len(sent))}, fmt.Errorf("%s error: %w", name, err)
	}
	out := agent.Output{Text: text(result), BytesOut: int64(len(sent)), Taint: "mcp:" + strings.ReplaceAll(t.server.Name, " ", "_")}
	if result.StructuredContent != nil {
		out.Data, _ = json.Marshal(result.StructuredContent)
		if out.Text == "" {
			out.Text = string(out.Data)
		}
	}
	for _, c := range result.Content {
		if image, ok := c.(*mcp.ImageContent); ok {
			data, _ := json.Marshal(map[string]any{"mime": image.MIMEType, "data": image.Data})
			out.Artifacts = append(out.Artifacts, agent.Artifact{Kind: "image", Data: data})
			out.Pictures = append(out.Pictures, agent.Picture{Type: image.MIMEType, Data: image.Data})
		}
	}
	if result.IsError {
		return out, errors.New(name + " error: " + out.Text)
	}
	return out, nil
}

// text is an answer as the model reads it.
func text(result *mcp.CallToolResult) string {
	var parts []string
	for _, c := range result.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("(a picture: %s, %d bytes)", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("(a sound: %s, %d bytes)", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, c.URI)
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, c.Resource.URI, c.Resource.Text)
			}
		}
	}
	return string(sandbox.Neutralize([]byte(strings.Join(parts, "\n"))))
}
