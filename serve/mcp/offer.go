package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent/host"
)

// listed answers resources/list with the files that there are now.
func (s *server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method != "resources/list" {
			return next(ctx, method, r)
		}
		result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
		err := host.FilesIn(s.root.FS(), func(name string, info fs.FileInfo) {
			kind := mime.TypeByExtension(path.Ext(name))
			if path.Ext(name) == ".org" || kind == "" {
				kind = "text/plain"
			}
			result.Resources = append(result.Resources, &mcp.Resource{Name: name, URI: scheme + name, MIMEType: kind, Size: info.Size()})
		})
		return result, err
	}
}

func (s *server) listAgents(context.Context, struct{}) (string, any, error) {
	all, err := host.AgentsIn(s.root.FS())
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %s\n", a.Name, strings.TrimSpace(a.Title+"  "+a.Tagline))
	}
	if len(all) == 0 {
		return "no document here defines an agent", map[string]any{"agents": all}, nil
	}
	return b.String(), map[string]any{"agents": all}, nil
}

type askIn struct {
	Agent string `json:"agent" jsonschema:"which agent: FILE#ID, as agents lists them"`
	Task  string `json:"task" jsonschema:"what to do, with everything the agent needs to know"`
}

// ask gives an agent of a document a task.
func (s *server) ask(ctx context.Context, in askIn) (string, any, error) {
	name, id, _ := strings.Cut(in.Agent, "#")
	file, err := s.home(ctx).Path(name)
	if err != nil {
		return "", nil, err
	}
	result, err := s.Ask(ctx, file, id, in.Task)
	if err != nil {
		return "", nil, err
	}
	if result.ExitCode() != 0 {
		return "", nil, fmt.Errorf("the run %s ended with %s: %s", result.RunID, result.Status, result.Result)
	}
	return result.Result, map[string]any{"result": result.Result, "status": result.Status, "run": result.RunID, "steps": result.Steps}, nil
}

// prompts offers every agent's instructions to clients that have a model of their own.
func (s *server) prompts(m *mcp.Server) error {
	all, err := host.AgentsIn(s.root.FS())
	for _, a := range all {
		m.AddPrompt(&mcp.Prompt{Name: a.Name, Title: a.Title, Description: strings.TrimSpace("The instructions of the agent " + a.Name + ". " + a.Tagline),
			Arguments: []*mcp.PromptArgument{{Name: "task", Description: "what to do", Required: true}}},
			func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text := strings.TrimSpace(a.System + "\n\nThe task: " + r.Params.Arguments["task"])
				return &mcp.GetPromptResult{Description: a.Title, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
			})
	}
	return err
}
