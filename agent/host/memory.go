package host

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"wb/agent"
	"wb/sandbox/dock/store"
)

// memories is an agent's memory between runs. It lies in the volume memory of its working
// directory, in a directory of its own.
type memories struct {
	store  *store.Store
	prefix string
}

// The files of a memory that the host keeps.
const (
	digestFile = "digest.org" // what `wb agent dream` has made of the past
	taintFile  = ".taint"     // where untrusted text in it came from
	dreamtFile = ".dreamt"    // how far dreaming has come
)

// memory is an agent's; nil where nothing is kept.
func (rt *Runtime) memory(d *agent.Definition, task Task) *memories {
	if rt.Capabilities == nil {
		return nil
	}
	return &memories{rt.Capabilities.Project(task.Dir), "memory:agents/" + pathSafe(d.ID) + "/"}
}

// maxMemories is how many files an agent remembers.
const maxMemories = 100

// name is a file of the memory as the store has it.
func (m *memories) name(name string) (string, error) {
	clean := path.Clean(strings.ReplaceAll(name, "\\", "/"))
	if clean == "." || strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "..") || strings.HasPrefix(path.Base(clean), ".") || strings.Contains(clean, ":") {
		return "", fmt.Errorf("%q is not a name of a file", name)
	}
	return m.prefix + clean, nil
}

func (m *memories) Read(ctx context.Context, name string) (string, bool, error) {
	file, err := m.name(name)
	if err != nil {
		return "", false, err
	}
	text, found, err := m.store.ReadFile(ctx, file)
	return string(text), found, err
}

func (m *memories) Write(ctx context.Context, name, text string, taint []string) error {
	file, err := m.name(name)
	if err != nil {
		return err
	}
	names, err := m.List(ctx)
	if err != nil {
		return err
	}
	if len(names) >= maxMemories && !slices.Contains(names, strings.TrimPrefix(file, m.prefix)) {
		return fmt.Errorf("the memory already holds %d files; remove one", len(names))
	}
	known, err := m.Taint(ctx)
	if err != nil {
		return err
	}
	all := slices.Compact(slices.Sorted(slices.Values(append(known, taint...))))
	if len(all) > len(known) { // before what is tainted by it
		if err := m.store.WriteFile(ctx, m.prefix+taintFile, []byte(strings.Join(all, "\n"))); err != nil {
			return err
		}
	}
	return m.store.WriteFile(ctx, file, []byte(text))
}

func (m *memories) Remove(ctx context.Context, name string) error {
	file, err := m.name(name)
	if err != nil {
		return err
	}
	return m.store.RemoveFile(ctx, file)
}

func (m *memories) List(ctx context.Context) ([]string, error) {
	files, err := m.store.ListFiles(ctx, m.prefix)
	var names []string
	for _, f := range files {
		if name := strings.TrimPrefix(f, m.prefix); !strings.HasPrefix(path.Base(name), ".") {
			names = append(names, name)
		}
	}
	return names, err
}

func (m *memories) Taint(ctx context.Context) ([]string, error) {
	text, _, err := m.store.ReadFile(ctx, m.prefix+taintFile)
	return strings.Fields(string(text)), err
}

// shownDigest is how much of the digest a wake begins with, in characters.
const shownDigest = 4000

// recall is the part of the prompt that tells a waking agent of its memory.
func (m *memories) recall(ctx context.Context) (text string, taint []string, err error) {
	names, err := m.List(ctx)
	if err != nil || len(names) == 0 {
		return "", nil, err
	}
	text = "In your memory are: " + strings.Join(names, ", ") + "."
	digest, found, err := m.Read(ctx, digestFile)
	if err != nil || !found {
		return text, nil, err
	}
	if runes := []rune(digest); len(runes) > shownDigest {
		digest = string(runes[:shownDigest]) + "\n… (the whole is " + digestFile + ")"
	}
	taint, err = m.Taint(ctx)
	return text + "\n\nWhat you have made of the past:\n" + digest, taint, err
}

// Recall returns what a waking agent is told of its memory, and where untrusted
// text in that came from.
func (rt *Runtime) Recall(ctx context.Context, task Task) (text string, taint []string, err error) {
	if task, err = absolute(task); err != nil {
		return "", nil, err
	}
	d, err := definition(task)
	if err != nil {
		return "", nil, err
	}
	m := rt.memory(d, task)
	if m == nil {
		return "", nil, nil
	}
	return m.recall(ctx)
}
