package python

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// library is the standard library as the guest's files: an archive that is read
// when the first file of it is opened, and whose files are unpacked one by one
// as they are needed. All machines of a process share it.
type library struct {
	open func() ([]byte, error) // the archive

	once sync.Once
	err  error
	dirs map[string][]fs.DirEntry

	mu    sync.Mutex
	files map[string]*libraryFile
}

// newLibrary is the library of an installed toolchain. Nothing is read yet.
func newLibrary(t toolchain.Toolchain) *library {
	return &library{open: func() ([]byte, error) { return t.ReadFile(stdlibFile) }}
}

// libraryFile is one file; data is nil until it has been needed.
type libraryFile struct {
	packed *zip.File
	data   []byte
}

// load reads the archive's table of contents.
func (l *library) load() error {
	l.once.Do(func() {
		data, err := l.open()
		if err != nil {
			l.err = err
			return
		}
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			l.err = fmt.Errorf("%s: %w", stdlibFile, err)
			return
		}
		l.files, l.dirs = make(map[string]*libraryFile), map[string][]fs.DirEntry{".": nil}
		for _, f := range archive.File {
			l.files[f.Name] = &libraryFile{packed: f}
			l.enter(f.Name, entryInfo{name: path.Base(f.Name), size: int64(f.UncompressedSize64)})
		}
		for _, entries := range l.dirs {
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		}
	})
	return l.err
}

// all are the files by name.
func (l *library) all() (map[string][]byte, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(l.files))
	for name, f := range l.files {
		data, err := l.unpack(f)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// enter lists a file or directory in the directory above it.
func (l *library) enter(name string, info entryInfo) {
	dir := path.Dir(name)
	if _, known := l.dirs[dir]; !known {
		l.dirs[dir] = nil
		l.enter(dir, entryInfo{name: path.Base(dir), dir: true})
	}
	l.dirs[dir] = append(l.dirs[dir], fs.FileInfoToDirEntry(info))
}

// entryInfo describes a file or directory of the library.
type entryInfo struct {
	name string
	size int64
	dir  bool
}

func (e entryInfo) Name() string       { return e.name }
func (e entryInfo) Size() int64        { return e.size }
func (e entryInfo) ModTime() time.Time { return archiveTime }
func (e entryInfo) IsDir() bool        { return e.dir }
func (e entryInfo) Sys() any           { return nil }
func (e entryInfo) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// Stat implements sandbox.FS.
func (l *library) Stat(name string) (fs.FileInfo, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	if f := l.files[name]; f != nil {
		return entryInfo{name: path.Base(name), size: int64(f.packed.UncompressedSize64)}, nil
	}
	if _, ok := l.dirs[name]; ok {
		return entryInfo{name: path.Base(name), dir: true}, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements sandbox.FS.
func (l *library) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	entries, ok := l.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// OpenFile implements sandbox.FS.
func (l *library) OpenFile(name string, flag int, _ fs.FileMode) (sandbox.File, error) {
	if err := l.load(); err != nil {
		return nil, err
	}
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	f := l.files[name]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := l.unpack(f)
	if err != nil {
		return nil, err
	}
	return &openFile{Reader: bytes.NewReader(data), info: entryInfo{name: path.Base(name), size: int64(len(data))}}, nil
}

func (l *library) unpack(f *libraryFile) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.data != nil {
		return f.data, nil
	}
	r, err := f.packed.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdlibFile, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", stdlibFile, f.packed.Name, err)
	}
	f.data = data
	return data, nil
}

// Mkdir implements sandbox.FS.
func (*library) Mkdir(name string, _ fs.FileMode) error { return readOnly("mkdir", name) }

// Remove implements sandbox.FS.
func (*library) Remove(name string) error { return readOnly("remove", name) }

// Rename implements sandbox.FS.
func (*library) Rename(from, _ string) error { return readOnly("rename", from) }

func readOnly(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS} }

// openFile is an open file of the library.
type openFile struct {
	*bytes.Reader
	info entryInfo
}

func (f *openFile) Stat() (fs.FileInfo, error)           { return f.info, nil }
func (*openFile) Close() error                           { return nil }
func (*openFile) WriteAt(_ []byte, _ int64) (int, error) { return 0, syscall.EROFS }
func (*openFile) Truncate(int64) error                   { return syscall.EROFS }
