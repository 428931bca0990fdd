package tangle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
// refuses and changes nothing.
func (o *Output) Compare(opts WriteOptions) ([]Change, error) {
	root := filepath.Dir(filepath.FromSlash(o.Source))
	changes := make([]Change, len(o.Files))
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
			if err := parentExists(file); err != nil {
				return nil, o.blame(file, fmt.Errorf("%s: %w", change.Rel, err))
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
			} else if file.Mode != 0 && info.Mode()&modeBits != file.Mode {
				change.Action = Chmod
			}
		}
		changes[i] = change
	}
	return changes, nil
}

// blame gives an error about a file the place of the block that wants the file.
func (o *Output) blame(file *File, err error) error {
	if len(file.Sections) == 0 {
		return err
	}
	placed := &Error{File: o.name, Line: file.Sections[0].Line, Col: 1, Msg: err.Error(), Err: err}
	var advice interface{ Hint() string }
	if errors.As(err, &advice) {
		placed.Advice = advice.Hint()
	}
	return placed
}

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Write brings the disk to the plan. Everything is checked before the first
// file is touched; each file is replaced in one step, so that a reader sees
// the old or the new one. Files that are as planned are not touched.
func (o *Output) Write(opts WriteOptions) ([]Change, error) {
	changes, err := o.Compare(opts)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		if err := change.apply(); err != nil {
			return nil, fmt.Errorf("%s: %w", change.Rel, err)
		}
	}
	return changes, nil
}

func (c Change) apply() error {
	name := filepath.FromSlash(c.File.Path)
	switch c.Action {
	case Unchanged:
		return nil
	case Chmod:
		return os.Chmod(name, c.File.Mode)
	}
	if c.File.Mkdir {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
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

func parentExists(file *File) error {
	if file.Mkdir {
		return nil
	}
	dir := filepath.Dir(filepath.FromSlash(file.Path))
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
