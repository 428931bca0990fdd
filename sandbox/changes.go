package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Changes are the changes of a tree as data: what an [OverlayFS] gathered
// elsewhere can be applied to the tree it was laid over.
type Changes struct {
	// Removed are names that were removed or replaced by another kind of file,
	// with everything below them. They come before Entries.
	Removed []string
	// Entries are files and directories, each directory before what is in it.
	Entries []Entry
}

// Entry is a file with its content, or a directory.
type Entry struct {
	Name string
	Mode fs.FileMode // type and permissions
	Data []byte
}

// Changes are the changes made in the overlay so far. The data is shared with
// it and must not be modified.
func (o *OverlayFS) Changes() Changes {
	c := Changes{Removed: o.Removed()}
	_ = o.upper.Walk(func(name string, info fs.FileInfo, data []byte) error { // nothing here fails
		if name != "." {
			c.Entries = append(c.Entries, Entry{Name: name, Mode: info.Mode(), Data: data})
		}
		return nil
	})
	return c
}

// Apply makes the changes in a tree. Names that do not belong in one are an
// error, so changes may come from anywhere.
func (c *Changes) Apply(tree FS) error {
	if err := c.check(); err != nil {
		return err
	}
	if o, ok := tree.(*OverlayFS); ok {
		return o.merge(c)
	}
	for _, name := range c.Removed {
		if err := removeAll(tree, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, e := range c.Entries {
		if err := e.make(tree); err != nil {
			return err
		}
	}
	return nil
}

func (c *Changes) check() error {
	for _, name := range c.Removed {
		if !fs.ValidPath(name) || name == "." {
			return fmt.Errorf("changes: %q is not a name in a tree", name)
		}
	}
	for _, e := range c.Entries {
		if !fs.ValidPath(e.Name) || e.Name == "." {
			return fmt.Errorf("changes: %q is not a name in a tree", e.Name)
		}
		if !e.Mode.IsDir() && !e.Mode.IsRegular() {
			return fmt.Errorf("changes: %s is neither a file nor a directory", e.Name)
		}
	}
	return nil
}

// merge makes the changes in the upper layer. The lower tree, which may keep
// account of who looks at it, is not asked anything.
func (o *OverlayFS) merge(c *Changes) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range c.Removed {
		o.upper.RemoveAll(name)
		o.hidden[name] = true
	}
	for _, e := range c.Entries {
		if e.Mode.IsDir() {
			if err := o.upper.MkdirAll(e.Name); err != nil {
				return err
			}
			continue
		}
		if err := e.make(o.upper); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) make(tree FS) error {
	if e.Mode.IsDir() {
		if info, err := tree.Stat(e.Name); err == nil && info.IsDir() {
			return nil
		}
		return tree.Mkdir(e.Name, e.Mode.Perm())
	}
	f, err := tree.OpenFile(e.Name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, e.Mode.Perm())
	if err != nil {
		return err
	}
	_, err = f.WriteAt(e.Data, 0)
	return errors.Join(err, f.Close())
}

func removeAll(tree FS, name string) error {
	info, err := tree.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := tree.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(tree, path.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return tree.Remove(name)
}
