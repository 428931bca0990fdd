package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Fixed is a tree without links that cannot be changed, to be embedded.
type Fixed struct{ NoLinks }

// Mkdir is refused.
func (Fixed) Mkdir(name string, _ fs.FileMode) error { return pathError("mkdir", name, syscall.EROFS) }

// Remove is refused.
func (Fixed) Remove(name string) error { return pathError("remove", name, syscall.EROFS) }

// Rename is refused.
func (Fixed) Rename(from, _ string) error { return pathError("rename", from, syscall.EROFS) }

// Changing reports whether a file is opened to be changed.
func Changing(flag int) bool {
	return flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0
}

// FixedInfo describes a file, or a directory, that cannot be changed.
type FixedInfo struct {
	Base  string
	Bytes int64
	Dir   bool
	Time  time.Time
}

// Name, Size, Mode, ModTime, IsDir and Sys make it a fs.FileInfo.
func (i FixedInfo) Name() string       { return i.Base }
func (i FixedInfo) Size() int64        { return i.Bytes }
func (i FixedInfo) ModTime() time.Time { return i.Time }
func (i FixedInfo) IsDir() bool        { return i.Dir }
func (FixedInfo) Sys() any             { return nil }
func (i FixedInfo) Mode() fs.FileMode {
	if i.Dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// FixedFile is an open file with that content.
func FixedFile(info fs.FileInfo, data []byte) File {
	return fixedFile{bytes.NewReader(data), info}
}

type fixedFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f fixedFile) Stat() (fs.FileInfo, error)       { return f.info, nil }
func (fixedFile) Close() error                       { return nil }
func (fixedFile) WriteAt([]byte, int64) (int, error) { return 0, syscall.EROFS }
func (fixedFile) Truncate(int64) error               { return syscall.EROFS }
