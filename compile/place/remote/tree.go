package remote

import (
	"context"
	"encoding/binary"
	"io"
	"io/fs"

	"wb/sandbox"
)

// callersTree is the caller's tree of files, read by asking. It is the lower
// layer of the tree that a program sees, so nothing is ever written to it.
type callersTree struct {
	sandbox.NoLinks
	ctx context.Context // of the run: the methods of a tree have none
	ask Ask
}

func (t *callersTree) question(kind byte, about string) ([]byte, error) {
	return answered(t.ask(t.ctx, append([]byte{kind}, about...)))
}

// Stat describes a file or directory.
func (t *callersTree) Stat(name string) (fs.FileInfo, error) {
	body, err := t.question(askStat, name)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	var info wireInfo
	if _, err := unpack(body, &info); err != nil {
		return nil, err
	}
	return info, nil
}

// ReadDir lists a directory.
func (t *callersTree) ReadDir(name string) ([]fs.DirEntry, error) {
	body, err := t.question(askList, name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	var list []wireInfo
	if _, err := unpack(body, &list); err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, len(list))
	for i, info := range list {
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, nil
}

// OpenFile opens a file for reading.
func (t *callersTree) OpenFile(name string, flag int, _ fs.FileMode) (sandbox.File, error) {
	if sandbox.Changing(flag) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	body, err := t.question(askOpen, name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f := &callersFile{tree: t, name: name}
	if f.part, err = unpack(body, &f.info); err != nil {
		return nil, err
	}
	return f, nil
}

// Mkdir, Remove and Rename are for the layer above.
func (t *callersTree) Mkdir(name string, _ fs.FileMode) error { return readOnly("mkdir", name) }
func (t *callersTree) Remove(name string) error               { return readOnly("remove", name) }
func (t *callersTree) Rename(from, _ string) error            { return readOnly("rename", from) }

func readOnly(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
}

// callersFile is an open file; it holds the part that was read last.
type callersFile struct {
	tree *callersTree
	name string
	info wireInfo
	from int64 // where part begins
	part []byte
}

// ReadAt implements io.ReaderAt, for one goroutine at a time: a guest has one.
func (f *callersFile) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at < f.from || at >= f.from+int64(len(f.part)) {
			if at >= f.info.Bytes {
				return n, io.EOF
			}
			body, err := f.tree.question(askRead, string(binary.LittleEndian.AppendUint64(nil, uint64(at)))+f.name)
			if err != nil {
				return n, &fs.PathError{Op: "read", Path: f.name, Err: err}
			}
			if len(body) == 0 {
				return n, io.EOF
			}
			f.from, f.part = at, body
		}
		n += copy(p[n:], f.part[at-f.from:])
	}
	return n, nil
}

// WriteAt, Truncate: the file is open for reading.
func (f *callersFile) WriteAt([]byte, int64) (int, error) { return 0, readOnly("write", f.name) }
func (f *callersFile) Truncate(int64) error               { return readOnly("truncate", f.name) }
func (f *callersFile) Stat() (fs.FileInfo, error)         { return f.info, nil }
func (f *callersFile) Close() error                       { return nil }
