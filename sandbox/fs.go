package sandbox

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// FS is the tree of files a guest sees as "/". Names are what [fs.ValidPath]
// accepts: slash-separated, relative, without "." or ".." elements; "." names
// the root. A link found in a host directory is followed inside that directory or
// refused; those that guests make live in the memory of their run (see [Links]).
//
// [NewMemFS], [HostDir], [ReadOnly], [Overlay] and [Mounts] make trees.
// Implementations must be safe for concurrent use by several guests.
type FS interface {
	// OpenFile opens a file with the O_ flags of package os. Directories are
	// not opened; see ReadDir.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Stat describes a file or directory.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Mkdir makes one directory.
	Mkdir(name string, perm fs.FileMode) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// Rename moves a file or directory, replacing a file in its way.
	Rename(from, to string) error
	Links
}

// File is an open regular file. It has no position of its own: the guest's
// descriptor keeps that.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
}

// ReadFile reads a whole file of any tree, through links.
func ReadFile(tree FS, name string) ([]byte, error) {
	name, err := Follow(tree, ".", name, true)
	if err != nil {
		return nil, err
	}
	f, err := tree.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
}

// WriteFile makes or replaces a file of any tree; its directory must exist.
func WriteFile(tree FS, name string, data []byte) error {
	f, err := tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Close())
}
