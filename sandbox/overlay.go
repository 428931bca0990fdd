package sandbox

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// OverlayFS is a tree seen through a writable layer: reads fall through to
// Lower until a file is changed, changes stay in Upper, and Lower is never
// written to.
type OverlayFS struct {
	lower FS
	upper *MemFS

	mu     sync.Mutex
	hidden map[string]bool // names below which the lower tree is not seen
}

// Overlay lays a writable layer over lower.
func Overlay(lower FS) *OverlayFS {
	o := &OverlayFS{lower: lower, upper: NewMemFS(), hidden: map[string]bool{}}
	o.upper.over = o
	return o
}

// Upper holds what has been written. Directories that contain a change are in
// it too.
func (o *OverlayFS) Upper() *MemFS { return o.upper }

// Removed lists the names of the lower tree that were removed or replaced by
// another kind of file, sorted.
func (o *OverlayFS) Removed() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.hidden))
}

// Forget drops what was changed, so that the lower tree is seen again as it is, but
// for the changes below keep.
func (o *OverlayFS) Forget(keep string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	entries, err := o.upper.ReadDir(".")
	if err != nil { // an empty layer
		return
	}
	for _, e := range entries {
		if e.Name() != keep {
			o.upper.RemoveAll(e.Name())
		}
	}
	maps.DeleteFunc(o.hidden, func(name string, _ bool) bool {
		return name != keep && !strings.HasPrefix(name, keep+"/")
	})
}

// isHidden reports whether the lower entry of that name is out of sight.
func (o *OverlayFS) isHidden(name string) bool {
	if len(o.hidden) == 0 {
		return false
	}
	for name != "." {
		if o.hidden[name] {
			return true
		}
		name = path.Dir(name)
	}
	return false
}

// statLower describes a visible entry of the lower tree.
func (o *OverlayFS) statLower(op, name string) (fs.FileInfo, error) {
	if o.isHidden(name) {
		return nil, pathError(op, name, fs.ErrNotExist)
	}
	return o.lower.Stat(name)
}

func (o *OverlayFS) stat(op, name string) (info fs.FileInfo, inUpper bool, err error) {
	info, err = o.upper.Stat(name)
	if err == nil || errors.Is(err, syscall.ENOTDIR) { // below a file that replaces a directory
		return info, true, err
	}
	info, err = o.statLower(op, name)
	return info, false, err
}

// Stat implements FS.
func (o *OverlayFS) Stat(name string) (fs.FileInfo, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	info, _, err := o.stat("stat", name)
	return info, err
}

// ReadDir implements FS.
func (o *OverlayFS) ReadDir(name string) ([]fs.DirEntry, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.readDir(name)
}

func (o *OverlayFS) readDir(name string) ([]fs.DirEntry, error) {
	info, inUpper, err := o.stat("readdir", name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, pathError("readdir", name, syscall.ENOTDIR)
	}
	merged := map[string]fs.DirEntry{}
	if low, err := o.statLower("readdir", name); err == nil && low.IsDir() {
		entries, err := o.lower.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !o.hidden[path.Join(name, e.Name())] {
				merged[e.Name()] = e
			}
		}
	}
	if inUpper {
		entries, err := o.upper.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			merged[e.Name()] = e
		}
	}
	return slices.SortedFunc(maps.Values(merged), func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	}), nil
}

// OpenFile implements FS.
func (o *OverlayFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	info, inUpper, err := o.stat("open", name)
	switch {
	case err == nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, pathError("open", name, fs.ErrExist)
	case err == nil && info.IsDir():
		return nil, pathError("open", name, syscall.EISDIR)
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return nil, isLink(name)
	case err != nil && flag&os.O_CREATE == 0:
		return nil, err
	}
	writing := Changing(flag)
	if err == nil && !inUpper {
		if flag&(os.O_WRONLY|os.O_RDWR|os.O_TRUNC) == 0 {
			return o.lower.OpenFile(name, os.O_RDONLY, 0)
		}
		if err := o.copyUp(name, flag&os.O_TRUNC == 0); err != nil {
			return nil, err
		}
	}
	if writing {
		if err := o.copyUpDir("open", path.Dir(name)); err != nil {
			return nil, err
		}
	}
	return o.upper.OpenFile(name, flag, perm)
}

// copyUpDir makes the directory exist in the upper layer.
func (o *OverlayFS) copyUpDir(op, name string) error {
	info, inUpper, err := o.stat(op, name)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return pathError(op, name, syscall.ENOTDIR)
	case inUpper:
		return nil
	}
	return o.upper.MkdirAll(name)
}

// copyUp copies a lower file or link into the upper layer, a file empty unless content.
func (o *OverlayFS) copyUp(name string, content bool) error {
	if target, err := o.lower.Readlink(name); err == nil {
		if err := o.upper.MkdirAll(path.Dir(name)); err != nil {
			return err
		}
		return o.upper.Symlink(target, name)
	}
	var data []byte
	if content {
		var err error
		if data, err = ReadFile(o.lower, name); err != nil {
			return err
		}
	}
	return o.upper.WriteFile(name, data)
}

// Mkdir implements FS.
func (o *OverlayFS) Mkdir(name string, perm fs.FileMode) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, _, err := o.stat("mkdir", name); err == nil {
		return pathError("mkdir", name, fs.ErrExist)
	}
	if err := o.copyUpDir("mkdir", path.Dir(name)); err != nil {
		return err
	}
	return o.upper.Mkdir(name, perm)
}

// Remove implements FS.
func (o *OverlayFS) Remove(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if name == "." {
		return pathError("remove", name, fs.ErrInvalid)
	}
	info, inUpper, err := o.stat("remove", name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := o.readDir(name)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return pathError("remove", name, syscall.ENOTEMPTY)
		}
	}
	if inUpper {
		if err := o.upper.Remove(name); err != nil {
			return err
		}
	}
	o.hide(name)
	return nil
}

// hide puts the lower entry of that name, if there is one, out of sight.
func (o *OverlayFS) hide(name string) {
	if _, err := o.statLower("remove", name); err == nil {
		o.hidden[name] = true
	}
}

// Rename implements FS.
func (o *OverlayFS) Rename(from, to string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if from == "." || to == "." {
		return pathError("rename", to, fs.ErrInvalid)
	}
	for _, dir := range []string{path.Dir(from), path.Dir(to)} {
		if info, _, err := o.stat("rename", dir); err != nil {
			return err
		} else if !info.IsDir() {
			return pathError("rename", to, syscall.ENOTDIR)
		}
	}
	info, _, err := o.stat("rename", from)
	if err != nil {
		return err
	}
	if err := o.checkRename(from, to, info); err != nil || from == to {
		return err
	}
	o.hide(to)
	if err := o.copyUpDir("rename", path.Dir(to)); err != nil {
		return err
	}
	if err := o.copyUpTree(from, info); err != nil {
		return err
	}
	if err := o.upper.Rename(from, to); err != nil {
		return err
	}
	o.hide(from)
	return nil
}

// checkRename says why from cannot take the place of to.
func (o *OverlayFS) checkRename(from, to string, info fs.FileInfo) error {
	old, _, err := o.stat("rename", to)
	if err != nil { // nothing there
		return checkRename(from, to, info.IsDir(), info.IsDir(), true)
	}
	entries, _ := o.readDir(to) // none if it is a file
	return checkRename(from, to, info.IsDir(), old.IsDir(), len(entries) == 0)
}

// copyUpTree makes name and all below it exist in the upper layer.
func (o *OverlayFS) copyUpTree(name string, info fs.FileInfo) error {
	if !info.IsDir() {
		if _, err := o.upper.Stat(name); err == nil {
			return nil
		}
		return o.copyUp(name, true)
	}
	entries, err := o.readDir(name)
	if err != nil {
		return err
	}
	if err := o.upper.MkdirAll(name); err != nil {
		return err
	}
	for _, e := range entries {
		child := path.Join(name, e.Name())
		info, _, err := o.stat("rename", child)
		if err != nil {
			return err
		}
		if err := o.copyUpTree(child, info); err != nil {
			return err
		}
	}
	return nil
}
