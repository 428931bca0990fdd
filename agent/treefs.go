package agent

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"

	"wb/sandbox"
)

// guarded refuses writes to what the host keeps.
type guarded struct{ sandbox.FS }

func (g guarded) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if writing(flag) && kept(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.OpenFile(name, flag, perm)
}

func (g guarded) Mkdir(name string, perm fs.FileMode) error {
	if kept(name) {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.Mkdir(name, perm)
}

func (g guarded) Remove(name string) error {
	if kept(name) {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.Remove(name)
}

func (g guarded) Rename(from, to string) error {
	if kept(from) || kept(to) {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrPermission}
	}
	return g.FS.Rename(from, to)
}

func (g guarded) Symlink(target, name string) error {
	if kept(name) {
		return &fs.PathError{Op: "symlink", Path: name, Err: fs.ErrPermission}
	}
	return g.FS.Symlink(target, name)
}

func (g guarded) Link(from, to string) error {
	if kept(from) || kept(to) {
		return &fs.PathError{Op: "link", Path: from, Err: fs.ErrPermission}
	}
	return g.FS.Link(from, to)
}

func writing(flag int) bool { return flag&(os.O_WRONLY|os.O_RDWR) != 0 }

// noting is the working directory; it notes what is read of it.
type noting struct {
	guarded
	reads *reads
}

func (n *noting) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	f, err := n.guarded.OpenFile(name, flag, perm)
	if err != nil || writing(flag) {
		return f, err
	}
	return n.reads.note(name, f), nil
}

// noted is a file as it was when it was opened: the guest reads what is remembered,
// whatever others write meanwhile.
type noted struct {
	*bytes.Reader
	sandbox.File
	info fs.FileInfo
}

func (n *noted) ReadAt(p []byte, off int64) (int, error) { return n.Reader.ReadAt(p, off) }

func (n *noted) Stat() (fs.FileInfo, error) { return notedInfo{n.info, n.Reader.Size()}, nil }

type notedInfo struct {
	fs.FileInfo
	size int64
}

func (i notedInfo) Size() int64 { return i.size }

// watched is a tree as guests see it. It notes what each file held before a guest
// changed it.
type watched struct {
	guarded
	tree *Tree
}

func (w *watched) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if !writing(flag) || kept(name) {
		return w.guarded.OpenFile(name, flag, perm)
	}
	origin := w.tree.origin(name)
	f, err := w.guarded.OpenFile(name, flag, perm)
	if err != nil {
		return f, err
	}
	if flag&os.O_TRUNC == 0 { // the guest adds to the file as it is now, or changes it in place
		now, err := sandbox.ReadFile(w.tree.overlay.Upper(), name)
		if err == nil && (len(now) > 0 || !origin.Fresh) {
			origin = Origin{Base: now}
		}
		origin.Append = origin.Fresh
	}
	w.tree.reads.from(name, origin)
	return f, nil
}

func (w *watched) Remove(name string) error {
	origin := w.tree.origin(name)
	err := w.guarded.Remove(name)
	if err == nil {
		w.tree.reads.from(name, origin)
	}
	return err
}

func (w *watched) Symlink(target, name string) error {
	origin := w.tree.origin(name)
	err := w.guarded.Symlink(target, name)
	if err == nil {
		w.tree.reads.from(name, origin)
	}
	return err
}

func (w *watched) Link(from, to string) error {
	origin := w.tree.origin(to)
	err := w.guarded.Link(from, to)
	if err == nil {
		w.tree.reads.from(to, origin)
	}
	return err
}

func (w *watched) Rename(from, to string) error {
	origins := map[string]Origin{to: w.tree.origin(to)}
	w.tree.eachFile(from, func(name string) {
		origins[name] = w.tree.origin(name)
		moved := to + strings.TrimPrefix(name, from)
		origins[moved] = w.tree.origin(moved)
	})
	err := w.guarded.Rename(from, to)
	if err == nil {
		for name, origin := range origins {
			w.tree.reads.from(name, origin)
		}
	}
	return err
}

// eachFile visits a file, or those below a directory.
func (t *Tree) eachFile(name string, visit func(name string)) {
	info, err := t.overlay.Stat(name)
	if err != nil {
		return
	}
	if !info.IsDir() {
		visit(name)
		return
	}
	entries, err := t.overlay.ReadDir(name)
	if err != nil {
		return
	}
	for _, e := range entries {
		t.eachFile(name+"/"+e.Name(), visit)
	}
}

// origin is the content that a change of a file starts from: what this call read of
// it, or what the agent knows of it. Of a file that the agent never read it is what
// the file holds, unless somebody wrote it after the run began.
func (t *Tree) origin(name string) Origin {
	info, err := t.host.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return t.reads.originOr(name, Origin{Fresh: true})
	}
	if err != nil || info.IsDir() {
		return Origin{}
	}
	if known, ok := t.reads.known(name); ok {
		return t.reads.originOr(name, Origin{Base: known})
	}
	if info.ModTime().After(t.reads.began) {
		return t.reads.originOr(name, Origin{Stale: true})
	}
	data, err := sandbox.ReadFile(t.host, name)
	if err != nil {
		return t.reads.originOr(name, Origin{Stale: true})
	}
	return t.reads.originOr(name, Origin{Base: data})
}
