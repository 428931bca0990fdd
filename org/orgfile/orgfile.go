// Package orgfile reads an org file and writes it back safely.
//
//	f, err := orgfile.Read("notes.org")
//	edits, err := org.SetKeyword(h, "DONE")   // h from f.Doc
//	f, err = f.Apply(edits)
//
// A write is all or nothing: the new contents go to a temporary file in the
// same directory, are flushed to disk, and take the old file's place by
// rename, so a crash leaves either the old file or the new one. The mode and
// the owner stay. When the path is a symbolic link, the file it leads to is
// replaced and the link stays.
//
// A write is refused with a [*ConflictError] when the file is no longer what
// [Read] saw: the author may have saved it in an editor meanwhile. Two
// processes that write through this package exclude each other, so neither
// can overwrite what the other has just written. What a process that was killed
// in the middle left beside the file goes with the next write.
//
// What a rename cannot keep: other hard links to the file keep the old
// contents, and extended attributes are not copied.
package orgfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
)

// File is an org file as it was read.
type File struct {
	Path string        // as given to [Read]
	Doc  *org.Document // its parsed contents

	real string // Path with all symbolic links resolved
	src  []byte
}

// ConflictError says that a file is no longer what was read.
type ConflictError struct {
	Path   string
	Reason string // such as "changed since it was read"
}

func (e *ConflictError) Error() string { return e.Path + ": " + e.Reason }

// ExitCode is that of a conflict.
func (e *ConflictError) ExitCode() int { return diag.ExitConflict }

// Read reads and parses a regular file, through symbolic links.
func Read(path string) (*File, error) { return ReadWith(path, org.Presets{}) }

// ReadWith is [Read] where settings are in force that the file does not make.
func ReadWith(path string, presets org.Presets) (*File, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	in, err := openRegular(real, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	return &File{Path: path, Doc: org.ParseWith(src, presets), real: real, src: src}, nil
}

// openRegular opens a file and makes sure that it is a regular one: a pipe or
// a device in its place must not be read, let alone replaced.
func openRegular(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path) // before opening, which may block on a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = notRegular(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func notRegular(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
}

// Names is how many names the file has: hard links. Replacing it gives this name a
// file of its own.
func (f *File) Names() int {
	info, err := os.Stat(f.real)
	if err != nil {
		return 1
	}
	return links(info)
}

// ReadOnly reports whether the file is read-only for all.
func (f *File) ReadOnly() bool {
	info, err := os.Stat(f.real)
	return err == nil && info.Mode().Perm()&0o222 == 0
}

// Apply performs edits on the file and returns what it is afterwards.
func (f *File) Apply(edits []org.Edit) (*File, error) {
	out, err := org.Apply(f.src, edits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return f.Write(out)
}

// Write replaces the contents of the file and returns what it is afterwards.
// It does not touch a file that holds src already.
func (f *File) Write(src []byte) (*File, error) {
	next := &File{Path: f.Path, real: f.real, src: bytes.Clone(src)}
	if err := f.replace(next.src); err != nil {
		return nil, err
	}
	next.Doc = org.ParseWith(next.src, f.Doc.Presets())
	return next, nil
}

func (f *File) replace(src []byte) error {
	real, err := filepath.EvalSymlinks(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &ConflictError{f.Path, "removed since it was read"}
	}
	if err != nil {
		return err
	}
	if real != f.real {
		return &ConflictError{f.Path, "leads to another file than when it was read"}
	}
	old, info, err := openLocked(real)
	if errors.Is(err, fs.ErrNotExist) {
		return &ConflictError{f.Path, "removed since it was read"}
	}
	if err != nil {
		return err
	}
	defer old.Close()
	if err := sweep(real, old); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if bytes.Equal(src, f.src) {
		return nil
	}
	temp, err := writeTemp(real, tempExt, src, info)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // fails, and should, once the file has its name
	if err := f.check(); err != nil {
		return err
	}
	if err := os.Rename(temp, real); errors.Is(err, fs.ErrNotExist) { // swept by a writer of a file that an editor put there
		return &ConflictError{f.Path, "replaced since it was read"}
	} else if err != nil {
		return err
	}
	return syncDir(filepath.Dir(real))
}

// openLocked opens the file for writing and locks it. Opening for writing
// fails where the author may not write, which a rename would not notice. If
// another writer has put a new file in place while this one waited for the
// lock, the new one is locked instead. A further name of a file among held is not
// locked again: this process would wait for itself.
func openLocked(path string, held ...fs.FileInfo) (*os.File, fs.FileInfo, error) {
	for {
		f, err := openRegular(path, os.O_RDWR)
		if err != nil {
			return nil, nil, err
		}
		var mine, named fs.FileInfo
		mine, err = f.Stat()
		if err == nil && !slices.ContainsFunc(held, func(other fs.FileInfo) bool { return os.SameFile(other, mine) }) {
			if err = lock(f); err != nil {
				err = fmt.Errorf("%s: lock: %w", path, err)
			}
		}
		if err == nil {
			named, err = os.Lstat(path)
		}
		if err == nil && os.SameFile(mine, named) {
			return f, mine, nil
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
}

// check compares the file on disk with what was read.
func (f *File) check() error {
	now, err := openRegular(f.real, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return &ConflictError{f.Path, "removed since it was read"}
	}
	if err != nil {
		return err
	}
	defer now.Close()
	src, err := io.ReadAll(io.LimitReader(now, int64(len(f.src))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(src, f.src) {
		return &ConflictError{f.Path, "changed since it was read"}
	}
	return nil
}

// Temporary files beside a file NAME are called .NAME.DIGITS and an extension.
const (
	// tempExt is the extension of temporary files, useless once their writer is gone.
	tempExt = ".tmp"
	// stagedExt is that of files a journal may name, see [WriteAll].
	stagedExt = ".staged"
	// conflictExt is that of new contents whose file was changed meanwhile.
	conflictExt = ".conflict"
)

// sweep removes what writers of path left behind that were killed before they
// could rename it. The lock on file, which has the name path, says that no other
// is at work; without locks everything stays.
func sweep(path string, file *os.File) error {
	if !locks(file) {
		return nil
	}
	dir := filepath.Dir(path)
	names, err := readNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		digits, ours := strings.CutPrefix(name, "."+filepath.Base(path)+".")
		digits, temp := strings.CutSuffix(digits, tempExt)
		if !ours || !temp || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// readNames are the names in a directory, none when it may not be read.
func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// writeTemp writes src to a new file beside path, with the mode and owner of
// info, and flushes it to disk.
func writeTemp(path, ext string, src []byte, info fs.FileInfo) (name string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+ext)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := temp.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			os.Remove(temp.Name())
		}
	}()
	if _, err := temp.Write(src); err != nil {
		return "", err
	}
	if err := keepOwner(temp, info); err != nil {
		return "", fmt.Errorf("%s: keep owner: %w", path, err)
	}
	const bits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
	if err := temp.Chmod(info.Mode() & bits); err != nil { // after the owner, whose change drops bits
		return "", err
	}
	return temp.Name(), temp.Sync()
}

// Lock waits for the right to write a file, which writers of this package take, too.
// It goes away when the file is closed.
func Lock(f *os.File) error { return lock(f) }
