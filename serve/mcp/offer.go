package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent"
	"wb/org"
)

// hidden reports whether a file is kept back: what begins with a dot (.git, .wb), and
// what the host keeps of runs and settings. What runs did is told by the tool events.
func hidden(name string) bool {
	for part := range strings.SplitSeq(path.Clean(filepath.ToSlash(name)), "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." || slices.Contains([]string{"_steps.jsonl", "_ledger.json", "wb.toml", "approvals.org"}, part) {
			return true
		}
	}
	return false
}

// What a listing holds.
const (
	maxResources = 1000
	maxAgentFile = 1 << 20 // bytes of a document that agents are looked for in
)

// files visits the files of the directory that are not kept back.
func (s *server) files(visit func(name string, info fs.FileInfo)) error {
	n := 0
	return fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read is not offered
		case hidden(name) && d.IsDir():
			return fs.SkipDir
		case hidden(name) || !d.Type().IsRegular():
			return nil
		case n == maxResources:
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil {
			n++
			visit(name, info)
		}
		return nil
	})
}

// listed answers resources/list with the files that there are now.
func (s *server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method != "resources/list" {
			return next(ctx, method, r)
		}
		result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
		err := s.files(func(name string, info fs.FileInfo) {
			kind := mime.TypeByExtension(path.Ext(name))
			if path.Ext(name) == ".org" || kind == "" {
				kind = "text/plain"
			}
			result.Resources = append(result.Resources, &mcp.Resource{Name: name, URI: scheme + name, MIMEType: kind, Size: info.Size()})
		})
		return result, err
	}
}

// found is an agent of a document in the directory.
type found struct {
	Name    string `json:"agent"` // FILE#ID
	Title   string `json:"title"`
	Tagline string `json:"tagline,omitempty"`
	system  string
}

// agents are those that the documents define, by name.
func (s *server) agents() ([]found, error) {
	var all []found
	err := s.files(func(name string, info fs.FileInfo) {
		if path.Ext(name) != ".org" || info.Size() > maxAgentFile {
			return
		}
		src, err := s.root.ReadFile(filepath.FromSlash(name))
		if err != nil || !strings.Contains(string(src), ":agent:") {
			return
		}
		defined, _ := agent.Definitions(org.Parse(src), name)
		for _, d := range defined {
			all = append(all, found{name + "#" + d.ID, d.Title, d.Tagline, d.System})
		}
	})
	return all, err
}

func (s *server) listAgents(context.Context, struct{}) (string, any, error) {
	all, err := s.agents()
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %s\n", a.Name, strings.TrimSpace(a.Title+"  "+a.Tagline))
	}
	if len(all) == 0 {
		return "no document here defines an agent", map[string]any{"agents": []found{}}, nil
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
	file, err := s.inside(name)
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
	all, err := s.agents()
	for _, a := range all {
		m.AddPrompt(&mcp.Prompt{Name: a.Name, Title: a.Title, Description: strings.TrimSpace("The instructions of the agent " + a.Name + ". " + a.Tagline),
			Arguments: []*mcp.PromptArgument{{Name: "task", Description: "what to do", Required: true}}},
			func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text := strings.TrimSpace(a.system + "\n\nThe task: " + r.Params.Arguments["task"])
				return &mcp.GetPromptResult{Description: a.Title, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
			})
	}
	return err
}
