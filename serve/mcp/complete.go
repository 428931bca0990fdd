package mcp

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent/host"
)

// maxCompletions is how many values the protocol lets an answer have.
const maxCompletions = 100

// complete completes the path of the file resource. Of what it does not know
// there are no completions.
func (s *server) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	none := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if r.Params.Ref == nil || r.Params.Ref.URI != fileTemplate || r.Params.Argument.Name != "path" {
		return none, nil
	}
	var values []string
	begun := strings.TrimPrefix(r.Params.Argument.Value, "./")
	dir := path.Dir(begun + "x")
	err := fs.WalkDir(s.root.FS(), path.Clean(dir), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case ctx.Err() != nil:
			return ctx.Err()
		case host.Hidden(name) && entry.IsDir():
			return fs.SkipDir
		case host.Hidden(name):
		case entry.Type().IsRegular() && strings.HasPrefix(name, begun):
			values = append(values, name)
		}
		return nil
	})
	if err != nil {
		return none, nil
	}
	slices.Sort(values)
	shown := values[:min(len(values), maxCompletions)]
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: append([]string{}, shown...), Total: len(values), HasMore: len(values) > len(shown)}}, nil
}
