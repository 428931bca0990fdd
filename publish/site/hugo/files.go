package hugo

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"

	"wb/proof/manifest"
)

// files is a file system that keeps what hugo publishes, and nothing about it.
type files struct {
	afero.Fs // of directories, and for what hugo asks besides
	mu       sync.Mutex
	files    manifest.Files // by path in the directory published
}

func newFiles() *files { return &files{Fs: afero.NewMemMapFs(), files: manifest.Files{}} }

// Create begins a file; its bytes are kept when it is closed.
func (f *files) Create(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

func (f *files) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if flag&os.O_CREATE != 0 {
		return &file{fs: f, name: strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(name)), "/")}, nil
	}
	return f.Fs.OpenFile(name, flag, perm)
}

func (f *files) MkdirAll(string, os.FileMode) error         { return nil }
func (f *files) Chtimes(string, time.Time, time.Time) error { return nil }
func (f *files) Name() string                               { return "site" }

// file is one that is being written.
type file struct {
	afero.File
	fs   *files
	name string
	data bytes.Buffer
}

func (f *file) Name() string                      { return f.name }
func (f *file) Write(p []byte) (int, error)       { return f.data.Write(p) }
func (f *file) WriteString(s string) (int, error) { return f.data.WriteString(s) }
func (f *file) Sync() error                       { return nil }

func (f *file) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.fs.files[f.name] = bytes.Clone(f.data.Bytes()) // without the room it had to grow
	return nil
}
