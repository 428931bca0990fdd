package tangle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"wb/internal/diag"
)

// WriteOptions say where files may go.
type WriteOptions struct {
	// AllowOutside lets files be written outside the document's directory.
	// Without it they are refused before anything is written.
	AllowOutside bool
}

// Action says what writing did, or would do, to one file.
type Action string

// The actions.
const (
	Unchanged Action = "unchanged" // content and mode are as planned
	Created   Action = "created"
	Changed   Action = "changed"
	Chmod     Action = "chmod" // only the mode differs
)

// Change is one planned file and what happens to it.
type Change struct {
	File   *File
	Rel    string // path relative to the document's directory, for people
	Action Action
	Old    []byte // content on disk before, nil when there was no file
}

// Why a file may not be written.
var (
	ErrOutside = errors.New("outside the document's directory")
	ErrSymlink = errors.New("leads through a symbolic link")
)

// ForbiddenError is a file that may not be written where the document wants it.
type ForbiddenError struct {
	Path string // relative to the document where that is shorter
	Err  error  // [ErrOutside] or [ErrSymlink]
}

func (e *ForbiddenError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *ForbiddenError) Unwrap() error { return e.Err }

// ExitCode is that of things not permitted.
func (e *ForbiddenError) ExitCode() int { return diag.ExitForbidden }

// Hint says how it could be done.
func (e *ForbiddenError) Hint() string {
	if errors.Is(e.Err, ErrOutside) {
		return "--allow-outside lets documents write there"
	}
	return "tangle to the place the link leads to, or remove the link"
}

// Compare looks at the disk and says what Write would do. It refuses what Write
// refuses and changes nothing. A file whose directory is missing is left out of
// the changes and named in the error that stands beside them.
func (o *Output) Compare(opts WriteOptions) ([]Change, error) {
	root := filepath.Dir(filepath.FromSlash(o.Source))
	changes := make([]Change, 0, len(o.Files))
	var missing []error
	for i := range o.Files {
		file := &o.Files[i]
		change := Change{File: file, Rel: relative(root, file.Path)}
		if err := allowed(root, file, opts); err != nil {
			return nil, o.blame(file, err)
		}
		info, err := os.Lstat(filepath.FromSlash(file.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			change.Action = Created
			if err := o.parentExists(file); err != nil {
				missing = append(missing, o.blame(file, fmt.Errorf("%s: %w", change.Rel, err)))
				continue
			}
		case err != nil:
			return nil, o.blame(file, err)
		case !info.Mode().IsRegular():
			return nil, o.blame(file, fmt.Errorf("%s: not a regular file", change.Rel))
		default:
			if change.Old, err = os.ReadFile(filepath.FromSlash(file.Path)); err != nil {
				return nil, err
			}
			change.Action = Unchanged
			if !bytes.Equal(change.Old, file.Content) {
				change.Action = Changed
			} else if file.Mode != 0 && !sameMode(info.Mode(), file.Mode, runtime.GOOS) {
				change.Action = Chmod
			}
		}
		changes = append(changes, change)
	}
	return changes, errors.Join(missing...)
}

// blame gives an error about a file the place of the block that wants the file.
func (o *Output) blame(file *File, err error) error {
	if len(file.Sections) == 0 {
		return err
	}
	return &Error{File: o.name, Line: file.Sections[0].Line, Col: 1, Msg: err.Error(), Err: err, Advice: diag.HintOf(err)}
}

// sameMode reports whether a file has the mode that is wanted. Windows knows no more of
// it than whether the file may be written.
func sameMode(has, want fs.FileMode, system string) bool {
	if system == "windows" {
		return has&0o200 == want&0o200
	}
	return has&modeBits == want
}

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Write brings the disk to the plan. Everything is checked before the first
// file is touched; each file is replaced in one step, so that a reader sees
// the old or the new one. Files that are as planned are not touched, and those
// without a directory do not keep the others from being written.
func (o *Output) Write(opts WriteOptions) ([]Change, error) {
	changes, missing := o.Compare(opts)
	if changes == nil {
		return nil, missing
	}
	if err := makeDirs(changes); err != nil {
		return nil, err
	}
	for i := range changes {
		if err := changes[i].apply(); err != nil {
			return nil, fmt.Errorf("%s: %w", changes[i].Rel, err)
		}
	}
	return changes, missing
}

// makeDirs makes the directories of files with :mkdirp, which others may lie in.
func makeDirs(changes []Change) error {
	for _, c := range changes {
		if c.Action == Created && c.File.Mkdir {
			if err := os.MkdirAll(filepath.Dir(filepath.FromSlash(c.File.Path)), 0o777); err != nil {
				return fmt.Errorf("%s: %w", c.Rel, err)
			}
		}
	}
	return nil
}

// apply makes the change. On a file system that takes modes in silence and keeps none
// (shares of Windows, FAT), a file that only wants another mode is unchanged.
func (c *Change) apply() error {
	name := filepath.FromSlash(c.File.Path)
	switch c.Action {
	case Unchanged:
		return nil
	case Chmod:
		before, err := os.Stat(name)
		if err == nil {
			err = os.Chmod(name, c.File.Mode)
		}
		if err != nil {
			return err
		}
		if after, err := os.Stat(name); err == nil && after.Mode() == before.Mode() {
			c.Action = Unchanged
		}
		return nil
	}
	return replace(name, c.File.Content, c.File.Mode, true)
}

// replace writes a file beside name and renames it into place. Mode 0 keeps
// the mode of the file that was there, or leaves it to the umask. sync makes
// sure of it before the rename, which caches can do without.
func replace(name string, content []byte, mode fs.FileMode, sync bool) error {
	if mode == 0 {
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode() & modeBits
		}
	}
	temp, err := createBeside(name)
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails once the rename has happened
	_, err = temp.Write(content)
	if err == nil && mode != 0 {
		err = temp.Chmod(mode)
	}
	if err == nil && sync {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

// createBeside makes a new file in the same directory with the mode the umask
// gives.
func createBeside(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for i := 0; ; i++ {
		temp := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d~", base, os.Getpid(), i))
		file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || i == 100 {
			return file, err
		}
	}
}

// allowed checks that a file may be written where it wants to go.
func allowed(root string, file *File, opts WriteOptions) error {
	rel := relative(root, file.Path)
	steps := strings.Split(path.Clean(rel), "/")
	at := root
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		if !opts.AllowOutside {
			return &ForbiddenError{rel, ErrOutside}
		}
		// Whoever allows it answers for the directories.
		at, steps = filepath.Dir(filepath.FromSlash(file.Path)), []string{path.Base(file.Path)}
	}
	// Every step from the document's directory down must be real.
	for _, step := range steps {
		at = filepath.Join(at, step)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &ForbiddenError{relative(root, filepath.ToSlash(at)), ErrSymlink}
		}
	}
	return nil
}

// parentExists reports whether a file's directory is there, or will be since a
// block with :mkdirp needs it or one below it.
func (o *Output) parentExists(file *File) error {
	dir := filepath.Dir(filepath.FromSlash(file.Path))
	for _, other := range o.Files {
		if other.Mkdir && (other.Path == file.Path || strings.HasPrefix(filepath.FromSlash(other.Path), dir+string(filepath.Separator))) {
			return nil
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("directory %s does not exist; :mkdirp yes would make it", dir)
	}
	return nil
}

// relative shortens a path for people; it stays absolute when it must.
func relative(root, name string) string {
	rel, err := filepath.Rel(root, filepath.FromSlash(name))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}
