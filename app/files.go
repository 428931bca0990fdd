package app

import (
	"errors"
	"os"
	"path/filepath"

	"wb/internal/diag"
)

// maxFile is the largest file that is signed, verified or taken apart, in bytes.
const maxFile = 2 << 30

// ReadFile reads a file that the user named: what has no end, or would wait for
// somebody to write to it, is refused.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, missing(name, err)
	case info.IsDir():
		return nil, diag.Usagef("", "%s is a directory", name)
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("", "%s is not a regular file", name)
	case info.Size() > maxFile:
		return nil, diag.Usagef("", "%s has %d bytes; at most %d can be read", name, info.Size(), int64(maxFile))
	}
	return os.ReadFile(name)
}

// missing turns the absence of a named file into the answer verbs give.
func missing(name string, err error) error {
	if os.IsNotExist(err) {
		return MissingFile(name)
	}
	return err
}

// elsewhere hints at -o where a file cannot be written.
func elsewhere(name string, err error) error {
	if diag.Forbidden(err) {
		return &diag.CodedError{Err: errors.New(name + " cannot be written: " + filepath.Dir(name) + " is read-only"), Help: "-o FILE writes elsewhere", Code: diag.ExitForbidden}
	}
	return err
}

// writeNew writes a file that must not be there yet, unless it is to be
// replaced.
func writeNew(name string, data []byte, replace bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if os.IsExist(err) {
		return diag.Busyf("--force replaces it, -o writes elsewhere", "%s", name+" already exists")
	}
	if err != nil {
		return elsewhere(name, err)
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
