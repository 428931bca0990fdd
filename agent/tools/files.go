package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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
			if kind := http.DetectContentType(data); strings.HasPrefix(kind, "image/") && len(data) <= maxPicture {
				return agent.Output{Text: fmt.Sprintf("%s is a picture (%s, %d bytes); it is shown to you", args.Text("path"), kind, len(data)),
					Pictures: []agent.Picture{{Type: kind, Data: data}}, Taint: fileTaint(args.Text("path"))}, nil
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

// maxPicture bounds the pictures that a model is shown, in bytes.
const maxPicture = 4 << 20

// More reads on in outputs that were too long to be shown whole.
func More(read func(id string) (string, error)) agent.Tool {
	return &tool{name: "more", readOnly: true, description: "Read on in an output that was shortened.",
		schema: `{"type":"object","properties":{"output":{"type":"string","description":"the output, as the note in it says","pattern":"^[0-9a-f]{64}$"},"from":{"type":"integer","minimum":0,"description":"the first character to read"}},"required":["output"],"additionalProperties":false}`,
		call: func(_ context.Context, args agent.Args) (agent.Output, error) {
			text, err := read(args.Text("output"))
			if err != nil {
				return agent.Output{}, fmt.Errorf("more error: there is no output %s", args.Text("output"))
			}
			from := 0
			_ = json.Unmarshal(args["from"], &from) // checked against the schema; absent is 0
			runes := []rune(text)
			from = min(from, len(runes))
			to := min(from+agent.MaxOutput-100, len(runes))
			rest := "this is its end"
			if to < len(runes) {
				rest = fmt.Sprintf("go on from %d", to)
			}
			return agent.Output{Text: fmt.Sprintf("%s\n(characters %d to %d of %d; %s)", string(runes[from:to]), from, to, len(runes), rest), Taint: filesTaint}, nil
		}}
}

// edit replaces one passage of a file. It is refused where the passage does not stand
// there exactly once: the file has changed, or the passage is too short to be found.
func edit(tree *agent.Tree) agent.Tool {
	return &tool{name: "edit", contained: true, description: "Replace one passage of a file of the working directory. The rest of the file stays as it is, also where others have changed it.",
		schema: object("path string the file, relative to the working directory", "old string the passage as it stands in the file, with enough around it to occur once", "new string what takes its place"),
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			name, passage := args.Text("path"), args.Text("old")
			if passage == "" {
				return agent.Output{}, errors.New("edit error: `old` is empty; use vfs_write to make a file")
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
					return nil, fmt.Errorf("edit error: `old` occurs in %s %d times; include more of the surrounding text", name, n)
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
