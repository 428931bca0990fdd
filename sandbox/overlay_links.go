package sandbox

import (
	"io/fs"
	"path"
)

// HasLinks implements Links.
func (o *OverlayFS) HasLinks() bool { return o.upper.HasLinks() || o.lower.HasLinks() }

// Symlink implements Links.
func (o *OverlayFS) Symlink(target, name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.roomFor("symlink", name); err != nil {
		return err
	}
	return o.upper.Symlink(target, name)
}

// Readlink implements Links.
func (o *OverlayFS) Readlink(name string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := o.upper.Stat(name); err == nil || !o.lower.HasLinks() {
		return o.upper.Readlink(name)
	}
	if o.isHidden(name) {
		return "", pathError("readlink", name, fs.ErrNotExist)
	}
	return o.lower.Readlink(name)
}

// Link implements Links. A file of the lower tree is copied first.
func (o *OverlayFS) Link(from, to string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	info, inUpper, err := o.stat("link", from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return pathError("link", from, fs.ErrPermission)
	}
	if err := o.roomFor("link", to); err != nil {
		return err
	}
	if !inUpper {
		if err := o.copyUp(from, true); err != nil {
			return err
		}
	}
	return o.upper.Link(from, to)
}

// roomFor makes the directory of a new name exist in the upper layer. It is an error
// if there is something of that name.
func (o *OverlayFS) roomFor(op, name string) error {
	if _, _, err := o.stat(op, name); err == nil {
		return pathError(op, name, fs.ErrExist)
	}
	return o.copyUpDir(op, path.Dir(name))
}
