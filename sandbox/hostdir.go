package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// HostFS is a directory of the host. A guest reaches exactly what is inside:
// every access goes through an [os.Root], so neither "..", nor an absolute
// path, nor a symbolic link, however it got there, leads out. A link that
// points inside is followed. Wrap it in [ReadOnly] or [Overlay] unless the
// user granted writing.
type HostFS struct {
	NoLinks // those of the host are followed, and none is made
	root    *os.Root
}

// HostDir opens a directory of the host. Close it when no guest uses it.
func HostDir(dir string) (*HostFS, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("sandbox: host directory: %w", err)
	}
	return &HostFS{root: root}, nil
}

// Close releases the directory.
func (h *HostFS) Close() error { return h.root.Close() }

// OpenFile implements FS. Anything but a regular file (devices, sockets, named
// pipes) is refused.
func (h *HostFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	if info, err := h.root.Stat(name); err == nil {
		if flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0 {
			return nil, pathError("open", name, fs.ErrExist)
		}
		if err := checkRegular(name, info.Mode()); err != nil {
			return nil, err
		}
	}
	f, err := h.root.OpenFile(name, flag&^os.O_APPEND|nonblock, perm)
	if err != nil {
		return nil, hostError(err)
	}
	// The file may have been swapped since; look at what was opened.
	info, err := f.Stat()
	if err == nil {
		err = checkRegular(name, info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return hostFile{f}, nil
}

func checkRegular(name string, mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return pathError("open", name, syscall.EISDIR)
	case !mode.IsRegular():
		return pathError("open", name, fs.ErrPermission)
	}
	return nil
}

// hostFile reads like io.ReaderAt even past the end.
type hostFile struct{ *os.File }

func (f hostFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = hostError(err)
	}
	return n, err
}

// Stat implements FS.
func (h *HostFS) Stat(name string) (fs.FileInfo, error) {
	info, err := h.root.Stat(name)
	return info, hostError(err)
}

// ReadDir implements FS. Links are listed as what they lead to; those that
// lead out, and special files, are left out.
func (h *HostFS) ReadDir(name string) ([]fs.DirEntry, error) {
	dir, err := h.root.Open(name)
	if err != nil {
		return nil, hostError(err)
	}
	defer dir.Close()
	list, err := dir.ReadDir(-1)
	if err != nil {
		return nil, hostError(err)
	}
	entries := list[:0]
	for _, e := range list {
		switch {
		case e.IsDir() || e.Type().IsRegular():
			entries = append(entries, e)
		case e.Type()&fs.ModeSymlink != 0:
			if info, err := h.root.Stat(joinName(name, e.Name())); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
				entries = append(entries, renamedEntry{fs.FileInfoToDirEntry(info), e.Name()})
			}
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// renamedEntry is a link's target under the link's name.
type renamedEntry struct {
	fs.DirEntry
	name string
}

func (e renamedEntry) Name() string { return e.name }

// Mkdir implements FS.
func (h *HostFS) Mkdir(name string, perm fs.FileMode) error {
	return hostError(h.root.Mkdir(name, perm))
}

// Remove implements FS.
func (h *HostFS) Remove(name string) error { return hostError(h.root.Remove(name)) }

// Rename implements FS. Package os refuses to replace a directory; the guest's
// world allows it when that is empty, so it is removed first.
func (h *HostFS) Rename(from, to string) error {
	err := hostError(h.root.Rename(from, to))
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, serr := h.root.Lstat(from)
	if serr != nil {
		return hostError(serr)
	}
	entries, _ := h.ReadDir(to)
	if err := checkRename(from, to, info.IsDir(), true, len(entries) == 0); err != nil || from == to {
		return err
	}
	if err := h.Remove(to); err != nil {
		return err
	}
	return hostError(h.root.Rename(from, to))
}

// hostError hides host paths and turns an attempt to leave into a permission
// error.
func hostError(err error) error {
	if err == nil {
		return nil
	}
	var errno syscall.Errno
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &errno):
		err = errno
	case errors.As(err, &path) && strings.Contains(path.Err.Error(), "escapes"):
		err = fs.ErrPermission
	case errors.As(err, &link) && strings.Contains(link.Err.Error(), "escapes"):
		err = fs.ErrPermission
	}
	return err
}
