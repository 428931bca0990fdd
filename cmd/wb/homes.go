package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"wb/internal/diag"
	"wb/internal/trace"
)

// home is a directory of the user's that wb keeps things in.
type home struct {
	env, keeps string
	find       func() (string, error) // the directory of wb
}

var homes = []home{
	{"XDG_CONFIG_HOME", "keys, grants and settings", inside(os.UserConfigDir)},
	{"XDG_CACHE_HOME", "toolchains and results", inside(os.UserCacheDir)},
	{"XDG_STATE_HOME", "variables, volumes and what was verified", func() (string, error) { return trace.StateDir(os.Getenv) }},
}

func inside(find func() (string, error)) func() (string, error) {
	return func() (string, error) {
		dir, err := find()
		return filepath.Join(dir, "wb"), err
	}
}

// homeError is a directory of the user's that nothing can be kept in: a file
// stands in its place, or it may not be written.
type homeError struct {
	error
	home
	dir string
}

func (e *homeError) Unwrap() error { return e.error }
func (e *homeError) ExitCode() int { return diag.ExitForbidden }

// Hint says which variable names another directory.
func (e *homeError) Hint() string {
	return fmt.Sprintf("%s are kept in %s; set %s to a directory that you may write", e.keeps, e.dir, e.env)
}

// explained adds to an error about a path in a directory of the user's which
// directory that is and how to choose another. An error with advice of its own
// stays as it is.
func explained(err error) error {
	var at *fs.PathError
	if !errors.As(err, &at) || diag.HintOf(err) != "" {
		return err
	}
	if !diag.Forbidden(err) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	for _, h := range homes {
		dir, failed := h.find()
		if failed != nil {
			continue
		}
		if at.Path == dir || strings.HasPrefix(at.Path, dir+string(filepath.Separator)) || strings.HasPrefix(dir, at.Path+string(filepath.Separator)) {
			return &homeError{err, h, dir}
		}
	}
	return err
}
