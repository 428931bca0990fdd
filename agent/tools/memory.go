package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/agent"
)

// Memory is where an agent keeps what it shall know in later runs, as files.
type Memory interface {
	Read(ctx context.Context, name string) (text string, found bool, err error)
	// Write keeps a text whose writer has read untrusted text from the sources in
	// taint; Taint are the sources of all that is kept.
	Write(ctx context.Context, name, text string, taint []string) error
	Remove(ctx context.Context, name string) error
	List(ctx context.Context) ([]string, error)
	Taint(ctx context.Context) ([]string, error)
}

// maxMemory is how long a text of the memory may be, in bytes.
const maxMemory = 64 << 10

// Remember is the tool through which an agent uses its memory. What it reads there
// is as trustworthy as what it had read when it wrote.
func Remember(m Memory) agent.Tool {
	return &tool{name: "memory", description: "Your memory from run to run, as small files of text: list, read, write (replaces) or remove one.",
		schema: `{"type":"object","properties":{"op":{"type":"string","enum":["list","read","write","remove"]},"path":{"type":"string","description":"name of the file, such as notes.org"},"content":{"type":"string","description":"what to write"}},"required":["op"],"additionalProperties":false}`,
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			out, err := remembered(ctx, m, args.Text("op"), args.Text("path"), args.Text("content"))
			if err != nil {
				return out, fmt.Errorf("memory error: %w", err)
			}
			return out, nil
		}}
}

func remembered(ctx context.Context, m Memory, op, path, content string) (agent.Output, error) {
	if op != "list" && path == "" {
		return agent.Output{}, errors.New("path is missing")
	}
	switch op {
	case "list":
		names, err := m.List(ctx)
		if len(names) == 0 {
			names = []string{"(nothing is remembered)"}
		}
		return agent.Output{Text: strings.Join(names, "\n")}, err
	case "write":
		if len(content) > maxMemory {
			return agent.Output{}, fmt.Errorf("a file may have %d bytes, not %d", maxMemory, len(content))
		}
		return agent.Output{Text: fmt.Sprintf("remembered %s (%d bytes)", path, len(content))}, m.Write(ctx, path, content, agent.TaintOf(ctx))
	case "remove":
		return agent.Output{Text: "forgot " + path}, m.Remove(ctx, path)
	}
	text, found, err := m.Read(ctx, path)
	if err == nil && !found {
		err = errors.New("no such file: " + path)
	}
	if err != nil {
		return agent.Output{}, err
	}
	taint, err := m.Taint(ctx)
	return agent.Output{Text: text, Taint: strings.Join(taint, " ")}, err
}
