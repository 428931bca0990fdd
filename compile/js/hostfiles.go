package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"syscall"

	"wb/sandbox"
)

// files is the tree of one job as the guest's fs module sees it.
type files struct {
	tree sandbox.FS
	dir  string // working directory, absolute
	room int64  // bytes that may still be added
	most int64  // the limit, for messages
}

func newFiles(tree sandbox.FS, dir string, limits sandbox.Limits) files {
	if tree == nil {
		tree = sandbox.NewMemFS()
	}
	most := limits.Files
	switch {
	case most == 0:
		most = sandbox.DefaultLimits.Files
	case most < 0:
		most = math.MaxInt64
	}
	return files{tree: tree, dir: path.Join("/", dir), room: most, most: most}
}

// name turns a path of the guest into a name in the tree. Nothing leads above
// the root.
func (f *files) name(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = f.dir + "/" + p
	}
	if clean := path.Clean(p)[1:]; clean != "" {
		return clean
	}
	return "."
}

// take counts bytes that are added to the tree.
func (f *files) take(n int64) error {
	if n > f.room {
		return &sandbox.LimitError{Kind: sandbox.LimitFiles, Limit: f.most}
	}
	f.room -= max(n, 0)
	return nil
}

// fileErrors are the failures node names by code, in the order in which they
// are tried.
var fileErrors = []struct {
	err        error
	code, text string
}{
	{syscall.EISDIR, "EISDIR", "illegal operation on a directory"},
	{syscall.ENOTDIR, "ENOTDIR", "not a directory"},
	{syscall.ENOTEMPTY, "ENOTEMPTY", "directory not empty"},
	{syscall.EROFS, "EROFS", "read-only file system"},
	{syscall.EXDEV, "EXDEV", "cross-device link not permitted"},
	{fs.ErrNotExist, "ENOENT", "no such file or directory"},
	{fs.ErrExist, "EEXIST", "file already exists"},
	{fs.ErrPermission, "EACCES", "permission denied"},
	{fs.ErrInvalid, "EINVAL", "invalid argument"},
}

// fileError is err as node tells it: ENOENT: no such file or directory, open 'x'.
func fileError(err error, call, p string) error {
	var limit *sandbox.LimitError
	if err == nil || errors.As(err, &limit) {
		return err
	}
	for _, known := range fileErrors {
		if errors.Is(err, known.err) {
			return &guestError{Code: known.code, Message: fmt.Sprintf("%s: %s, %s '%s'", known.code, known.text, call, p)}
		}
	}
	return &guestError{Code: "EIO", Message: fmt.Sprintf("EIO: %v, %s '%s'", err, call, p)}
}

// hostReadFile(path) are a file's bytes.
func (m *machine) hostReadFile(ctx context.Context, p string, _ []handle) (handle, error) {
	name := m.world.tree.name(p)
	info, err := m.world.tree.tree.Stat(name)
	if err == nil && info.IsDir() {
		return 0, &guestError{Code: "EISDIR", Message: "EISDIR: illegal operation on a directory, read"}
	}
	if err == nil && info.Size() > math.MaxInt32 {
		return 0, &guestError{Code: "EFBIG", Message: fmt.Sprintf("EFBIG: file of %d bytes is too large, open '%s'", info.Size(), p)}
	}
	var data []byte
	if err == nil {
		m.charge(ctx, int(info.Size()))
		data, err = sandbox.ReadFile(m.world.tree.tree, name)
	}
	if err != nil {
		return 0, fileError(err, "open", p)
	}
	return m.newBytes(ctx, data)
}

// hostWriteFile(path, bytes, append) writes a file.
func (m *machine) hostWriteFile(ctx context.Context, p string, more []handle) (handle, error) {
	data, err := m.data(ctx, more[0])
	if err != nil {
		return 0, err
	}
	m.charge(ctx, len(data))
	return 0, fileError(m.world.tree.write(m.world.tree.name(p), data, m.truth(ctx, more[1])), "open", p)
}

func (f *files) write(name string, data []byte, add bool) error {
	if info, err := f.tree.Stat(name); err == nil && info.IsDir() {
		return syscall.EISDIR
	}
	flags := os.O_WRONLY | os.O_CREATE
	if !add {
		flags |= os.O_TRUNC
	}
	if err := f.take(int64(len(data))); err != nil {
		return err
	}
	file, err := f.tree.OpenFile(name, flags, 0o644)
	if err != nil {
		return err
	}
	at := int64(0)
	if add {
		info, err := file.Stat()
		if err != nil {
			return errors.Join(err, file.Close())
		}
		at = info.Size()
	}
	_, err = file.WriteAt(data, at)
	return errors.Join(err, file.Close())
}

// entry is a file or directory as the guest hears of it.
type entry struct {
	Name  string `json:"name,omitempty"`
	Dir   bool   `json:"dir"`
	Size  int64  `json:"size"`
	MTime int64  `json:"mtime"` // milliseconds since 1970, 0 unless the clock was granted
}

// hostReadDir(path) lists a directory, sorted.
func (m *machine) hostReadDir(ctx context.Context, p string, _ []handle) (handle, error) {
	entries, err := m.world.tree.tree.ReadDir(m.world.tree.name(p))
	if err != nil {
		return 0, fileError(err, "scandir", p)
	}
	list := make([]entry, len(entries))
	for i, e := range entries {
		list[i] = entry{Name: e.Name(), Dir: e.IsDir()}
	}
	return m.answer(ctx, list)
}

// hostStat(path) describes a file or directory.
func (m *machine) hostStat(ctx context.Context, p string, _ []handle) (handle, error) {
	info, err := m.world.tree.tree.Stat(m.world.tree.name(p))
	if err != nil {
		return 0, fileError(err, "stat", p)
	}
	e := entry{Dir: info.IsDir()}
	if !e.Dir {
		e.Size = info.Size()
	}
	if m.world.caps.Clock {
		e.MTime = info.ModTime().UnixMilli()
	}
	return m.answer(ctx, e)
}

// answer gives the guest v as JSON.
func (m *machine) answer(ctx context.Context, v any) (handle, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	m.charge(ctx, len(text))
	return m.newString(ctx, string(text))
}

// hostMkdir(path, recursive) makes a directory.
func (m *machine) hostMkdir(ctx context.Context, p string, more []handle) (handle, error) {
	name := m.world.tree.name(p)
	if !m.truth(ctx, more[0]) {
		return 0, fileError(m.world.tree.tree.Mkdir(name, 0o755), "mkdir", p)
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' || name == "." {
			continue
		}
		if info, err := m.world.tree.tree.Stat(name[:i]); err == nil && info.IsDir() {
			continue
		}
		if err := m.world.tree.tree.Mkdir(name[:i], 0o755); err != nil {
			return 0, fileError(err, "mkdir", p)
		}
	}
	return 0, nil
}

// hostRemove(path, recursive, force) removes a file or directory.
func (m *machine) hostRemove(ctx context.Context, p string, more []handle) (handle, error) {
	err := m.world.tree.remove(m.world.tree.name(p), m.truth(ctx, more[0]))
	if m.truth(ctx, more[1]) && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return 0, fileError(err, "unlink", p)
}

func (f *files) remove(name string, all bool) error {
	if all {
		if info, err := f.tree.Stat(name); err == nil && info.IsDir() {
			entries, err := f.tree.ReadDir(name)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if err := f.remove(path.Join(name, e.Name()), true); err != nil {
					return err
				}
			}
		}
	}
	return f.tree.Remove(name)
}

// hostRename(from, to) moves a file or directory.
func (m *machine) hostRename(ctx context.Context, from, to string) (handle, error) {
	return 0, fileError(m.world.tree.tree.Rename(m.world.tree.name(from), m.world.tree.name(to)), "rename", from+"' -> '"+to)
}
