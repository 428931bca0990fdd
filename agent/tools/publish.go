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
		call: func(ctx context.Context, _ agent.Args) (agent.Output, error) {
			if webRoot == "" {
				return agent.Output{}, fmt.Errorf("publish error: nothing was published: publishing is not configured; a person must set web_root under [publish] in %s", configure)
			}
			root, err := os.OpenRoot(webRoot)
			if err != nil {
				return agent.Output{}, fmt.Errorf("publish error: %w", err)
			}
			defer root.Close()
			p := &publisher{from: tree.FS(), to: root}
			if err := p.plan(); err != nil {
				return agent.Output{}, fmt.Errorf("publish error: %w", err)
			}
			if p.Written+p.Same == 0 {
				return agent.Output{}, errors.New("publish error: there is no file in content/ or blog/")
			}
			// a call that is made again finds files there that it has put there itself
			if _, err := agent.Announce(ctx, &p.count); err != nil {
				return agent.Output{}, fmt.Errorf("publish error: %w", err)
			}
			if err := p.write(); err != nil {
				return agent.Output{}, fmt.Errorf("publish error: %w", err)
			}
			return agent.Output{Text: fmt.Sprintf("published %d files (%d unchanged)", p.Written, p.Same)}, nil
		}}
}

// count is the number of files published and unchanged.
type count struct{ Written, Same int }

// publisher copies files that differ.
type publisher struct {
	from sandbox.FS
	to   *os.Root
	todo []string
	count
}

// plan finds what is to be written.
func (p *publisher) plan() error {
	for _, dir := range published {
		if err := p.look(dir); err != nil {
			return err
		}
	}
	return nil
}

func (p *publisher) look(dir string) error {
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
			if err := p.look(name); err != nil {
				return err
			}
		case e.Type()&fs.ModeType == 0:
			data, err := sandbox.ReadFile(p.from, name)
			if err != nil {
				return err
			}
			if old, err := p.to.ReadFile(filepath.FromSlash(name)); err == nil && bytes.Equal(old, data) {
				p.Same++
				continue
			}
			p.Written++
			p.todo = append(p.todo, name)
		}
	}
	return nil
}

// write puts each file in its place, whole.
func (p *publisher) write() error {
	for i, name := range p.todo {
		if err := p.file(name); err != nil {
			return fmt.Errorf("after %d files: %w", i, err)
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
	if err := p.to.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	part := target + ".wb-part"
	if err := p.to.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	return p.to.Rename(part, target)
}
