package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wb/sandbox"
)

// HostNames are kept by the host: an agent may read them and cannot write them.
var HostNames = []string{"events.org", "_steps.jsonl", "_ledger.json", "approvals.org", "issues.org", "wb.toml", ".wb", ".git"}

// FileChange is one file that a tool wrote or removed.
type FileChange struct {
	Path    string `json:"path"`
	Content []byte `json:"content,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

// Tree is the one tree of files that the file tools, the shell and workbooks of
// a run see. Reads fall through to the working directory. Writes stay with the
// run, or, where the user granted it, also go to the directory.
type Tree struct {
	dir     string
	host    *sandbox.HostFS
	overlay *sandbox.OverlayFS
	// write puts changes into the working directory; nil keeps them in the run.
	write func(FileChange) error

	mu   sync.Mutex
	seen map[string]string // content digest of every change so far
	gone map[string]bool
	log  []FileChange // all changes, in order
	// pending are changes that are to be written, see flush.
	pending []FileChange
}

// NewTree makes the tree of a run over a working directory.
func NewTree(dir string, write func(FileChange) error) (*Tree, error) {
	host, err := sandbox.HostDir(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{dir: dir, host: host, overlay: sandbox.Overlay(&guarded{host}), write: write, seen: map[string]string{}, gone: map[string]bool{}}, nil
}

// Close lets go of the directory.
func (t *Tree) Close() error { return t.host.Close() }

// Dir is the working directory.
func (t *Tree) Dir() string { return t.dir }

// Changed reports whether the tree differs from the working directory.
func (t *Tree) Changed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write == nil && len(t.seen)+len(t.gone) > 0
}

// FS is the tree as guests see it.
func (t *Tree) FS() sandbox.FS { return &guarded{t.overlay} }

// guarded refuses writes to what the host keeps.
type guarded struct{ sandbox.FS }

func (g *guarded) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if flag&3 != 0 && kept(name) { // anything but O_RDONLY
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.OpenFile(name, flag, perm)
}

func (g *guarded) Mkdir(name string, perm fs.FileMode) error {
	if kept(name) {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.Mkdir(name, perm)
}

func (g *guarded) Remove(name string) error {
	if kept(name) {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.Remove(name)
}

func (g *guarded) Rename(from, to string) error {
	if kept(from) || kept(to) {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrPermission}
	}
	return g.FS.Rename(from, to)
}

// kept reports whether a name is the host's.
func kept(name string) bool {
	first, _, _ := strings.Cut(path.Clean(strings.TrimPrefix(name, "/")), "/")
	return slices.Contains(HostNames, first)
}

// clean is a path the model gave as a name in the tree.
func clean(name string) (string, bool) {
	name = strings.ReplaceAll(name, "\\", "/")
	name = strings.TrimPrefix(name, "./")
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return "", false
	}
	name = path.Clean(name)
	return name, fs.ValidPath(name)
}

// Read reads a file for the model.
func (t *Tree) Read(name string) ([]byte, error) {
	inside, ok := clean(name)
	if !ok {
		return nil, errors.New("read blocked: path escapes your working dir")
	}
	data, err := sandbox.ReadFile(t.overlay, inside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no such file: %s", name)
	}
	return data, err
}

// Writable says why the model may not write a file, or nothing.
func (t *Tree) Writable(name string) error {
	inside, ok := clean(name)
	if !ok {
		return errors.New("write blocked: path escapes your working dir")
	}
	return MayWrite(t.dir, inside)
}

// MayWrite says why an agent may not write a file of a working directory, or
// nothing. What counts is where the name leads: a symbolic link may not lead out of
// the directory, nor to what the host keeps.
func MayWrite(dir, name string) error {
	if kept(name) {
		return fmt.Errorf("write blocked: %s is kept by the host", name)
	}
	whole, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("write blocked: %w", err)
	}
	// What does not exist yet leads where the deepest directory above it does.
	there, rest := filepath.FromSlash(name), ""
	for ; there != "."; there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest) {
		if _, err := os.Lstat(filepath.Join(whole, there)); err == nil {
			break
		}
	}
	target, err := filepath.EvalSymlinks(filepath.Join(whole, there))
	if err != nil {
		return fmt.Errorf("write blocked: %s leads nowhere", filepath.ToSlash(there))
	}
	real, err := filepath.Rel(whole, filepath.Join(target, rest))
	switch {
	case err != nil || !filepath.IsLocal(real):
		return errors.New("write blocked: path escapes your working dir")
	case kept(filepath.ToSlash(real)):
		return fmt.Errorf("write blocked: %s is kept by the host", filepath.ToSlash(real))
	}
	return nil
}

// Write writes a file for the model.
func (t *Tree) Write(name string, data []byte) error {
	if err := t.Writable(name); err != nil {
		return err
	}
	inside, _ := clean(name)
	for dir := path.Dir(inside); dir != "."; dir = path.Dir(dir) {
		if info, err := t.overlay.Stat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("write blocked: %s is a file", dir)
		}
	}
	if err := mkdirs(t.overlay, path.Dir(inside)); err != nil {
		return err
	}
	return sandbox.WriteFile(t.overlay, inside, data)
}

func mkdirs(tree sandbox.FS, dir string) error {
	if dir == "." {
		return nil
	}
	if info, err := tree.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := mkdirs(tree, path.Dir(dir)); err != nil {
		return err
	}
	err := tree.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Changes are what differs from the last time it was asked. Where the user
// granted it, the run writes them into the working directory once its journal
// announces them.
func (t *Tree) Changes(context.Context) ([]FileChange, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changes []FileChange
	err := t.overlay.Upper().Walk(func(name string, info fs.FileInfo, data []byte) error {
		if info.IsDir() || kept(name) || strings.HasPrefix(name, "tmp/") {
			return nil
		}
		sum := digest(data)
		if t.seen[name] == sum {
			return nil
		}
		t.seen[name] = sum
		delete(t.gone, name)
		changes = append(changes, FileChange{Path: name, Content: slices.Clone(data)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range t.overlay.Removed() {
		if _, err := t.overlay.Stat(name); err != nil && !t.gone[name] {
			t.gone[name] = true
			delete(t.seen, name)
			changes = append(changes, FileChange{Path: name, Removed: true})
		}
	}
	slices.SortFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	t.log = append(t.log, changes...)
	if t.write != nil {
		t.pending = append(t.pending, changes...)
	}
	return changes, nil
}

// unwritten are the changes that the working directory does not have yet.
func (t *Tree) unwritten() []FileChange {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.pending)
}

// flush writes them. Each is the whole content of a file, so that writing them
// again after a crash changes nothing.
func (t *Tree) flush() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) > 0 {
		c := t.pending[0]
		t.pending = t.pending[1:]
		if err := t.write(c); err != nil {
			if strings.HasPrefix(err.Error(), "write blocked: ") {
				return err
			}
			return fmt.Errorf("write blocked: %w", err)
		}
	}
	return nil
}

// redo takes over changes that a process announced and may not have written.
func (t *Tree) redo(changes []FileChange) error {
	if err := t.apply(changes); err != nil || t == nil || t.write == nil {
		return err
	}
	t.mu.Lock()
	t.pending = append(t.pending, changes...)
	t.mu.Unlock()
	return t.flush()
}

// Mark is a point in the history of the tree, for Since.
func (t *Tree) Mark() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.log)
}

// Since are the changes after a mark: what a run inside a run did.
func (t *Tree) Since(mark int) []FileChange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.log[mark:])
}

// apply brings the tree to where a recorded call left it. The directory itself
// got the changes when the call was made.
func (t *Tree) apply(changes []FileChange) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log = append(t.log, changes...)
	for _, c := range changes {
		if c.Removed {
			t.gone[c.Path] = true
			if err := t.overlay.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := mkdirs(t.overlay, path.Dir(c.Path)); err != nil {
			return err
		}
		if err := sandbox.WriteFile(t.overlay, c.Path, c.Content); err != nil {
			return err
		}
		t.seen[c.Path] = digest(c.Content)
	}
	return nil
}
