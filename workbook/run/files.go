package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wb/internal/trace"
	"wb/sandbox"
)

// hiddenNames are the records and stores beside a workbook. Components do not
// see them: they change with every run.
var hiddenNames = []string{".wb", ".git", "events.org", "_steps.jsonl", "_ledger.json"}

// hostNames may be read but not written by components.
var hostNames = append([]string{"approvals.org", "issues.org", "wb.toml"}, hiddenNames...)

// tree is the file tree that components see: the workbook's directory, with
// the files that components of this run made on top. Nothing a component
// writes reaches the directory but the file its author named with :file.
type tree struct {
	file string // the workbook
	dir  string
	host *sandbox.HostFS // nil when there is no directory

	mu      sync.Mutex
	made    *sandbox.MemFS
	digests map[string]stamped
}

// stamped is the digest of a host file and what it looked like then.
type stamped struct {
	size   int64
	mtime  int64
	digest string
}

func openTree(file string) (*tree, error) {
	t := &tree{file: filepath.Base(file), made: sandbox.NewMemFS(), digests: map[string]stamped{}}
	if file == "" {
		return t, nil
	}
	t.dir = filepath.Dir(file)
	host, err := sandbox.HostDir(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	t.host = host
	return t, err
}

func (t *tree) close() {
	if t.host != nil {
		_ = t.host.Close() // nothing was written through it
	}
}

// view is the tree as one component sees it.
type view struct {
	*tree
	// hidden are the files that components of sibling workflows make.
	hidden map[string]bool
}

// hides reports whether a name does not exist for guests: what the host keeps for
// itself, and what a sibling workflow makes, with the directories made for it.
func (v view) hides(name string) bool {
	name = path.Clean(name)
	return slices.Contains(hiddenNames, firstPart(name)) || v.hidden[name] || v.holdsHidden(name)
}

// holdsHidden reports whether a directory is there for hidden files only.
func (v view) holdsHidden(dir string) bool {
	for name := range v.hidden {
		if strings.HasPrefix(name, dir+"/") {
			entries, err := v.readDir(dir)
			return err == nil && len(entries) == 0
		}
	}
	return false
}

// open opens a file of the tree.
func (t view) open(name string) (sandbox.File, error) {
	if t.hides(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := t.made.OpenFile(name, os.O_RDONLY, 0)
	if err == nil || t.host == nil {
		return f, err
	}
	return t.host.OpenFile(name, os.O_RDONLY, 0)
}

func (t view) stat(name string) (fs.FileInfo, error) {
	if t.hides(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	info, err := t.made.Stat(name)
	if err == nil && !info.IsDir() || t.host == nil {
		return info, err
	}
	if onHost, hostErr := t.host.Stat(name); hostErr == nil {
		return onHost, nil
	} else if err != nil {
		return nil, hostErr
	}
	return info, nil
}

func (t view) readDir(name string) ([]fs.DirEntry, error) {
	made, madeErr := t.made.ReadDir(name)
	if t.host == nil && madeErr != nil {
		return nil, madeErr
	}
	var entries []fs.DirEntry
	if t.host != nil {
		var err error
		if entries, err = t.host.ReadDir(name); err != nil && madeErr != nil {
			return nil, err
		}
	}
	for _, e := range made {
		if !slices.ContainsFunc(entries, func(o fs.DirEntry) bool { return o.Name() == e.Name() }) {
			entries = append(entries, e)
		}
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return t.hides(path.Join(name, e.Name())) })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func firstPart(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// state describes what a component learns from a name: that it is absent, a
// directory with certain entries, or a file with certain content.
func (t view) state(name, how string) string {
	if how == sawEntries {
		entries, err := t.readDir(name)
		if err != nil {
			return "absent"
		}
		var names strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&names, "%s\x00%v\x00", e.Name(), e.IsDir())
		}
		return "list " + trace.Digest([]byte(names.String()))
	}
	info, err := t.stat(name)
	switch {
	case err != nil:
		return "absent"
	case info.IsDir():
		return "dir"
	case how == sawSize:
		return fmt.Sprintf("size %d", info.Size())
	}
	digest, err := t.contentDigest(name, info)
	if err != nil {
		return "unreadable"
	}
	return "sha256 " + digest
}

// contentDigest hashes a file; one that has not changed since is not read
// again.
func (t view) contentDigest(name string, info fs.FileInfo) (string, error) {
	t.mu.Lock()
	known, ok := t.digests[name]
	t.mu.Unlock()
	if ok && known.size == info.Size() && known.mtime == info.ModTime().UnixNano() {
		return known.digest, nil
	}
	data, err := sandbox.ReadFile(lowerTree{t: t}, name)
	if err != nil {
		return "", err
	}
	digest := trace.Digest(data)
	t.mu.Lock()
	t.digests[name] = stamped{info.Size(), info.ModTime().UnixNano(), digest}
	t.mu.Unlock()
	return digest, nil
}

// The ways a component reads a name.
const (
	sawSize    = "stat"
	sawEntries = "list"
	sawContent = "file"
)

// read is one thing a component learnt from its files.
type read struct {
	Name  string `json:"name"`
	How   string `json:"how"`
	State string `json:"state"`
}

// guestTree is the tree one component sees, and the memory of what it read.
type guestTree struct {
	tree    view
	overlay *sandbox.OverlayFS
	before  map[string][]byte // files that blocks of the same session had written
	mu      sync.Mutex
	seen    map[[2]string]bool
	first   []read
}

func (t view) guest() *guestTree {
	g := &guestTree{tree: t, seen: map[[2]string]bool{}}
	g.overlay = sandbox.Overlay(lowerTree{t: t, note: g.note})
	return g
}

func (g *guestTree) fs() sandbox.FS { return g.overlay }

func (g *guestTree) note(name, how string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := [2]string{name, how}
	if !g.seen[key] {
		g.seen[key] = true
		g.first = append(g.first, read{Name: name, How: how})
	}
}

// reads are the component's reads, sorted; a file whose content it read is
// not listed for its size as well.
func (g *guestTree) reads() []read {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []read
	for _, r := range g.first {
		// The workbook's size changes with every result written into it.
		if r.How == sawSize && (g.seen[[2]string{r.Name, sawContent}] || r.Name == g.tree.file) {
			continue
		}
		r.State = g.tree.state(r.Name, r.How)
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b read) int { return strings.Compare(a.Name+"\x00"+a.How, b.Name+"\x00"+b.How) })
	return all
}

// changedRead is the first thing that has changed since it was read, nil when
// nothing has. A file the program made itself, such as its database, has not
// changed while it is as the program has left it.
func (t view) changedRead(reads []read, made []keptFile) *read {
	for _, r := range reads {
		if t.state(r.Name, r.How) != r.State && !t.holds(r.Name, made) {
			return &r
		}
	}
	return nil
}

// holds reports whether a file is there as one of those made.
func (t view) holds(name string, made []keptFile) bool {
	for _, f := range made {
		if f.Name == name {
			data, err := sandbox.ReadFile(lowerTree{t: t}, name)
			return err == nil && trace.Digest(data) == f.SHA256
		}
	}
	return false
}

// lowerTree is a tree as the read-only lower layer of an overlay.
type lowerTree struct {
	sandbox.NoLinks
	t    view
	note func(name, how string)
}

func (l lowerTree) saw(name, how string) {
	if l.note != nil {
		l.note(name, how)
	}
}

// OpenFile implements sandbox.FS for reading.
func (l lowerTree) OpenFile(name string, flag int, _ fs.FileMode) (sandbox.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	l.saw(name, sawContent)
	return l.t.open(name)
}

// Stat implements sandbox.FS.
func (l lowerTree) Stat(name string) (fs.FileInfo, error) {
	if name != "." {
		l.saw(name, sawSize)
	}
	return l.t.stat(name)
}

// ReadDir implements sandbox.FS.
func (l lowerTree) ReadDir(name string) ([]fs.DirEntry, error) {
	l.saw(name, sawEntries)
	return l.t.readDir(name)
}

// Mkdir, Remove and Rename are for the layer above.
func (l lowerTree) Mkdir(name string, _ fs.FileMode) error {
	return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrPermission}
}

func (l lowerTree) Remove(name string) error {
	return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrPermission}
}

func (l lowerTree) Rename(from, _ string) error {
	return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrPermission}
}

// The most that :dir may bring into a program.
const (
	maxSources    = 1000
	maxSourceSize = 16 << 20
)

// sources reads a directory as the further sources of a program, by path
// relative to it: those with one of the endings, if any are given.
func (t view) sources(dir string, endings ...string) (map[string][]byte, error) {
	root := strings.TrimPrefix(dir, "/")
	if root == "" {
		root = "."
	}
	files := map[string][]byte{}
	size := 0
	var walk func(name, rel string) error
	walk = func(name, rel string) error {
		entries, err := t.readDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			child, childRel := path.Join(name, e.Name()), path.Join(rel, e.Name())
			if e.IsDir() {
				if err := walk(child, childRel); err != nil {
					return err
				}
				continue
			}
			if len(endings) > 0 && !slices.Contains(endings, path.Ext(child)) {
				continue
			}
			data, err := sandbox.ReadFile(lowerTree{t: t}, child)
			if err != nil {
				return err
			}
			files[childRel] = data
			if size += len(data); size > maxSourceSize || len(files) > maxSources {
				return fmt.Errorf(":dir %s holds more than %d files or %d MiB", dir, maxSources, maxSourceSize>>20)
			}
		}
		return nil
	}
	return files, walk(root, "")
}

// keptFile is a file that a component made.
type keptFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Mode   uint32 `json:"mode,omitempty"`
}

// put writes a file that a component made, unless it is there as it is.
func (t *tree) put(name string, data []byte) error {
	return t.onHost(func(root *os.Root) error {
		local := filepath.FromSlash(name)
		if old, err := root.ReadFile(local); err == nil && string(old) == string(data) {
			return nil
		}
		if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return err
		}
		return root.WriteFile(local, data, 0o644)
	})
}

// has reports whether the workbook's directory holds a file.
func (t *tree) has(name string) bool {
	return t.onHost(func(root *os.Root) error {
		_, err := root.Stat(filepath.FromSlash(name))
		return err
	}) == nil
}

func (t *tree) chmod(name string, mode fs.FileMode) error {
	return t.onHost(func(root *os.Root) error { return root.Chmod(filepath.FromSlash(name), mode) })
}

// onHost does something in the workbook's directory, if there is one.
func (t *tree) onHost(do func(*os.Root) error) error {
	if t.host == nil {
		return nil
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}
