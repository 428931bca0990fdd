//go:build !(linux || darwin || freebsd || openbsd || netbsd || dragonfly)

package index

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// mapping is a file in memory; here it is read.
type mapping struct {
	data  []byte
	stamp stamp
}

func mapFile(path string) (*mapping, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	return &mapping{data, stampOf(info)}, err
}

func (m *mapping) unmap() {}

// ErrBusy is a lock that another process has.
var ErrBusy = errors.New("another process is writing the index")

// TryLock makes the lock file, which must not be there. One that its holder
// left behind counts for a minute.
func TryLock(path string) (unlock func(), err error) {
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		_ = os.Remove(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, err
	}
	return func() { f.Close(); os.Remove(path) }, nil
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
}

// mine reports whether the user owns a file, which is not known here.
func mine(fs.FileInfo) bool { return true }
