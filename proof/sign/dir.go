package sign

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/proof/manifest"
	"wb/proof/verify"
)

// Dir signs the site in a directory as its next release, where it lies; record,
// which may be nil, knows what was signed there when the directory does not.
// No other process may sign it meanwhile.
func Dir(dir string, by Issuer, record *Record, host string, at time.Time) (*manifest.Site, error) {
	if err := clean(dir); err != nil {
		return nil, err
	}
	files, err := verify.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	base := files
	if record != nil {
		known, err := record.Recall(by, dir)
		if err != nil {
			return nil, err
		}
		last, err := Latest(by, nil, files, known)
		if err != nil {
			return nil, err
		}
		base = Onto(last, files)
	}
	signed, s, err := Site(base, by, host, at)
	if err != nil {
		return nil, err
	}
	if err := WriteDir(dir, files, signed); err != nil || record == nil {
		return s, err
	}
	return s, record.Keep(by, dir, signed)
}

// WriteDir brings the directory of a site from the files that it holds to the
// signed ones: changed files are replaced one by one, the manifest and the log
// last, and parts of the old log that the new one does not have are removed.
func WriteDir(dir string, old, signed manifest.Files) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var paths []string
	for path := range signed {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		if last := proof(a) - proof(b); last != 0 {
			return last
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths {
		if was, ok := old[path]; ok && bytes.Equal(was, signed[path]) {
			continue
		}
		if err := replaceFile(root, path, signed[path]); err != nil {
			return err
		}
	}
	for path := range old {
		if _, stays := signed[path]; !stays && strings.HasPrefix(path, manifest.LogPrefix) {
			if err := root.Remove(filepath.FromSlash(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// proof orders files: those that prove others come after them.
func proof(path string) int {
	switch {
	case path == manifest.SitePath:
		return 1
	case strings.HasPrefix(path, manifest.LogPrefix):
		return 2
	}
	return 0
}

// newPrefix begins the names of files that are being written.
const newPrefix = ".wb-new-"

// clean removes what a signing that was killed left, which is not a file of the
// site.
func clean(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), newPrefix) {
			return root.Remove(filepath.FromSlash(path))
		}
		return err
	})
}

// replaceFile writes a file aside and renames it.
func replaceFile(root *os.Root, path string, data []byte) error {
	name := filepath.FromSlash(path)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(name), newPrefix+filepath.Base(name))
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	return root.Rename(tmp, name)
}

// WriteNew writes files into a directory that holds none of them, unless
// replace is set. Nothing is written outside it, whatever the paths say.
func WriteNew(dir string, files manifest.Files, replace bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for path := range files {
		if _, err := root.Lstat(filepath.FromSlash(path)); err == nil && !replace {
			return &os.PathError{Op: "unbundle", Path: filepath.Join(dir, path), Err: os.ErrExist}
		}
	}
	for path, data := range files {
		if err := replaceFile(root, path, data); err != nil {
			return err
		}
	}
	return nil
}
