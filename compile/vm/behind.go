package vm

import (
	"io/fs"
	"strings"

	"wb/sandbox"
)

// behind is the tree one machine sees: the files of its job, and directories that no
// listing shows.
type behind struct {
	sandbox.FS
	hidden map[string]sandbox.FS // by directory
}

// Behind puts further trees, by absolute directory, behind the files of a job:
// they are found by name and listed nowhere. A nil tree stands for no files.
func Behind(job sandbox.FS, hidden map[string]sandbox.FS) sandbox.FS {
	if job == nil {
		job = sandbox.NewMemFS()
	}
	t := &behind{FS: job, hidden: make(map[string]sandbox.FS, len(hidden))}
	for dir, tree := range hidden {
		t.hidden[strings.TrimPrefix(dir, "/")] = tree
	}
	return t
}

// route finds the tree a name belongs to and its name there.
func (t *behind) route(name string) (sandbox.FS, string) {
	for dir, hidden := range t.hidden {
		inside, ok := strings.CutPrefix(name, dir)
		switch {
		case !ok:
		case inside == "":
			return hidden, "."
		case inside[0] == '/':
			return hidden, inside[1:]
		}
	}
	return t.FS, name
}

// OpenFile implements sandbox.FS.
func (t *behind) OpenFile(name string, flag int, perm fs.FileMode) (sandbox.File, error) {
	tree, name := t.route(name)
	return tree.OpenFile(name, flag, perm)
}

// Stat implements sandbox.FS.
func (t *behind) Stat(name string) (fs.FileInfo, error) {
	tree, name := t.route(name)
	return tree.Stat(name)
}

// ReadDir implements sandbox.FS.
func (t *behind) ReadDir(name string) ([]fs.DirEntry, error) {
	tree, name := t.route(name)
	return tree.ReadDir(name)
}

// Mkdir implements sandbox.FS.
func (t *behind) Mkdir(name string, perm fs.FileMode) error {
	tree, name := t.route(name)
	return tree.Mkdir(name, perm)
}

// Remove implements sandbox.FS.
func (t *behind) Remove(name string) error {
	tree, name := t.route(name)
	return tree.Remove(name)
}

// Rename implements sandbox.FS.
func (t *behind) Rename(from, to string) error {
	tree, inner := t.route(from)
	other, target := t.route(to)
	if tree != other {
		return sandbox.Fixed{}.Rename(from, to)
	}
	return tree.Rename(inner, target)
}
