package sandbox

import (
	"io/fs"
	"iter"
	"strings"
)

// pathElems yields the elements of a valid path; "." has none.
func pathElems(name string) iter.Seq[string] {
	if name == "." {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(name, "/")
}

// within reports whether name is dir or lies below it.
func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// joinName appends an element to a directory's name.
func joinName(dir, elem string) string {
	if dir == "." {
		return elem
	}
	return dir + "/" + elem
}
