package dock

import (
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"wb/sandbox"
)

// DeviceName is the file through which interpreters call, as a name in a tree.
const DeviceName = "dev/dock"

// Device puts the file /dev/dock in front of a tree. A program opens it for
// reading and writing, writes
//
//	[length of the frame, u32 little-endian][frame]
//
// and reads [length of the reply][reply] from its beginning. No listing shows
// the file. Calls end with ctx.
func (d *Dock) Device(ctx context.Context, tree sandbox.FS) sandbox.FS {
	if tree == nil {
		tree = sandbox.NewMemFS()
	}
	return &deviceTree{FS: tree, dock: d, ctx: ctx}
}

type deviceTree struct {
	sandbox.FS
	dock *Dock
	ctx  context.Context // of the run: a file has no context
}

// OpenFile opens the device or a file of the tree.
func (t *deviceTree) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	if name != DeviceName {
		return t.FS.OpenFile(name, flag, perm)
	}
	if flag&(os.O_EXCL|os.O_TRUNC) == os.O_EXCL {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	return &device{tree: t}, nil
}

// Stat describes the device or a file of the tree.
func (t *deviceTree) Stat(name string) (fs.FileInfo, error) {
	if name == DeviceName {
		return deviceInfo{}, nil
	}
	info, err := t.FS.Stat(name)
	if err != nil && name == "dev" {
		return deviceDir{}, nil
	}
	return info, err
}

// Remove removes files of the tree.
func (t *deviceTree) Remove(name string) error {
	if name == DeviceName {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrPermission}
	}
	return t.FS.Remove(name)
}

// Rename moves files of the tree.
func (t *deviceTree) Rename(from, to string) error {
	if from == DeviceName || to == DeviceName {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrPermission}
	}
	return t.FS.Rename(from, to)
}

// device is the file, opened: one conversation.
type device struct {
	tree *deviceTree

	mu      sync.Mutex
	request []byte
	reply   []byte // with its length in front
}

// WriteAt takes a part of a request, wherever it is meant to stand, and makes
// the call when it is whole.
func (f *device) WriteAt(p []byte, _ int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.request = append(f.request, p...)
	if len(f.request) < 4 {
		return len(p), nil
	}
	n := binary.LittleEndian.Uint32(f.request)
	switch {
	case n > maxFrame:
		f.request = nil
		return 0, syscall.EINVAL
	case len(f.request)-4 < int(n):
		return len(p), nil
	case len(f.request)-4 > int(n):
		f.request = nil
		return 0, syscall.EINVAL
	}
	answer := f.tree.dock.Serve(f.tree.ctx, f.request[4:])
	f.request = nil
	f.reply = append(binary.LittleEndian.AppendUint32(nil, uint32(len(answer))), answer...)
	return len(p), nil
}

// ReadAt reads the reply. It counts from the reply's beginning, so that a
// program which writes and reads at one position must seek to 0 in between.
func (f *device) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if off < 0 || off >= int64(len(f.reply)) {
		return 0, io.EOF
	}
	n := copy(p, f.reply[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Stat describes the device.
func (*device) Stat() (fs.FileInfo, error) { return deviceInfo{}, nil }

// Truncate does nothing: there is nothing to cut.
func (*device) Truncate(int64) error { return nil }

// Close forgets the conversation.
func (*device) Close() error { return nil }

type deviceInfo struct{}

func (deviceInfo) Name() string { return "dock" }

// Size is as large as any request, so that requests do not count as growth of
// the tree.
func (deviceInfo) Size() int64        { return maxFrame + 4 }
func (deviceInfo) Mode() fs.FileMode  { return 0o600 }
func (deviceInfo) ModTime() time.Time { return time.Unix(0, 0) }
func (deviceInfo) IsDir() bool        { return false }
func (deviceInfo) Sys() any           { return nil }

type deviceDir struct{ deviceInfo }

func (deviceDir) Name() string      { return "dev" }
func (deviceDir) Mode() fs.FileMode { return fs.ModeDir | 0o555 }
func (deviceDir) IsDir() bool       { return true }
