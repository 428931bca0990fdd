package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"wb/agent"
	"wb/internal/value"
	"wb/sandbox"
)

// Workbooks lets an agent run a workbook of its tree, or org text, and gives it
// the exports. Components get profile compute and, of the capabilities they ask
// for, those that are passed on; the workbook is not written.
func (b Bench) Workbooks() agent.Tool {
	return &tool{name: "run", description: "Run an org workbook in the sandbox: a path in the working directory, or org text of several lines. Gives its exports as JSON.",
		schema: `{"type":"object","properties":{"workbook":{"type":"string","description":"path of an .org file, or org text"},"set":{"type":"object","description":"values of its inputs"}},"required":["workbook"],"additionalProperties":false}`,
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			name := args.Text("workbook")
			given := map[string]json.RawMessage{"set": args["set"]}
			if strings.Contains(name, "\n") {
				given["text"], _ = json.Marshal(name)
				name = "text.org"
			}
			given["file"], _ = json.Marshal(name)
			i := slices.IndexFunc(b.Table.Verbs(), func(v Verb) bool { return v.Name == "run" })
			out, err := b.at(ctx, func(at *Checkout) (agent.Output, error) {
				if _, ok := given["text"]; !ok {
					if _, err := b.Tree.Read(name); err != nil {
						return agent.Output{}, err
					}
				}
				return b.Table.Verbs()[i].JSON(ctx, at, given)
			})
			if err != nil {
				return out, fmt.Errorf("run error: %w", err)
			}
			return out, nil
		}}
}

// Inputs are the members of a JSON object as values of inputs.
func Inputs(raw json.RawMessage) (map[string]value.Value, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	v, err := value.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	set := map[string]value.Value{}
	for _, f := range v.Fields() {
		set[f.Name] = f.Value
	}
	return set, nil
}

// maxLaidOut bounds what is copied for a workbook that sees an agent's changes.
const maxLaidOut = 256 << 20

var errTooLarge = errors.New("the working directory is larger than the 256 MiB that a workbook may see")

// laidOut is the run's tree as a directory: a copy, so that what the agent
// changed is there and nothing a workbook does reaches the working directory.
func laidOut(tree *agent.Tree) (dir string, remove func(), err error) {
	if !tree.Changed() {
		return tree.Dir(), func() {}, nil
	}
	dir, err = os.MkdirTemp("", "wb-run-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	c := copier{from: tree.FS(), to: dir}
	if inside, err := filepath.Rel(tree.Dir(), dir); err == nil {
		c.skip = filepath.ToSlash(inside) // the copy may lie in what is copied
	}
	if err = c.copy("."); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// copier copies a tree into a directory.
type copier struct {
	from sandbox.FS
	to   string
	skip string
	size int64
}

func (c *copier) copy(name string) error {
	entries, err := c.from.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		inner := path.Join(name, e.Name())
		target := filepath.Join(c.to, filepath.FromSlash(inner))
		switch {
		case e.Name() == ".git" || e.Name() == ".wb" || inner == c.skip:
		case e.IsDir():
			if err := os.MkdirAll(target, 0o755); err != nil {
				return err
			}
			if err := c.copy(inner); err != nil {
				return err
			}
		case e.Type()&fs.ModeType == 0:
			data, err := sandbox.ReadFile(c.from, inner)
			if err != nil {
				return err
			}
			if c.size += int64(len(data)); c.size > maxLaidOut {
				return errTooLarge
			}
			if err := os.WriteFile(target, data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
