package sandbox

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// MemFS is a file tree in memory. Most guests get one: it starts empty
// and costs nothing, and the host reads and writes it directly. It is safe for
// concurrent use.
type MemFS struct {
	mu    sync.RWMutex
	root  *memNode
	links atomic.Bool // a symbolic link was made
	over  FS          // the tree whose upper layer this is: links may lead into its lower one
	lost  int         // first names that hard links lost
}

// memNode is a file, a directory or a symbolic link.
type memNode struct {
	dir      bool
	perm     fs.FileMode
	mtime    time.Time
	children map[string]*memNode // directories only
	data     []byte              // files only
	shared   bool                // data is also held elsewhere: copy before writing
	target   string              // symbolic links only
	hardLinks
}

// NewMemFS makes an empty tree.
func NewMemFS() *MemFS {
	return &MemFS{root: newMemDir(0o755)}
}

func newMemDir(perm fs.FileMode) *memNode {
	return &memNode{dir: true, perm: perm, mtime: epoch, children: map[string]*memNode{}}
}

// ReadFile returns a file's content, through links. The caller must not modify it.
func (m *MemFS) ReadFile(name string) ([]byte, error) {
	name, err := Follow(m, ".", name, true)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, pathError("read", name, syscall.EISDIR)
	}
	n.shared = true
	return n.data[:len(n.data):len(n.data)], nil
}

// WriteFile makes or replaces a file, and the directories above it. It keeps
// data without copying; the caller must not modify it afterwards.
func (m *MemFS) WriteFile(name string, data []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return pathError("write", name, fs.ErrInvalid)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, err := m.mkdirAll(path.Dir(name))
	if err != nil {
		return err
	}
	if old := dir.children[path.Base(name)]; old != nil && old.dir {
		return pathError("write", name, syscall.EISDIR)
	}
	dir.children[path.Base(name)] = &memNode{perm: 0o644, mtime: epoch, data: data, shared: true}
	return nil
}

// MkdirAll makes a directory and those above it.
func (m *MemFS) MkdirAll(name string) error {
	if !fs.ValidPath(name) {
		return pathError("mkdir", name, fs.ErrInvalid)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.mkdirAll(name)
	return err
}

func (m *MemFS) mkdirAll(name string) (*memNode, error) {
	n := m.root
	for elem := range pathElems(name) {
		child := n.children[elem]
		if child == nil {
			child = newMemDir(0o755)
			n.children[elem] = child
		}
		if !child.dir {
			return nil, pathError("mkdir", name, syscall.ENOTDIR)
		}
		n = child
	}
	return n, nil
}

// RemoveAll removes a file or a directory with everything in it.
func (m *MemFS) RemoveAll(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name == "." {
		m.root.children = map[string]*memNode{}
	} else if dir, err := m.find("remove", path.Dir(name)); err == nil && dir.dir {
		delete(dir.children, path.Base(name))
	}
}

// Walk calls visit for every file and directory but the root, in lexical
// order, parents first. Data is nil for directories and must not be modified. A
// symbolic link to a file is visited as that file; other links are left out, as what
// they lead to stands elsewhere or nowhere.
func (m *MemFS) Walk(visit func(name string, info fs.FileInfo, data []byte) error) error {
	m.mu.Lock()
	all := m.root.list("", nil)
	m.mu.Unlock()
	for _, v := range all {
		if v.info.Mode()&fs.ModeSymlink != 0 {
			var ok bool
			if v.info, v.data, ok = m.outside(v.name); !ok {
				continue
			}
		}
		if err := visit(v.name, v.info, v.data); err != nil {
			return err
		}
	}
	return nil
}

// visited is a node as Walk shows it.
type visited struct {
	name string
	info fs.FileInfo
	data []byte
}

func (n *memNode) list(prefix string, all []visited) []visited {
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		child := n.children[name]
		child.shared = true
		all = append(all, visited{prefix + name, child.info(name), child.data})
		all = child.list(prefix+name+"/", all)
	}
	return all
}

// Clone copies the tree. File contents are shared until either side writes.
func (m *MemFS) Clone() *MemFS {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &MemFS{root: m.root.clone(map[*memNode]*memNode{}), lost: m.lost}
	c.links.Store(m.links.Load())
	return c
}

// clone copies a node and what is below it; linked are the copies of files with
// several names.
func (n *memNode) clone(linked map[*memNode]*memNode) *memNode {
	if c := linked[n]; c != nil {
		return c
	}
	n.shared = true
	c := *n
	if n.more > 0 {
		linked[n] = &c
	}
	if n.dir {
		c.children = make(map[string]*memNode, len(n.children))
		for name, child := range n.children {
			c.children[name] = child.clone(linked)
		}
	}
	return &c
}

// find walks to name.
func (m *MemFS) find(op, name string) (*memNode, error) {
	if !fs.ValidPath(name) {
		return nil, pathError(op, name, fs.ErrInvalid)
	}
	n := m.root
	for elem := range pathElems(name) {
		if !n.dir {
			return nil, pathError(op, name, syscall.ENOTDIR)
		}
		if n = n.children[elem]; n == nil {
			return nil, pathError(op, name, fs.ErrNotExist)
		}
	}
	return n, nil
}

// parent finds the directory that holds, or would hold, name.
func (m *MemFS) parent(op, name string) (*memNode, string, error) {
	if name == "." {
		return nil, "", pathError(op, name, fs.ErrInvalid)
	}
	dir, err := m.find(op, path.Dir(name))
	if err != nil {
		return nil, "", err
	}
	if !dir.dir {
		return nil, "", pathError(op, name, syscall.ENOTDIR)
	}
	return dir, path.Base(name), nil
}

// OpenFile implements FS.
func (m *MemFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("open", name)
	switch {
	case err == nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, pathError("open", name, fs.ErrExist)
	case err == nil && n.dir:
		return nil, pathError("open", name, syscall.EISDIR)
	case err == nil && n.target != "":
		return nil, isLink(name)
	case err != nil && flag&os.O_CREATE == 0:
		return nil, err
	case err != nil:
		dir, base, err := m.parent("open", name)
		if err != nil {
			return nil, err
		}
		n = &memNode{perm: perm.Perm(), mtime: epoch}
		dir.children[base] = n
	}
	if flag&os.O_TRUNC != 0 {
		n.data, n.shared = nil, false
	}
	return &memFile{m, n, path.Base(name)}, nil
}

// Stat implements FS.
func (m *MemFS) Stat(name string) (fs.FileInfo, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find("stat", name)
	if err != nil {
		return nil, err
	}
	return n.info(path.Base(name)), nil
}

// ReadDir implements FS.
func (m *MemFS) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, pathError("readdir", name, syscall.ENOTDIR)
	}
	entries := make([]fs.DirEntry, 0, len(n.children))
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		entries = append(entries, fs.FileInfoToDirEntry(n.children[name].info(name)))
	}
	return entries, nil
}

// Mkdir implements FS.
func (m *MemFS) Mkdir(name string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name == "." {
		return pathError("mkdir", name, fs.ErrExist)
	}
	dir, base, err := m.parent("mkdir", name)
	if err != nil {
		return err
	}
	if dir.children[base] != nil {
		return pathError("mkdir", name, fs.ErrExist)
	}
	dir.children[base] = newMemDir(perm.Perm())
	return nil
}

// Remove implements FS.
func (m *MemFS) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent("remove", name)
	if err != nil {
		return err
	}
	n := dir.children[base]
	switch {
	case n == nil:
		return pathError("remove", name, fs.ErrNotExist)
	case len(n.children) > 0:
		return pathError("remove", name, syscall.ENOTEMPTY)
	}
	delete(dir.children, base)
	n.more = max(n.more-1, 0)
	m.lose(n, name)
	return nil
}

// Rename implements FS.
func (m *MemFS) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	src, srcBase, err := m.parent("rename", from)
	if err != nil {
		return err
	}
	dst, dstBase, err := m.parent("rename", to)
	if err != nil {
		return err
	}
	n, old := src.children[srcBase], dst.children[dstBase]
	if n == nil {
		return pathError("rename", from, fs.ErrNotExist)
	}
	if old != nil {
		err = checkRename(from, to, n.dir, old.dir, len(old.children) == 0)
	} else {
		err = checkRename(from, to, n.dir, n.dir, true)
	}
	if err != nil || n == old {
		return err
	}
	if old != nil {
		old.more = max(old.more-1, 0)
		m.lose(old, to)
	}
	m.lose(n, from)
	delete(src.children, srcBase)
	dst.children[dstBase] = n
	return nil
}

// checkRename says why from, a directory or not, cannot take the place of to:
// of what is there, or of nothing, which counts as empty and of the same kind.
// The order of the checks is that of Linux.
func checkRename(from, to string, fromDir, toDir, empty bool) error {
	switch {
	case from == to:
		return nil
	case fromDir && within(to, from):
		return pathError("rename", to, fs.ErrInvalid)
	case toDir && within(from, to):
		return pathError("rename", to, syscall.ENOTEMPTY)
	case fromDir && !toDir:
		return pathError("rename", to, syscall.ENOTDIR)
	case !fromDir && toDir:
		return pathError("rename", to, syscall.EISDIR)
	case !empty:
		return pathError("rename", to, syscall.ENOTEMPTY)
	}
	return nil
}

// memFile is an open MemFS file. It outlives the file's name.
type memFile struct {
	fs   *MemFS
	node *memNode
	name string
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	f.node.own()
	if end := off + int64(len(p)); end > int64(len(f.node.data)) {
		f.node.resize(end)
	}
	return copy(f.node.data[off:], p), nil
}

func (f *memFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.own()
	f.node.resize(size)
	return nil
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	return f.node.info(f.name), nil
}

func (f *memFile) Close() error { return nil }

// own makes data private to the node before it is written to.
func (n *memNode) own() {
	if n.shared {
		n.data, n.shared = slices.Clone(n.data), false
	}
}

// resize sets the length of data; new bytes are zero.
func (n *memNode) resize(size int64) {
	old := int64(len(n.data))
	if size > old {
		n.data = slices.Grow(n.data, int(size-old))
	}
	n.data = n.data[:size]
	clear(n.data[min(old, size):]) // what lies beyond the length may be left over
}

func (n *memNode) info(name string) fs.FileInfo {
	return &memInfo{name, int64(len(n.data) + len(n.target)), n.mode(), n.mtime, n.hardLinks}
}

func (n *memNode) mode() fs.FileMode {
	switch {
	case n.dir:
		return fs.ModeDir | n.perm
	case n.target != "":
		return fs.ModeSymlink | n.perm
	}
	return n.perm
}

// memInfo is a snapshot of a node's attributes.
type memInfo struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
	links hardLinks
}

func (i *memInfo) Name() string       { return i.name }
func (i *memInfo) Size() int64        { return i.size }
func (i *memInfo) Mode() fs.FileMode  { return i.mode }
func (i *memInfo) ModTime() time.Time { return i.mtime }
func (i *memInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *memInfo) Sys() any           { return i.links }
