package vm

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"wb/sandbox"
)

// Archive is a zip archive as a guest's files, which cannot be changed: it is
// read when the first file of it is opened, and files are unpacked one by one
// as they are needed. All machines of a process share it.
type Archive struct {
	sandbox.Fixed
	name string // for messages
	open func() ([]byte, error)

	once sync.Once
	err  error
	dirs map[string][]fs.DirEntry

	mu    sync.Mutex
	files map[string]*packedFile
}

// NewArchive is the archive that open reads. Nothing is read yet.
func NewArchive(name string, open func() ([]byte, error)) *Archive {
	return &Archive{name: name, open: open}
}

// packedFile is one file; data is nil until it has been needed.
type packedFile struct {
	packed *zip.File
	data   []byte
}

// load reads the archive's table of contents.
func (a *Archive) load() error {
	a.once.Do(func() {
		data, err := a.open()
		if err != nil {
			a.err = err
			return
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			a.err = fmt.Errorf("%s: %w", a.name, err)
			return
		}
		a.files, a.dirs = make(map[string]*packedFile), map[string][]fs.DirEntry{".": nil}
		for _, f := range z.File {
			a.files[f.Name] = &packedFile{packed: f}
			a.enter(f.Name, fileInfo(f.Name, int64(f.UncompressedSize64)))
		}
		for _, entries := range a.dirs {
			slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
		}
	})
	return a.err
}

// All are the files by name.
func (a *Archive) All() (map[string][]byte, error) {
	if err := a.load(); err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(a.files))
	for name, f := range a.files {
		data, err := a.unpack(f)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// enter lists a file or directory in the directory above it.
func (a *Archive) enter(name string, info fs.FileInfo) {
	dir := path.Dir(name)
	if _, known := a.dirs[dir]; !known {
		a.dirs[dir] = nil
		a.enter(dir, dirInfo(dir))
	}
	a.dirs[dir] = append(a.dirs[dir], fs.FileInfoToDirEntry(info))
}

// filesTime is the age of all files of archives.
var filesTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// fileInfo and dirInfo describe a file and a directory of the archive.
func fileInfo(name string, size int64) sandbox.FixedInfo {
	return sandbox.FixedInfo{Base: path.Base(name), Bytes: size, Time: filesTime}
}

func dirInfo(name string) sandbox.FixedInfo {
	return sandbox.FixedInfo{Base: path.Base(name), Dir: true, Time: filesTime}
}

// Stat implements sandbox.FS.
func (a *Archive) Stat(name string) (fs.FileInfo, error) {
	if err := a.load(); err != nil {
		return nil, err
	}
	if f := a.files[name]; f != nil {
		return fileInfo(name, int64(f.packed.UncompressedSize64)), nil
	}
	if _, ok := a.dirs[name]; ok {
		return dirInfo(name), nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements sandbox.FS.
func (a *Archive) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := a.load(); err != nil {
		return nil, err
	}
	entries, ok := a.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// OpenFile implements sandbox.FS.
func (a *Archive) OpenFile(name string, flag int, _ fs.FileMode) (sandbox.File, error) {
	if err := a.load(); err != nil {
		return nil, err
	}
	if sandbox.Changing(flag) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	f := a.files[name]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := a.unpack(f)
	if err != nil {
		return nil, err
	}
	return sandbox.FixedFile(fileInfo(name, int64(len(data))), data), nil
}

func (a *Archive) unpack(f *packedFile) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.data != nil {
		return f.data, nil
	}
	r, err := f.packed.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", a.name, f.packed.Name, err)
	}
	f.data = data
	return data, nil
}
