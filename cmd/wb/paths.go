package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/app"
	"wb/internal/diag"
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
	gone := app.MissingFile(name)
	if diag.HintOf(gone) == "" {
		gone = diag.Advise(gone, standing(name))
	}
	return gone
}

// fewNames is how many names a hint lists.
const fewNames = 8

// standing says what there is where a name was looked for: directories alone where the
// name looks like one.
func standing(name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "" // its path error says why
	}
	var names []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), "."), !e.IsDir() && filepath.Ext(name) == "":
		case e.IsDir():
			names = append(names, e.Name()+string(filepath.Separator))
		default:
			names = append(names, e.Name())
		}
	}
	if len(names) > fewNames {
		names = append(names[:fewNames], "…")
	}
	if dir == "." {
		dir = "this directory"
	}
	if len(names) == 0 {
		return "nothing like it is in " + dir
	}
	return "in " + dir + " there are " + strings.Join(names, ", ")
}
