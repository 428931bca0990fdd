package tools

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"wb/agent"
)

// Files are vfs_read and vfs_write over the run's tree.
func Files(tree *agent.Tree) []agent.Tool {
	read := &tool{name: "vfs_read", readOnly: true, description: "Read a file of the working directory.",
		schema: object("path string the file, relative to the working directory"),
		call: func(_ context.Context, args agent.Args) (agent.Output, error) {
			data, err := tree.Read(args.Text("path"))
			if err != nil {
				return agent.Output{}, err
			}
			if !utf8.Valid(data) {
				return agent.Output{}, fmt.Errorf("%s is not text (%d bytes)", args.Text("path"), len(data))
			}
			return agent.Output{Text: string(data), Taint: fileTaint(args.Text("path"))}, nil
		}}
	write := &tool{name: "vfs_write", contained: true, description: "Write a file of the working directory, replacing what it held.",
		schema: object("path string the file, relative to the working directory", "content string the whole new content"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			if err := tree.Write(args.Text("path"), []byte(args.Text("content"))); err != nil {
				return agent.Output{}, err
			}
			return changed(ctx, tree, agent.Output{Text: fmt.Sprintf("wrote %s (%d bytes)", args.Text("path"), len(args.Text("content")))})
		}}
	return []agent.Tool{read, write}
}

// changed adds to an output what the tool changed in the tree.
func changed(ctx context.Context, tree *agent.Tree, out agent.Output) (agent.Output, error) {
	files, err := tree.Changes(ctx)
	out.Files = files
	return out, err
}

// fileTaint is the label of text from a file.
func fileTaint(name string) string {
	return "file:" + strings.ReplaceAll(path.Clean(name), " ", "_")
}

// filesTaint is the label of text from files that are not named.
const filesTaint = "file:*"
