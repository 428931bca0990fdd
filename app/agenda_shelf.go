package app

import (
	"io/fs"
	"path"
	"slices"

	"wb/sandbox"
)

// orgShelf is a directory of which only org files and Emacs Lisp are seen.
type orgShelf struct {
	sandbox.FS
	hidden func(name string) bool // nil hides no more
}

// onShelf are the endings of the files that are seen.
var onShelf = []string{".org", ".org_archive", ".el"}

func (s *orgShelf) shows(name string, dir bool) bool {
	return (dir || slices.Contains(onShelf, path.Ext(name))) && (s.hidden == nil || !s.hidden(name))
}

// Stat implements sandbox.FS.
func (s *orgShelf) Stat(name string) (fs.FileInfo, error) {
	info, err := s.FS.Stat(name)
	if err == nil && !s.shows(name, info.IsDir()) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info, err
}

// OpenFile implements sandbox.FS.
func (s *orgShelf) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if !s.shows(name, false) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s.FS.OpenFile(name, flag, perm)
}

// ReadDir implements sandbox.FS.
func (s *orgShelf) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := s.FS.ReadDir(name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !s.shows(path.Join(name, e.Name()), e.IsDir()) }), err
}
