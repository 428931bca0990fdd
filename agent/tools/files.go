package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"wb/agent"
)

// Files are vfs_read, vfs_write and edit over the run's tree.
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
	return []agent.Tool{read, write, edit(tree)}
}

// edit replaces one passage of a file. It is refused where the passage does not stand
// there exactly once: the file has changed, or the passage is too short to be found.
func edit(tree *agent.Tree) agent.Tool {
	return &tool{name: "edit", contained: true, description: "Replace one passage of a file of the working directory. The rest of the file stays as it is, also where others have changed it.",
		schema: object("path string the file, relative to the working directory", "old string the passage as it stands in the file, with enough around it to occur once", "new string what takes its place"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			name, passage := args.Text("path"), args.Text("old")
			if passage == "" {
				return agent.Output{}, errors.New("edit error: `old` is empty; vfs_write makes a file")
			}
			line := 0
			err := tree.Edit(name, func(text []byte) ([]byte, error) {
				switch before, after, n := cutOnce(string(text), passage); n {
				case 0:
					return nil, fmt.Errorf("edit error: `old` is not in %s; read it again", name)
				case 1:
					line = 1 + strings.Count(before, "\n")
					return []byte(before + args.Text("new") + after), nil
				default:
					return nil, fmt.Errorf("edit error: `old` is in %s %d times; give more of what stands around it", name, n)
				}
			})
			if err != nil {
				return agent.Output{}, err
			}
			return changed(ctx, tree, agent.Output{Text: fmt.Sprintf("edited %s at line %d", name, line), Taint: fileTaint(name)})
		}}
}

// cutOnce cuts a text around a passage and counts how often that is in it.
func cutOnce(text, passage string) (before, after string, n int) {
	before, after, _ = strings.Cut(text, passage)
	return before, after, strings.Count(text, passage)
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
