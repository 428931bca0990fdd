package vm

import (
	"cmp"
	"io/fs"
	"slices"

	"wb/sandbox"
)

// Layers are trees seen as one, which cannot be changed: a file is that of the
// first tree that has it.
func Layers(trees ...sandbox.FS) sandbox.FS {
	if len(trees) == 1 {
		return trees[0]
	}
	return &layers{trees: trees}
}

type layers struct {
	sandbox.Fixed
	trees []sandbox.FS
}

// OpenFile implements sandbox.FS.
func (l *layers) OpenFile(name string, flag int, perm fs.FileMode) (f sandbox.File, err error) {
	err = notFound("open", name)
	for _, tree := range l.trees {
		if f, err = tree.OpenFile(name, flag, perm); err == nil {
			break
		}
	}
	return f, err
}

// Stat implements sandbox.FS.
func (l *layers) Stat(name string) (info fs.FileInfo, err error) {
	err = notFound("stat", name)
	for _, tree := range l.trees {
		if info, err = tree.Stat(name); err == nil {
			break
		}
	}
	return info, err
}

// ReadDir implements sandbox.FS.
func (l *layers) ReadDir(name string) ([]fs.DirEntry, error) {
	var all []fs.DirEntry
	found := false
	for _, tree := range l.trees {
		entries, err := tree.ReadDir(name)
		found = found || err == nil
		all = append(all, entries...)
	}
	if !found {
		return nil, notFound("readdir", name)
	}
	slices.SortStableFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return slices.CompactFunc(all, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }), nil
}

func notFound(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}
