package shell

import (
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"wb/sandbox"
)

// quotaFS counts what all processes of a run together add to a tree. The
// sandbox bounds each process; a script could start many. It also keeps, for
// the time of the run, what chmod and touch -d have set: WASI has no modes.
type quotaFS struct {
	sandbox.FS
	used  *atomic.Int64
	limit int64

	mu         sync.Mutex
	attributes map[string]attributes
}

// attributes are what a run has set of a file, nil for what it has not.
type attributes struct {
	mode *fs.FileMode
	time *time.Time
}

// attributed is a file's description with what the run has set of it.
type attributed struct {
	fs.FileInfo
	set attributes
}

func (a attributed) Mode() fs.FileMode {
	if a.set.mode != nil {
		return a.FileInfo.Mode()&^fs.ModePerm | *a.set.mode
	}
	return a.FileInfo.Mode()
}

func (a attributed) ModTime() time.Time {
	if a.set.time != nil {
		return *a.set.time
	}
	return a.FileInfo.ModTime()
}

func (q *quotaFS) Stat(name string) (fs.FileInfo, error) {
	info, err := q.FS.Stat(name)
	return q.described(name, info, err)
}

// described adds to a description what was set of the file.
func (q *quotaFS) described(name string, info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if set, ok := q.attributes[name]; ok {
		return attributed{info, set}, nil
	}
	return info, nil
}

// set changes attributes of a file.
func (q *quotaFS) set(name string, change func(*attributes)) error {
	if _, err := q.FS.Stat(name); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.attributes == nil {
		q.attributes = map[string]attributes{}
	}
	a := q.attributes[name]
	change(&a)
	q.attributes[name] = a
	return nil
}

// forget drops what was set of a file that is gone.
func (q *quotaFS) forget(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.attributes, name)
}

func (q *quotaFS) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	f, err := q.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 { // what is written has a new time
		q.mu.Lock()
		if a, ok := q.attributes[name]; ok {
			a.time = nil
			q.attributes[name] = a
		}
		q.mu.Unlock()
	}
	return &quotaFile{f, q, name}, nil
}

func (q *quotaFS) Rename(from, to string) error {
	if err := q.FS.Rename(from, to); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	a, ok := q.attributes[from]
	delete(q.attributes, from)
	delete(q.attributes, to)
	if ok {
		q.attributes[to] = a
	}
	return nil
}

// Link gives the new name what was set of the file.
func (q *quotaFS) Link(from, to string) error {
	if err := q.FS.Link(from, to); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if a, ok := q.attributes[from]; ok {
		q.attributes[to] = a
	}
	return nil
}

func (q *quotaFS) Remove(name string) error {
	info, statErr := q.FS.Stat(name)
	err := q.FS.Remove(name)
	if err == nil {
		q.forget(name)
	}
	if err == nil && statErr == nil && !info.IsDir() && sandbox.Names(info) == 1 {
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
	q    *quotaFS
	name string // when it was opened
}

func (f *quotaFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return f.q.described(f.name, info, err)
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
