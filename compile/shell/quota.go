package shell

import (
	"io/fs"
	"sync/atomic"
	"syscall"

	"wb/sandbox"
)

// quotaFS counts what all processes of a run together add to a tree. The
// sandbox bounds each process; a script could start many.
type quotaFS struct {
	sandbox.FS
	used  *atomic.Int64
	limit int64
}

func (q *quotaFS) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	f, err := q.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &quotaFile{f, q}, nil
}

func (q *quotaFS) Remove(name string) error {
	info, statErr := q.FS.Stat(name)
	err := q.FS.Remove(name)
	if err == nil && statErr == nil && !info.IsDir() {
		q.charge(-info.Size())
	}
	return err
}

// charge takes n bytes; giving back never goes below nothing.
func (q *quotaFS) charge(n int64) error {
	if n > 0 && q.limit >= 0 && q.used.Load()+n > q.limit {
		return syscall.ENOSPC
	}
	if q.used.Add(n) < 0 {
		q.used.Store(0)
	}
	return nil
}

type quotaFile struct {
	sandbox.File
	q *quotaFS
}

func (f *quotaFile) WriteAt(p []byte, off int64) (int, error) {
	info, err := f.File.Stat()
	if err != nil {
		return 0, err
	}
	if grow := off + int64(len(p)) - info.Size(); grow > 0 {
		if err := f.q.charge(grow); err != nil {
			return 0, err
		}
	}
	return f.File.WriteAt(p, off)
}

func (f *quotaFile) Truncate(size int64) error {
	info, err := f.File.Stat()
	if err != nil {
		return err
	}
	if err := f.q.charge(size - info.Size()); err != nil {
		return err
	}
	return f.File.Truncate(size)
}
