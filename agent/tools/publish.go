package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"wb/agent"
	"wb/sandbox"
)

// published are the directories of a working directory that publish copies.
var published = []string{"content", "blog"}

// Publish copies content/** and blog/** to the web root that the user has
// configured: regular files only, nothing private. The agent says that, and
// nothing else.
func Publish(tree *agent.Tree, webRoot, configure string) agent.Tool {
	return &tool{name: "publish", description: "Copy content/ and blog/ of the working directory to the public web root.",
		schema: `{"type":"object","properties":{},"additionalProperties":false}`,
		call: func(context.Context, agent.Args) (agent.Output, error) {
			if webRoot == "" {
				return agent.Output{}, fmt.Errorf("publish error: publishing is not configured here: nothing was published; a person sets web_root under [publish] in %s", configure)
			}
			root, err := os.OpenRoot(webRoot)
			if err != nil {
				return agent.Output{}, fmt.Errorf("publish error: %w", err)
			}
			defer root.Close()
			p := publisher{from: tree.FS(), to: root}
			for _, dir := range published {
				if err := p.copy(dir); err != nil {
					return agent.Output{}, fmt.Errorf("publish error: after %d files: %w", p.written, err)
				}
			}
			if p.written+p.same == 0 {
				return agent.Output{}, errors.New("publish error: there is no file in content/ or blog/")
			}
			return agent.Output{Text: fmt.Sprintf("published %d files (%d unchanged)", p.written, p.same)}, nil
		}}
}

// publisher copies files that differ.
type publisher struct {
	from          sandbox.FS
	to            *os.Root
	written, same int
}

func (p *publisher) copy(dir string) error {
	entries, err := p.from.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case neverLeaves(name):
		case e.IsDir():
			if err := p.copy(name); err != nil {
				return err
			}
		case e.Type()&fs.ModeType == 0:
			if err := p.file(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *publisher) file(name string) error {
	data, err := sandbox.ReadFile(p.from, name)
	if err != nil {
		return err
	}
	target := filepath.FromSlash(name)
	if old, err := p.to.ReadFile(target); err == nil && bytes.Equal(old, data) {
		p.same++
		return nil
	}
	if err := p.to.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	part := target + ".wb-part"
	if err := p.to.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	p.written++
	return p.to.Rename(part, target)
}
