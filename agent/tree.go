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

	"wb/agent/workdir"
	"wb/internal/sha"
	"wb/sandbox"
)

// HostNames are kept by the host: an agent may read them and cannot write them.
var HostNames = []string{"events.org", "_steps.jsonl", "_ledger.json", "approvals.org", "issues.org", "wb.toml", ".wb", ".git"}

// FileChange is one file that a tool wrote or removed.
type FileChange struct {
	Path    string `json:"path"`
	Content []byte `json:"content,omitempty"`
	Removed bool   `json:"removed,omitempty"`
	// Origin is the content the change began from, as far as that is known.
	Origin
}

// Tree is the one tree of files that the file tools, the shell and workbooks of
// a run see. Reads fall through to the working directory. Writes stay with the
// run. Where the user granted it, each call's writes go to the directory when the
// call ends, joined with what others wrote there meanwhile, and the directory is
// seen again as it is then.
type Tree struct {
	dir     string
	host    *sandbox.HostFS
	overlay *sandbox.OverlayFS
	write   bool // into the working directory

	mu   sync.Mutex
	seen map[string]string // content digest of every change so far
	gone map[string]bool
	log  []FileChange // all changes, in order
	// pending are changes that are to be written, see flush.
	pending []FileChange

	reads reads
}

// NewTree makes the tree of a run over a working directory, into which it writes
// where the user granted that.
func NewTree(dir string, write bool) (*Tree, error) {
	host, err := sandbox.HostDir(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{dir: dir, host: host, write: write, seen: map[string]string{}, gone: map[string]bool{}}
	t.reads.begin()
	t.overlay = sandbox.Overlay(&noting{guarded{host}, &t.reads})
	return t, nil
}

// Close lets go of the directory.
func (t *Tree) Close() error { return t.host.Close() }

// Dir is the working directory.
func (t *Tree) Dir() string { return t.dir }

// Changed reports whether the tree differs from the working directory.
func (t *Tree) Changed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.write && len(t.seen)+len(t.gone) > 0
}

// FS is the tree as guests see it.
func (t *Tree) FS() sandbox.FS { return &watched{guarded{t.overlay}, t} }

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
	if err == nil {
		t.reads.know(inside, data)
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
		return fmt.Errorf("write blocked: %s is reserved for the host", name)
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
		return fmt.Errorf("write blocked: %s is a broken link", filepath.ToSlash(there))
	}
	real, err := filepath.Rel(whole, filepath.Join(target, rest))
	switch {
	case err != nil || !filepath.IsLocal(real):
		return errors.New("write blocked: path escapes your working dir")
	case kept(filepath.ToSlash(real)):
		return fmt.Errorf("write blocked: %s is reserved for the host", filepath.ToSlash(real))
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
	if o := t.origin(inside); o.Stale && t.write {
		return fmt.Errorf("write blocked: %s", staleText(inside))
	}
	return sandbox.WriteFile(t.FS(), inside, data)
}

// Edit changes a file as it is now.
func (t *Tree) Edit(name string, change func(text []byte) ([]byte, error)) error {
	if err := t.Writable(name); err != nil {
		return err
	}
	text, err := t.Read(name)
	if err != nil {
		return err
	}
	if text, err = change(text); err != nil {
		return err
	}
	return t.Write(name, text)
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
	var changes, removed []FileChange
	err := t.overlay.Upper().Walk(func(name string, info fs.FileInfo, data []byte) error {
		if info.IsDir() || kept(name) || strings.HasPrefix(name, "tmp/") {
			return nil
		}
		origin, sum := t.reads.originOf(name), sha.Hex(data)
		if t.seen[name] == sum || t.seen[name] == "" && origin.is(data) {
			return nil
		}
		t.seen[name] = sum
		delete(t.gone, name)
		changes = append(changes, FileChange{Path: name, Content: slices.Clone(data), Origin: origin})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range t.overlay.Removed() {
		if _, err := t.overlay.Stat(name); err != nil && !t.gone[name] {
			t.gone[name] = true
			delete(t.seen, name)
			for _, below := range t.reads.below(name) { // a directory that was moved
				removed = append(removed, FileChange{Path: below, Removed: true, Origin: t.reads.originOf(below)})
			}
			removed = append(removed, FileChange{Path: name, Removed: true, Origin: t.reads.originOf(name)})
		}
	}
	slices.SortFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(removed, func(a, b FileChange) int { return strings.Compare(b.Path, a.Path) }) // files before their directories
	changes = append(changes, removed...)
	t.reads.callEnded()
	if t.write {
		t.pending = append(t.pending, changes...)
	} else {
		t.log = append(t.log, changes...)
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

// flush writes them, joined with what others have written meanwhile, and gives the
// files as they are now. Then the directory is seen again as it is. What cannot be
// written is in the error, and the rest is written nevertheless.
func (t *Tree) flush(again bool) (landed []FileChange, merged []string, err error) {
	if t == nil {
		return nil, nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) == 0 {
		return nil, nil, nil
	}
	var failed []error
	for _, c := range t.pending {
		now, err := t.land(c, again)
		if err != nil {
			text := err.Error()
			if !strings.HasPrefix(text, "write blocked: ") {
				err = fmt.Errorf("write blocked: %w", err)
			}
			failed = append(failed, err)
			continue
		}
		if now.Merged {
			merged = append(merged, c.Path)
		}
		t.reads.wrote(c)
		landed = append(landed, FileChange{Path: c.Path, Content: now.Content, Removed: c.Removed})
	}
	t.pending = nil
	t.log = append(t.log, landed...)
	t.overlay.Forget("tmp")
	t.reads.landed()
	clear(t.seen)
	clear(t.gone)
	return landed, merged, errors.Join(failed...)
}

// land writes one change.
func (t *Tree) land(c FileChange, again bool) (workdir.Landed, error) {
	if err := MayWrite(t.dir, c.Path); err != nil { // the shell has no other check
		return workdir.Landed{}, err
	}
	if c.Stale {
		return workdir.Landed{}, errors.New(staleText(c.Path))
	}
	return workdir.Dir{Path: t.dir}.Write(c.change(again))
}

func staleText(name string) string { return name + ": changed since the run began; read it first" }

// change is a file's change as the working directory takes it.
func (c FileChange) change(again bool) workdir.Change {
	return workdir.Change{Name: c.Path, Base: c.Base, Fresh: c.Fresh, New: c.Content, Removed: c.Removed, Append: c.Append, Again: again}
}

// Plan says what a file of the directory would become by a change.
func (c FileChange) Plan(dir string) ([]byte, error) {
	landed, err := workdir.Dir{Path: dir}.Plan(c.change(true))
	return landed.Content, err
}

// redo takes over changes that a process announced and may not have written.
func (t *Tree) redo(changes []FileChange) (landed []FileChange, merged []string, err error) {
	if t == nil || !t.write {
		return changes, nil, t.apply(changes)
	}
	t.mu.Lock()
	t.pending = append(t.pending, changes...)
	t.mu.Unlock()
	return t.flush(true)
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
// got the changes when the call was made, and may have moved on since.
func (t *Tree) apply(changes []FileChange) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log = append(t.log, changes...)
	for _, c := range changes {
		if t.write {
			t.reads.wrote(c)
			continue
		}
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
		t.seen[c.Path] = sha.Hex(c.Content)
		t.reads.from(c.Path, c.Origin)
	}
	return nil
}
