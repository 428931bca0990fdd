package mcp

import (
	"bytes"
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/internal/trace"
	"wb/workbook"
	"wb/workbook/capability"
)

// home is where the verbs of the table work: in the directory, with what whoever
// started the server grants.
func (s *server) home(ctx context.Context) *app.Home {
	return &app.Home{Root: s.root, Dir: s.Dir, Hidden: host.Hidden, Write: s.Write, Record: s.Record, Version: s.Version,
		Languages: func(context.Context) (*compile.Registry, error) { return s.Lanes, nil },
		Hear:      func(record trace.Sink) trace.Sink { return progressive(ctx, record) },
		Prepare: func(_ context.Context, opts *workbook.Options) (func(context.Context) error, error) {
			opts.Output = printed(ctx)
			finish := func(context.Context) error { return nil }
			if s.Capabilities != nil {
				finish = s.Capabilities.PrepareFor(opts, capability.Starter{File: opts.File, Dir: s.Dir, Grants: s.Grants, Granted: s.opened})
			}
			if s.Agents != nil {
				opts.Agents = s.Agents()
			}
			return finish, nil
		}}
}

// offer makes tools of the verbs that the table shows here.
func (s *server) offer(m *mcp.Server) {
	for _, row := range app.At(app.Tools) {
		m.AddTool(&mcp.Tool{Name: row.Name, Description: row.Model, InputSchema: row.Schema(), Annotations: annotations(row.Changes)}, s.call(row))
	}
}

// annotations tell a client what a tool may do.
func annotations(changes bool) *mcp.ToolAnnotations {
	if changes {
		return nil
	}
	return &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
}

// call runs a verb. Its error is the text the caller reads.
func (s *server) call(row app.Row) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = withNotifier(ctx, r)
		home := s.home(ctx)
		result, err := s.answer(ctx, home, row, r)
		if err != nil {
			return s.refusal(ctx, err), nil
		}
		return result, nil
	}
}

func (s *server) answer(ctx context.Context, home *app.Home, row app.Row, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in, err := row.JSON(r.Params.Arguments)
	if err != nil {
		return nil, err
	}
	reply, err := row.Reply(ctx, home, in)
	if err != nil {
		return nil, err
	}
	data := reply.JSON
	if bytes.HasPrefix(data, []byte("[")) { // the protocol takes objects alone
		name := row.List
		if name == "" {
			name = strings.ReplaceAll(row.Name, " ", "_")
		}
		data = bytes.Join([][]byte{[]byte(`{"` + name + `":`), data, []byte("}")}, nil)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reply.Text}}, StructuredContent: data}, nil
}
