package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"syscall"
	"testing"
)

// trees makes one of each kind of tree, all empty and writable.
func trees(t testing.TB) map[string]FS {
	host, err := HostDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	mounted, err := Mounts(NewMemFS(), map[string]FS{"elsewhere": NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := Mounts(NewMemFS(), map[string]FS{"x/y": NewMemFS()})
	if err != nil {
		t.Fatal(err)
	}
	below, _ := Mounts(hidden, map[string]FS{"sub": NewMemFS()})
	return map[string]FS{
		"mem":             NewMemFS(),
		"host":            host,
		"overlay":         Overlay(NewMemFS()),
		"nested overlay":  Overlay(Overlay(NewMemFS())),
		"mounts":          mounted,
		"mount in a tree": subtree{below, "sub"},
	}
}

// subtree shows the part of a tree below a directory.
type subtree struct {
	FS
	dir string
}

func (s subtree) name(n string) string { return path.Join(s.dir, n) }

func (s subtree) OpenFile(n string, flag int, perm fs.FileMode) (File, error) {
	return s.FS.OpenFile(s.name(n), flag, perm)
}
func (s subtree) Stat(n string) (fs.FileInfo, error)      { return s.FS.Stat(s.name(n)) }
func (s subtree) ReadDir(n string) ([]fs.DirEntry, error) { return s.FS.ReadDir(s.name(n)) }
func (s subtree) Mkdir(n string, perm fs.FileMode) error  { return s.FS.Mkdir(s.name(n), perm) }
func (s subtree) Remove(n string) error                   { return s.FS.Remove(s.name(n)) }
func (s subtree) Rename(from, to string) error            { return s.FS.Rename(s.name(from), s.name(to)) }

// All kinds of tree behave alike: thousands of random operations have the same
// result on each. The memory tree is the measure, and the host's, which is the
// operating system's own, keeps it honest.
func TestTreesAgree(t *testing.T) {
	for seed := range uint64(20) {
		all := trees(t)
		measure := all["mem"]
		random := rand.New(rand.NewPCG(seed, 0))
		for step := range 300 {
			op := randomOp(random)
			want := op.on(measure)
			for kind, tree := range all {
				if kind == "mem" {
					continue
				}
				if got := op.on(tree); got != want {
					t.Fatalf("seed %d step %d: %v on %s: %s, want %s", seed, step, op, kind, got, want)
				}
			}
		}
	}
}

// fsOp is an operation on a tree; on returns its result as text.
type fsOp struct {
	op       string
	name, to string
	flag     int
	data     string
	off      int64
}

func randomOp(r *rand.Rand) fsOp {
	names := []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "e", "e/d", "e/d/a"}
	pick := func() string { return names[r.IntN(len(names))] }
	flags := []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
		os.O_RDWR | os.O_CREATE | os.O_EXCL}
	ops := []string{"open", "open", "open", "mkdir", "mkdir", "remove", "rename", "stat", "list", "read"}
	return fsOp{ops[r.IntN(len(ops))], pick(), pick(), flags[r.IntN(len(flags))],
		strings.Repeat("x", r.IntN(20)), int64(r.IntN(10))}
}

func (o fsOp) on(tree FS) string {
	switch o.op {
	case "open":
		return o.open(tree)
	case "mkdir":
		return result(tree.Mkdir(o.name, 0o755))
	case "remove":
		return result(tree.Remove(o.name))
	case "rename":
		return result(tree.Rename(o.name, o.to))
	case "stat":
		info, err := tree.Stat(o.name)
		if err != nil {
			return result(err)
		}
		return describeInfo(info)
	case "list":
		list, err := tree.ReadDir(o.name)
		if err != nil {
			return result(err)
		}
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintf(&b, "%s %v,", e.Name(), e.IsDir())
		}
		return b.String()
	default:
		b, err := ReadFile(tree, o.name)
		return fmt.Sprintf("%q %s", b, result(err))
	}
}

// open opens the file, writes, reads and truncates as far as it may.
func (o fsOp) open(tree FS) string {
	f, err := tree.OpenFile(o.name, o.flag, 0o644)
	if err != nil {
		return result(err)
	}
	defer f.Close()
	var b strings.Builder
	if o.flag&(os.O_RDWR|os.O_WRONLY) != 0 {
		n, err := f.WriteAt([]byte(o.data), o.off)
		fmt.Fprintf(&b, "wrote %d %s ", n, result(err))
		if o.off%3 == 0 {
			fmt.Fprintf(&b, "truncated %s ", result(f.Truncate(o.off*2)))
		}
	}
	if o.flag&os.O_WRONLY == 0 {
		buf := make([]byte, 12)
		n, err := f.ReadAt(buf, o.off/2)
		fmt.Fprintf(&b, "read %q %v ", buf[:n], err == io.EOF)
	}
	info, err := f.Stat()
	if err != nil {
		return result(err)
	}
	return b.String() + describeInfo(info)
}

func describeInfo(info fs.FileInfo) string {
	if info.IsDir() {
		return "directory " + info.Name()
	}
	return fmt.Sprintf("file %s of %d", info.Name(), info.Size())
}

func result(err error) string {
	if err == nil {
		return "ok"
	}
	return fmt.Sprintf("errno %d", errnoOf(err))
}

func TestOverlayLeavesLowerAlone(t *testing.T) {
	lower := memFS(t, map[string]string{"a": "alpha", "d/b": "beta", "d/c": "gamma", "e/f": "phi"})
	before := listing(lower)
	o := Overlay(lower)
	steps := []struct {
		name string
		do   func() error
		want string
	}{
		{"read through", func() error { _, err := ReadFile(o, "d/b"); return err }, "a=alpha d/ d/b=beta d/c=gamma e/ e/f=phi"},
		{"change", func() error { return WriteFile(o, "d/b", []byte("BETA")) }, "a=alpha d/ d/b=BETA d/c=gamma e/ e/f=phi"},
		{"add", func() error { return WriteFile(o, "d/n", []byte("new")) }, "a=alpha d/ d/b=BETA d/c=gamma d/n=new e/ e/f=phi"},
		{"remove", func() error { return o.Remove("a") }, "d/ d/b=BETA d/c=gamma d/n=new e/ e/f=phi"},
		{"rename directory", func() error { return o.Rename("d", "g") }, "e/ e/f=phi g/ g/b=BETA g/c=gamma g/n=new"},
		{"name again", func() error { return o.Mkdir("d", 0o755) }, "d/ e/ e/f=phi g/ g/b=BETA g/c=gamma g/n=new"},
		{"remove tree", func() error { return errors.Join(o.Remove("e/f"), o.Remove("e")) }, "d/ g/ g/b=BETA g/c=gamma g/n=new"},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if got := listing(o); got != s.want {
			t.Errorf("%s:\n got %s\nwant %s", s.name, got, s.want)
		}
	}
	if after := listing(lower); after != before {
		t.Errorf("lower tree changed to %s", after)
	}
	if got := strings.Join(o.Removed(), " "); got != "a d e e/f" {
		t.Errorf("removed: %s", got)
	}
}

// listing shows a whole tree in a line.
func listing(tree FS) string {
	var items []string
	var walk func(dir string)
	walk = func(dir string) {
		list, _ := tree.ReadDir(dir)
		for _, e := range list {
			name := joinName(dir, e.Name())
			if e.IsDir() {
				items = append(items, name+"/")
				walk(name)
			} else {
				b, _ := ReadFile(tree, name)
				items = append(items, name+"="+string(b))
			}
		}
	}
	walk(".")
	return strings.Join(items, " ")
}

func TestReadOnly(t *testing.T) {
	tree := ReadOnly(memFS(t, map[string]string{"f": "data"}))
	for what, err := range map[string]error{
		"write":  WriteFile(tree, "f", nil),
		"create": WriteFile(tree, "g", nil),
		"mkdir":  tree.Mkdir("d", 0o755),
		"remove": tree.Remove("f"),
		"rename": tree.Rename("f", "g"),
	} {
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: %v", what, err)
		}
	}
	f, err := tree.OpenFile("f", os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, syscall.EROFS) {
		t.Errorf("write to open file: %v", err)
	}
}

func TestMounts(t *testing.T) {
	usr := memFS(t, map[string]string{"include/stdio.h": "int puts();"})
	work := memFS(t, map[string]string{"main.c": "int main;"})
	tree, err := Mounts(memFS(t, map[string]string{"etc/motd": "hi", "usr/hidden": "x"}),
		map[string]FS{"usr": ReadOnly(usr), "home/me/work": work})
	if err != nil {
		t.Fatal(err)
	}
	want := "etc/ etc/motd=hi home/ home/me/ home/me/work/ home/me/work/main.c=int main; usr/ usr/include/ usr/include/stdio.h=int puts();"
	if got := listing(tree); got != want {
		t.Errorf("got %s", got)
	}
	if err := WriteFile(tree, "home/me/work/out", []byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := work.ReadFile("out"); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"across trees": tree.Rename("etc/motd", "home/me/work/motd"),
		"read-only":    tree.Remove("usr/include/stdio.h"),
		"mount point":  tree.Remove("usr"),
		"above one":    tree.Rename("home", "house"),
	} {
		if err == nil {
			t.Errorf("%s: allowed", what)
		}
	}
}

// A file handed out by ReadFile, or shared with a clone, keeps its content.
func TestMemFSShares(t *testing.T) {
	m := memFS(t, map[string]string{"f": "before"})
	data, _ := m.ReadFile("f")
	clone := m.Clone()
	f, err := m.OpenFile("f", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt([]byte("AFTER!"), 0)
	now, _ := m.ReadFile("f")
	then, _ := clone.ReadFile("f")
	if string(data) != "before" || string(then) != "before" || string(now) != "AFTER!" {
		t.Errorf("handed out %q, clone %q, now %q", data, then, now)
	}
}

func BenchmarkMemFSRead(b *testing.B) {
	m := NewMemFS()
	m.WriteFile("usr/include/wasm32-wasip1/bits/alltypes.h", make([]byte, 20_000))
	buf := make([]byte, 4096)
	for b.Loop() {
		f, _ := m.OpenFile("usr/include/wasm32-wasip1/bits/alltypes.h", os.O_RDONLY, 0)
		f.ReadAt(buf, 0)
		f.Close()
	}
}
