// Package workdir writes an agent's changes into a directory that people and other
// agents work in at the same time.
//
// A [Change] says what the agent read and what it made of it. [Dir.Write] compares
// the file with what was read. Where the file has moved on, both changes are joined
// by lines, and in org files headings by keyword, title and tags. Where both changed
// the same lines, the file stays as it is and the agent reads a [ConflictError].
//
// Text that is only added goes to the end of the file in one write, so that no program
// who appends meanwhile loses a line. Every other change is put in place by rename;
// what somebody wrote into the old file until then is found afterwards and joined,
// too. Writers of this package and of [orgfile] exclude each other by locks.
package workdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"wb/org/orgfile"
)

// Dir is a directory that agents and people share.
type Dir struct{ Path string }

// Change is an agent's change to one file.
type Change struct {
	Name    string // within the directory, with slashes
	Base    []byte // what the file held when the agent read it
	Fresh   bool   // there was no such file
	New     []byte
	Removed bool
	// Append says that a fresh file was made by adding to it: two who make the
	// same one are then both kept.
	Append bool
	// Again says that the change may have been made already, by a process that died.
	Again bool
}

// Landed is the content of a file after a change.
type Landed struct {
	Content []byte
	Merged  bool // it has changes of others, too
}

// ConflictError says that a file is no longer what the agent read, and that both
// changes cannot be joined.
type ConflictError struct {
	Name   string
	Reason string
}

func (e *ConflictError) Error() string { return e.Name + ": " + e.Reason }

// maxTries bounds how often a file that keeps changing is compared again.
const maxTries = 100

// Plan computes what a change would make of the file as it is now.
func (d Dir) Plan(c Change) (Landed, error) {
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return Landed{}, err
	}
	defer root.Close()
	now, err := root.ReadFile(d.resolved(c.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Landed{}, err
	}
	return c.join(now, err == nil)
}

// Write makes a change.
func (d Dir) Write(c Change) (Landed, error) {
	root, err := os.OpenRoot(d.Path)
	if err != nil {
		return Landed{}, err
	}
	defer root.Close()
	name := d.resolved(c.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil && !c.Removed {
		return Landed{}, err
	}
	sweep(root, name)
	for range maxTries {
		landed, again, err := write(root, name, c)
		if err != nil || !again {
			return landed, err
		}
	}
	return Landed{}, &ConflictError{c.Name, "somebody else keeps changing it"}
}

// resolved is the name of the file that a name leads to, through symbolic links.
func (d Dir) resolved(name string) string {
	name = filepath.FromSlash(name)
	whole, err := filepath.EvalSymlinks(d.Path)
	if err != nil {
		return name
	}
	real, err := filepath.EvalSymlinks(filepath.Join(whole, name))
	if err != nil {
		return name
	}
	if inside, err := filepath.Rel(whole, real); err == nil && filepath.IsLocal(inside) {
		return inside
	}
	return name
}

// write tries once; again means that somebody else was faster.
func write(root *os.Root, name string, c Change) (landed Landed, again bool, err error) {
	if info, err := root.Stat(name); err == nil && info.IsDir() && c.Removed {
		err := root.Remove(name)
		if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist) { // others have put files there
			err = nil
		}
		return Landed{}, false, err
	}
	old, err := root.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if landed, err = c.join(nil, false); err != nil || c.Removed {
			return landed, false, err
		}
		again, err = create(root, name, landed.Content)
		return landed, again, err
	}
	if err != nil {
		return Landed{}, false, err
	}
	defer old.Close() // and give the lock back
	if err := orgfile.Lock(old); err != nil {
		return Landed{}, false, err
	}
	info, err := old.Stat()
	if err != nil {
		return Landed{}, false, err
	}
	if named, err := root.Stat(name); err != nil || !os.SameFile(info, named) {
		return Landed{}, true, nil
	}
	now, err := io.ReadAll(old)
	if err != nil {
		return Landed{}, false, err
	}
	if landed, err = c.join(now, true); err != nil {
		return landed, false, err
	}
	switch added, adds := bytes.CutPrefix(landed.Content, now); {
	case c.Removed:
		return landed, false, root.Remove(name)
	case bytes.Equal(landed.Content, now):
		return landed, false, nil
	case adds:
		_, err := old.Write(added)
		return landed, false, err
	}
	return replace(root, name, old, info, now, landed)
}

// create makes a file that must not exist yet.
func create(root *os.Root, name string, content []byte) (again bool, err error) {
	part := partOf(name)
	if err := root.WriteFile(part, content, 0o644); err != nil {
		return false, err
	}
	defer root.Remove(part)
	err = root.Link(part, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return true, nil
	case err != nil: // a file system without links
		return false, root.Rename(part, name)
	}
	return false, nil
}

// replace puts the joined text in the place of the old file.
func replace(root *os.Root, name string, old *os.File, info fs.FileInfo, now []byte, landed Landed) (Landed, bool, error) {
	part := partOf(name)
	if err := root.WriteFile(part, landed.Content, info.Mode().Perm()); err != nil {
		return landed, false, err
	}
	defer root.Remove(part) // there is none once it has its name
	if err := root.Chmod(part, info.Mode().Perm()); err != nil {
		return landed, false, err
	}
	if at, err := root.Stat(name); err != nil || !os.SameFile(info, at) {
		return landed, true, nil
	}
	if late, err := whole(old); err != nil || !bytes.Equal(late, now) {
		return landed, err == nil, err
	}
	if err := root.Rename(part, name); err != nil {
		return landed, false, err
	}
	late, err := whole(old)
	if err != nil || bytes.Equal(late, now) {
		return landed, false, err
	}
	// Somebody who had the old file open wrote just before it was replaced.
	theirs := Change{Name: filepath.ToSlash(name), Base: now, New: late}
	for range maxTries {
		joined, again, err := write(root, name, theirs)
		if err != nil || !again {
			return Landed{joined.Content, true}, false, err
		}
	}
	return landed, false, &ConflictError{theirs.Name, "somebody else keeps changing it"}
}

func whole(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, max(info.Size(), 0)))
}

// partOf is a name beside a file for what will take its place. Each process and
// goroutine needs one of its own.
func partOf(name string) string {
	return filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d%s", filepath.Base(name), os.Getpid(), parts.Add(1), partExt))
}

const partExt = ".wb-part"

// sweep removes what processes that have died left beside a file. What cannot be
// removed does no harm.
func sweep(root *os.Root, name string) {
	dir, err := root.Open(filepath.Dir(name))
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // those that were read count
	for _, found := range names {
		rest, mine := strings.CutPrefix(found, "."+filepath.Base(name)+".")
		id, isPart := strings.CutSuffix(rest, partExt)
		pid, _, _ := strings.Cut(id, "-")
		if number, err := strconv.Atoi(pid); mine && isPart && err == nil && hasDied(number) {
			_ = root.Remove(filepath.Join(filepath.Dir(name), found)) // see above
		}
	}
}

// hasDied reports whether a process of this machine is gone for certain.
func hasDied(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
