package sandbox

import (
	"fmt"
	"io/fs"
	"path"
	"syscall"
)

// HasLinks implements Links.
func (m *MemFS) HasLinks() bool { return m.links.Load() }

// Symlink implements Links.
func (m *MemFS) Symlink(target, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.links.Store(true)
	return m.add("symlink", name, &memNode{perm: fs.ModePerm, mtime: epoch, target: target})
}

// Readlink implements Links.
func (m *MemFS) Readlink(name string) (string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, err := m.find("readlink", name)
	switch {
	case err != nil:
		return "", err
	case n.target == "":
		return "", pathError("readlink", name, fs.ErrInvalid)
	}
	return n.target, nil
}

// Link implements Links.
func (m *MemFS) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("link", from)
	switch {
	case err != nil:
		return err
	case n.dir:
		return pathError("link", from, fs.ErrPermission)
	}
	if err := m.add("link", to, n); err != nil {
		return err
	}
	if n.more == 0 {
		n.first = from
	}
	n.more++
	return nil
}

// lose takes a name from a node. Another file may get the name of which all know a
// hard link, so that one is then known by one that no file can have.
func (m *MemFS) lose(n *memNode, name string) {
	if n.first == name {
		m.lost++
		n.first = fmt.Sprintf("%s\x00%d", name, m.lost)
	}
}

// add gives a node a name that nothing has yet.
func (m *MemFS) add(op, name string, n *memNode) error {
	if name == "." {
		return pathError(op, name, fs.ErrExist)
	}
	dir, base, err := m.parent(op, name)
	if err != nil {
		return err
	}
	if dir.children[base] != nil {
		return pathError(op, name, fs.ErrExist)
	}
	dir.children[base] = n
	return nil
}

// hardLinks is the Sys value of a file's description when the file has, or had,
// several names.
type hardLinks struct {
	first string // by which all know it: the name it had when it got its second
	more  int    // names besides one
}

// Names is how many names a file has: one, but for hard links.
func Names(info fs.FileInfo) int {
	links, _ := info.Sys().(hardLinks)
	return links.more + 1
}

// outside is the file that a symbolic link leads to, for those who see no links.
// Links that lead nowhere or to a directory have none.
func (m *MemFS) outside(name string) (fs.FileInfo, []byte, bool) {
	tree := FS(m)
	if m.over != nil {
		tree = m.over
	}
	file, err := Follow(tree, ".", name, true)
	if err != nil {
		return nil, nil, false
	}
	info, err := tree.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, false
	}
	data, err := ReadFile(tree, file)
	if err != nil {
		return nil, nil, false
	}
	return &memInfo{name: path.Base(name), size: int64(len(data)), mode: info.Mode(), mtime: info.ModTime()}, data, true
}

// isLink is the error of opening a link itself.
func isLink(name string) error { return pathError("open", name, syscall.ELOOP) }
