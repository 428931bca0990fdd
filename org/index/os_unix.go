//go:build linux || darwin || freebsd || openbsd || netbsd || dragonfly

package index

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// mapping is a file in memory.
type mapping struct {
	data  []byte
	stamp stamp
}

func mapFile(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return &mapping{stamp: stampOf(info)}, nil
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return &mapping{data, stampOf(info)}, err
}

func (m *mapping) unmap() {
	if m.data != nil {
		_ = syscall.Munmap(m.data)
	}
}

// ErrBusy is a lock that another process has.
var ErrBusy = errors.New("another process is writing the index")

// TryLock takes the lock file's lock unless another process has it. The system
// releases it when its holder dies.
func TryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrBusy
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode, s.ctime = uint64(sys.Ino), changeTime(sys)
	}
	return s
}

// mine reports whether the user owns a file. What others made could hold rows
// that no file has.
func mine(info fs.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Getuid()
}
