package sandbox

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"
)

// must stops a test at an error that preparing it met.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// linked is a tree with links of every kind.
func linked(t *testing.T) *MemFS {
	m := NewMemFS()
	must(t,
		m.WriteFile("a/b/file", []byte("text")),
		m.Symlink("a", "dir"),
		m.Symlink("../b/file", "a/b/up"),
		m.Symlink("/a/b/file", "absolute"),
		m.Symlink("../../../a/b/file", "above"),
		m.Symlink("dir/b/up", "twice"),
		m.Symlink("two", "one"),
		m.Symlink("one", "two"),
		m.Symlink("nothing/here", "dangling"),
	)
	return m
}

// Names are resolved as a kernel resolves them whose root is the guest's.
func TestFollow(t *testing.T) {
	m := linked(t)
	for _, c := range []struct {
		dir, path string
		last      bool
		want      string
		err       error
	}{
		{".", "a/./b//file", true, "a/b/file", nil},
		{".", "dir/b/file", true, "a/b/file", nil},
		{".", "dir", false, "dir", nil},
		{".", "dir", true, "a", nil},
		{".", "dir/..", true, ".", nil},
		{".", "dir/b/../..", true, ".", nil},
		{"a/b", "up", true, "a/b/file", nil},
		{"a/b", "/dir", true, "a", nil},
		{".", "absolute", true, "a/b/file", nil},
		{".", "above", true, "a/b/file", nil},
		{".", "twice", true, "a/b/file", nil},
		{".", "twice", false, "twice", nil},
		{".", "../../../twice", false, "twice", nil},
		{".", "dangling", true, "nothing/here", nil},
		{".", "one", true, "", syscall.ELOOP},
		{".", "one/x", false, "", syscall.ELOOP},
		{".", "missing/../a", true, "a", nil},
	} {
		got, err := Follow(m, c.dir, c.path, c.last)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("Follow(%q, %q, %v) = %q, %v; want %q, %v", c.dir, c.path, c.last, got, err, c.want, c.err)
		}
	}
}

// Whoever takes files out of a tree gets files, never links.
func TestWalkShowsNoLinks(t *testing.T) {
	lower := NewMemFS()
	must(t, lower.WriteFile("below", []byte("lower text")))
	over := Overlay(lower)
	must(t, over.Symlink("below", "link"), over.Symlink(".", "self"), over.Symlink("gone", "dangling"), over.Symlink("loop", "loop"))
	for name, c := range map[string]struct {
		tree *MemFS
		want []string
	}{
		"memory":  {linked(t), []string{"a/b/file=text", "a/b/up=text", "above=text", "absolute=text", "twice=text"}},
		"overlay": {over.Upper(), []string{"link=lower text"}},
	} {
		var got []string
		must(t, c.tree.Walk(func(name string, info fs.FileInfo, data []byte) error {
			if info.Mode()&fs.ModeSymlink != 0 {
				t.Errorf("%s is shown as a link", name)
			}
			if !info.IsDir() {
				got = append(got, name+"="+string(data))
			}
			return nil
		}))
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A file with two names is one file, also in a copy of the tree.
func TestHardLinks(t *testing.T) {
	m := NewMemFS()
	must(t, m.WriteFile("one", []byte("1")), m.Link("one", "two"))
	c := m.Clone()
	must(t, WriteFile(c, "two", []byte("2")))
	for tree, want := range map[*MemFS]string{m: "1", c: "2"} {
		if got, err := tree.ReadFile("one"); string(got) != want || err != nil {
			t.Errorf("one is %q, %v; want %q", got, err, want)
		}
	}
	names := func() int {
		info, err := m.Stat("one")
		must(t, err)
		return Names(info)
	}
	if names() != 2 {
		t.Errorf("the file has %d names, want 2", names())
	}
	must(t, m.Remove("two"))
	if names() != 1 {
		t.Errorf("the file has %d names after one was removed, want 1", names())
	}
	if err := m.Link("one", "one"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link in the way: %v", err)
	}
	must(t, m.Mkdir("dir", 0o755))
	if err := m.Link("dir", "other"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a second name of a directory: %v", err)
	}
}

// A file with the former name of a hard link is another file.
func TestFormerNameOfHardLink(t *testing.T) {
	for name, away := range map[string]func(*MemFS) error{
		"removed": func(m *MemFS) error { return m.Remove("one") },
		"renamed": func(m *MemFS) error { return m.Rename("one", "third") },
		"replaced": func(m *MemFS) error {
			return errors.Join(m.WriteFile("new", nil), m.Rename("new", "one"), m.Remove("one"))
		},
	} {
		m := NewMemFS()
		must(t, m.WriteFile("one", nil), m.Link("one", "two"), away(m), m.WriteFile("one", nil))
		one, err := m.Stat("one")
		must(t, err)
		two, err := m.Stat("two")
		must(t, err)
		if inodeOf("one", one) == inodeOf("two", two) {
			t.Errorf("%s: the new file has the number of the old one", name)
		}
	}
}

// A layer shows the links below it, copies what it links, and hides what it replaced.
func TestOverlayLinks(t *testing.T) {
	lower := linked(t)
	o := Overlay(lower)
	if got, err := ReadFile(o, "twice"); string(got) != "text" || err != nil {
		t.Errorf("through a link of the lower tree: %q, %v", got, err)
	}
	must(t, o.Link("a/b/file", "second"), WriteFile(o, "second", []byte("changed")))
	if got, err := ReadFile(o, "twice"); string(got) != "changed" || err != nil {
		t.Errorf("a file written by its other name: %q, %v", got, err)
	}
	if got, _ := lower.ReadFile("a/b/file"); string(got) != "text" {
		t.Errorf("the lower tree was written to: %q", got)
	}
	must(t, o.Rename("absolute", "moved"))
	if target, err := o.Readlink("moved"); target != "/a/b/file" || err != nil {
		t.Errorf("a link that was moved: %q, %v", target, err)
	}
	if _, err := o.Readlink("absolute"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name of a link that was moved: %v", err)
	}
}

// A file keeps its room in the quota while it has a name.
func TestQuotaOfHardLinks(t *testing.T) {
	r := newRig(t, testEngine(t), Command{Files: NewMemFS(), Limits: Limits{Files: 64 << 10}})
	for i := range 100 {
		fd, e := r.open("file", oflagCreate, rightWrite)
		if e == 0 {
			_, e = r.write(fd, string(make([]byte, 1<<10)))
			r.call("fd_close", fd)
		}
		if e != 0 {
			if e != errnoNospc {
				t.Fatalf("round %d: errno %d, want %d", i, e, errnoNospc)
			}
			return
		}
		p, n := r.name(rigName, "file")
		q, m := r.name(rigName2, "kept"+string(rune('A'+i)))
		r.call("path_link", 3, 0, p, n, 3, q, m)
		r.call("path_unlink_file", 3, p, n)
	}
	t.Error("100 KiB fit into 64 KiB")
}
