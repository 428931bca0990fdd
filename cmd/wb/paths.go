package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wb/app"
)

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
	return app.MissingFile(name)
}
