package python

import (
	"io/fs"
	"strings"

	"wb/sandbox"
)

// stdlibDir is where the guest finds the standard library; sourcesDir has the
// files that came with the block.
const (
	stdlibDir  = "/usr/lib/python3.11"
	sourcesDir = "/usr/lib/block"
)

// tree is what one machine sees: the files of its job, and below names that no
// listing shows the standard library and the block's own sources.
type tree struct {
	sandbox.FS
	hidden map[string]sandbox.FS // by directory
}

// newTree puts the library, and the block's sources if it has any, behind the
// files of a job.
func newTree(job sandbox.FS, lib sandbox.FS, sources map[string][]byte) (sandbox.FS, error) {
	if job == nil {
		job = sandbox.NewMemFS()
	}
	t := &tree{FS: job, hidden: map[string]sandbox.FS{stdlibDir[1:]: lib}}
	if len(sources) > 0 {
		own := sandbox.NewMemFS()
		for name, data := range sources {
			if err := own.WriteFile(name, data); err != nil {
				return nil, err
			}
		}
		t.hidden[sourcesDir[1:]] = sandbox.ReadOnly(own)
	}
	return t, nil
}

// route finds the tree a name belongs to and its name there.
func (t *tree) route(name string) (sandbox.FS, string) {
	if strings.HasPrefix(name, "usr/lib/") {
		for dir, hidden := range t.hidden {
			if name == dir {
				return hidden, "."
			}
			if inside, ok := strings.CutPrefix(name, dir+"/"); ok {
				return hidden, inside
			}
		}
	}
	return t.FS, name
}

// OpenFile implements sandbox.FS.
func (t *tree) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	tree, name := t.route(name)
	return tree.OpenFile(name, flag, perm)
}

// Stat implements sandbox.FS.
func (t *tree) Stat(name string) (fs.FileInfo, error) {
	tree, name := t.route(name)
	return tree.Stat(name)
}

// ReadDir implements sandbox.FS.
func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	tree, name := t.route(name)
	return tree.ReadDir(name)
}

// Mkdir implements sandbox.FS.
func (t *tree) Mkdir(name string, perm fs.FileMode) error {
	tree, name := t.route(name)
	return tree.Mkdir(name, perm)
}

// Remove implements sandbox.FS.
func (t *tree) Remove(name string) error {
	tree, name := t.route(name)
	return tree.Remove(name)
}

// Rename implements sandbox.FS.
func (t *tree) Rename(from, to string) error {
	tree, inner := t.route(from)
	other, target := t.route(to)
	if tree != other {
		return readOnly("rename", from)
	}
	return tree.Rename(inner, target)
}
