package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// plainly says in the words of all verbs that a file is not there or is none,
// which verbs learn from the system in different ones.
func plainly(err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok, err.Error() != path.Error(): // somebody has explained it
		return err
	case errors.Is(path.Err, fs.ErrNotExist):
		return missingFile(path.Path)
	case errors.Is(path.Err, syscall.EISDIR):
		return &usageError{err: fmt.Errorf("%s: a directory, not a file", path.Path), hint: "name the files, such as " + filepath.Join(path.Path, "*.org")}
	}
	return err
}

// missingArgument is the file or directory that a command line names and that is
// not there, nil when that is not what is wrong with it.
func missingArgument(err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(path.Err, fs.ErrNotExist) {
		return nil
	}
	name := path.Path
	if here, err := os.Getwd(); err == nil { // kong makes them absolute
		if rel, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
	}
	return missingFile(name)
}

// missingFile is a not-found error that names the nearest file beside it.
func missingFile(name string) error {
	e := &codedError{text: name + ": no such file", code: diag.ExitNotFound}
	if to, err := os.Readlink(name); err == nil {
		e.text = fmt.Sprintf("%s: leads to %s, where there is no file", name, to)
		return e
	}
	siblings, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*"+filepath.Ext(name)))
	siblings = slices.DeleteFunc(siblings, func(s string) bool { return s == name })
	if near := nearest.Word(name, siblings); near != "" {
		e.hint = "did you mean " + near + "?"
	}
	return e
}
