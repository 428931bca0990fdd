package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// ReadOnly refuses every change to a tree.
func ReadOnly(tree FS) FS { return readOnly{tree} }

type readOnly struct{ tree FS }

func (r readOnly) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if Changing(flag) {
		if _, err := r.tree.Stat(name); err != nil || flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) != 0 {
			return nil, pathError("open", name, syscall.EROFS)
		}
		if flag&os.O_EXCL != 0 {
			return nil, pathError("open", name, fs.ErrExist)
		}
	}
	f, err := r.tree.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return readOnlyFile{f}, nil
}

func (r readOnly) Stat(name string) (fs.FileInfo, error)      { return r.tree.Stat(name) }
func (r readOnly) ReadDir(name string) ([]fs.DirEntry, error) { return r.tree.ReadDir(name) }

func (r readOnly) Mkdir(name string, _ fs.FileMode) error {
	return pathError("mkdir", name, syscall.EROFS)
}
func (r readOnly) Remove(name string) error { return pathError("remove", name, syscall.EROFS) }
func (r readOnly) Rename(from, _ string) error {
	return pathError("rename", from, syscall.EROFS)
}

func (r readOnly) HasLinks() bool                       { return r.tree.HasLinks() }
func (r readOnly) Readlink(name string) (string, error) { return r.tree.Readlink(name) }
func (r readOnly) Symlink(_, name string) error         { return pathError("symlink", name, syscall.EROFS) }
func (r readOnly) Link(_, to string) error              { return pathError("link", to, syscall.EROFS) }

type readOnlyFile struct{ File }

func (readOnlyFile) WriteAt([]byte, int64) (int, error) { return 0, syscall.EROFS }
func (readOnlyFile) Truncate(int64) error               { return syscall.EROFS }

// mountTable is several trees in one.
type mountTable struct {
	root   FS
	points []mountPoint // longest name first
}

type mountPoint struct {
	name string
	tree FS
}

// Mounts grafts trees onto root at the given names ("usr", "work/src"). What
// root has below a name is hidden. The directories above a mount point exist
// even when root has none. Files cannot be renamed from one tree to another.
func Mounts(root FS, at map[string]FS) (FS, error) {
	t := &mountTable{root: root}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(at))) {
		if !fs.ValidPath(name) || name == "." {
			return nil, fmt.Errorf("sandbox: invalid mount point %q", name)
		}
		t.points = append(t.points, mountPoint{name, at[name]})
	}
	slices.SortStableFunc(t.points, func(a, b mountPoint) int { return len(b.name) - len(a.name) })
	return t, nil
}

// route finds the tree a name belongs to and its name there.
func (t *mountTable) route(name string) (FS, string) {
	i := t.owner(name)
	if i < 0 {
		return t.root, name
	}
	p := t.points[i]
	if name == p.name {
		return p.tree, "."
	}
	return p.tree, name[len(p.name)+1:]
}

// owner is the index of the mount point that name lies below, -1 for none.
func (t *mountTable) owner(name string) int {
	return slices.IndexFunc(t.points, func(p mountPoint) bool { return within(name, p.name) })
}

// isAbove reports whether name is a directory on the way to a mount point.
func (t *mountTable) isAbove(name string) bool {
	return slices.ContainsFunc(t.points, func(p mountPoint) bool { return p.name != name && within(p.name, name) })
}

// isPoint reports whether name is a mount point or above one: it cannot be
// removed or moved.
func (t *mountTable) isPoint(name string) bool {
	return slices.ContainsFunc(t.points, func(p mountPoint) bool { return within(p.name, name) })
}

func (t *mountTable) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if t.isPoint(name) {
		return nil, pathError("open", name, syscall.EISDIR)
	}
	tree, inner := t.route(name)
	return tree.OpenFile(inner, flag, perm)
}

func (t *mountTable) Stat(name string) (fs.FileInfo, error) {
	tree, inner := t.route(name)
	info, err := tree.Stat(inner)
	if err != nil && t.isAbove(name) {
		return &memInfo{name: path.Base(name), mode: fs.ModeDir | 0o755, mtime: epoch}, nil
	}
	return info, err
}

func (t *mountTable) ReadDir(name string) ([]fs.DirEntry, error) {
	tree, inner := t.route(name)
	list, err := tree.ReadDir(inner)
	if err != nil && !t.isAbove(name) {
		return nil, err
	}
	entries := map[string]fs.DirEntry{}
	for _, e := range list {
		entries[e.Name()] = e
	}
	for _, p := range t.points {
		if !within(p.name, name) || p.name == name {
			continue
		}
		rest := p.name
		if name != "." {
			rest = p.name[len(name)+1:]
		}
		child, _, _ := strings.Cut(rest, "/")
		info, err := t.Stat(joinName(name, child))
		if err != nil {
			return nil, err
		}
		entries[child] = renamedEntry{fs.FileInfoToDirEntry(info), child}
	}
	return slices.SortedFunc(maps.Values(entries), func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	}), nil
}

func (t *mountTable) Mkdir(name string, perm fs.FileMode) error {
	if t.isPoint(name) {
		return pathError("mkdir", name, fs.ErrExist)
	}
	tree, inner := t.route(name)
	return tree.Mkdir(inner, perm)
}

func (t *mountTable) Remove(name string) error {
	if t.isPoint(name) {
		return pathError("remove", name, fs.ErrPermission)
	}
	tree, inner := t.route(name)
	return tree.Remove(inner)
}

func (t *mountTable) Rename(from, to string) error {
	if t.isPoint(from) || t.isPoint(to) {
		return pathError("rename", from, fs.ErrPermission)
	}
	if t.owner(from) != t.owner(to) {
		return pathError("rename", to, syscall.EXDEV)
	}
	tree, src := t.route(from)
	_, dst := t.route(to)
	return tree.Rename(src, dst)
}

func (t *mountTable) HasLinks() bool {
	return t.root.HasLinks() || slices.ContainsFunc(t.points, func(p mountPoint) bool { return p.tree.HasLinks() })
}

func (t *mountTable) Symlink(target, name string) error {
	if t.isPoint(name) {
		return pathError("symlink", name, fs.ErrExist)
	}
	tree, inner := t.route(name)
	return tree.Symlink(target, inner)
}

func (t *mountTable) Readlink(name string) (string, error) {
	tree, inner := t.route(name)
	return tree.Readlink(inner)
}

func (t *mountTable) Link(from, to string) error {
	switch {
	case t.isPoint(from):
		return pathError("link", from, fs.ErrPermission)
	case t.isPoint(to):
		return pathError("link", to, fs.ErrExist)
	case t.owner(from) != t.owner(to):
		return pathError("link", to, syscall.EXDEV)
	}
	tree, src := t.route(from)
	_, dst := t.route(to)
	return tree.Link(src, dst)
}
