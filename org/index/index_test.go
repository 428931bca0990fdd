package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var errRefused = errors.New("refused")

// upper is a builder whose work can be checked.
func upper(_ string, src []byte) ([]byte, error) {
	if bytes.HasPrefix(src, []byte("!")) {
		return nil, errRefused
	}
	return bytes.ToUpper(src), nil
}

// write makes files that are worth an index and long unchanged.
func write(t testing.TB, dir string, n int) []string {
	var paths []string
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("f%03d", i))
		put(t, path, strings.Repeat(fmt.Sprintf("file %d\n", i), minBytes/n/4))
		paths = append(paths, path)
	}
	return paths
}

func put(t testing.TB, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// view looks at all files and checks every block.
func view(t testing.TB, s *Cache, paths []string) *View {
	t.Helper()
	v, err := s.View(context.Background(), paths, upper, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(v.Block(i), bytes.ToUpper(src)) {
			t.Fatalf("%s: the block is not of these contents", path)
		}
	}
	return v
}

func commit(t testing.TB, v *View) {
	t.Helper()
	if err := v.Commit(); err != nil {
		t.Fatal(err)
	}
	v.Close()
}

// settle looks until no file is too young to be trusted.
func settle(t testing.TB, s *Cache, paths []string) {
	for {
		v := view(t, s, paths)
		fresh := v.Stats.Fresh == len(paths)
		commit(t, v)
		if fresh {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "index"), 1)
	paths := write(t, dir, 40)
	v := view(t, s, paths)
	if v.Stats.Built != 40 {
		t.Errorf("first time: %+v", v.Stats)
	}
	commit(t, v)
	v = view(t, s, paths)
	if v.Stats.Built != 0 || v.Stats.Hashed != 40 { // too young to trust
		t.Errorf("at once: %+v", v.Stats)
	}
	commit(t, v)
	settle(t, s, paths)

	put(t, paths[3], "changed")
	os.Remove(paths[4])
	if err := os.Rename(paths[5], paths[5]+"x"); err != nil {
		t.Fatal(err)
	}
	paths[5] += "x"
	paths = append(paths[:4], paths[5:]...)
	v = view(t, s, paths)
	if v.Stats.Built != 2 { // the renamed one has another base name
		t.Errorf("after changes: %+v", v.Stats)
	}
	commit(t, v)

	// A file that moves to another directory keeps its block.
	moved := filepath.Join(dir, "sub", filepath.Base(paths[0]))
	os.Mkdir(filepath.Dir(moved), 0o755)
	if err := os.Rename(paths[0], moved); err != nil {
		t.Fatal(err)
	}
	paths[0] = moved
	v = view(t, s, paths)
	if v.Stats.Built != 0 || v.Stats.Hashed == 0 {
		t.Errorf("after a move: %+v", v.Stats)
	}
	commit(t, v)

	// Another version of the blocks starts anew; so does a damaged manifest.
	v = view(t, Open(s.dir, 2), paths)
	if v.Stats.Built != len(paths) {
		t.Errorf("other version: %+v", v.Stats)
	}
	v.Close()
	manifest := filepath.Join(s.dir, manifestName)
	raw, _ := os.ReadFile(manifest)
	raw[len(raw)/2] ^= 1
	put(t, manifest, string(raw))
	v = view(t, s, paths)
	if v.Stats.Built != len(paths) {
		t.Errorf("damaged: %+v", v.Stats)
	}
	commit(t, v)

	// A store that is deleted while it is in use does no harm.
	v = view(t, s, paths)
	os.RemoveAll(s.dir)
	for i := range paths {
		_ = v.Block(i)[0]
	}
	commit(t, v)
}

// A change that leaves size and times as they were is noticed, as long as the
// file was young when it was read.
func TestRacyChange(t *testing.T) {
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "index"), 1)
	paths := write(t, dir, 10)
	commit(t, view(t, s, paths))
	for i := range 20 {
		src, _ := os.ReadFile(paths[0])
		src[i] = byte('a' + i)
		put(t, paths[0], string(src))
		commit(t, view(t, s, paths)) // compares with the contents
	}
}

// Segments stay few however often something changes, and no larger than needed.
func TestSegmentsStayFew(t *testing.T) {
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "index"), 1)
	paths := write(t, dir, 30)
	settle(t, s, paths)
	for i := range 60 {
		put(t, paths[i%30], strings.Repeat(fmt.Sprintf("round %d\n", i), 300))
		commit(t, view(t, s, paths))
	}
	files, _ := filepath.Glob(filepath.Join(s.dir, segmentPrefix+"*"))
	if len(files) > maxSegments {
		t.Errorf("%d segments", len(files))
	}
	commit(t, view(t, s, paths))
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "index"), 1)
	paths := write(t, dir, 5)
	put(t, paths[2], "!no")
	if _, err := s.View(context.Background(), paths, upper, nil); !errors.Is(err, errRefused) {
		t.Errorf("got %v", err)
	}
	if _, err := s.View(context.Background(), append(paths[:2:2], filepath.Join(dir, "none")), upper, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.View(ctx, paths[:2], upper, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// lines is a log format: parts are whole lines.
var lines = LogFormat{
	PartSize: 1000,
	Cut: func(src []byte) int {
		if len(src) <= 1000 {
			return len(src)
		}
		if i := bytes.IndexByte(src[999:], '\n'); i >= 0 {
			return 999 + i + 1
		}
		return len(src)
	},
	Build: func(src []byte) ([]byte, error) { return bytes.ToUpper(src), nil },
}

func TestLog(t *testing.T) {
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "index"), 1)
	path := filepath.Join(dir, "log")
	text := ""
	look := func() (built int64) {
		t.Helper()
		v, err := s.View(context.Background(), nil, upper, nil)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := v.Log(context.Background(), path, lines)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for _, p := range parts {
			if int64(len(got)) != p.Start || p.End-p.Start != int64(len(p.Block)) {
				t.Fatalf("part %d–%d after %d bytes", p.Start, p.End, len(got))
			}
			got = append(got, p.Block...)
		}
		if string(got) != strings.ToUpper(text) {
			t.Fatal("the parts are not the file")
		}
		built = v.Stats.Bytes
		commit(t, v)
		return built
	}
	more := func(n int) {
		for range n {
			text += fmt.Sprintf("line %d of the log\n", len(text))
		}
		put(t, path, text)
	}
	more(minBytes / 15)
	look()
	if n := look(); n != 0 {
		t.Errorf("%d bytes built again", n)
	}
	for range 5 {
		more(7)
		if n := look(); n > 2000 {
			t.Errorf("%d bytes built for a few lines more", n)
		}
	}
	text = text[:5000] + "X" + text[5001:] // changed in the middle
	more(1)
	if n := look(); n < int64(len(text))-7000 || n > int64(len(text))-4000 {
		t.Errorf("%d bytes built after a change at 5000 of %d", n, len(text))
	}
	text = text[:3000] // truncated
	put(t, path, text)
	look()
	text = "new\n" // rotated
	put(t, path, text)
	look()
}

// Processes that read and write one store at the same time, some of which are
// killed, never see blocks that are not of their file's contents.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("INDEX_KILL_DIR"); dir != "" {
		churn(t, dir)
		return
	}
	dir := t.TempDir()
	write(t, dir, 60)
	var children []*exec.Cmd
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "INDEX_KILL_DIR="+dir)
		cmd.Stdout = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	children = append(children, start(), start())
	for round := range 10 {
		victim := round % 2
		time.Sleep(time.Duration(15+13*round) * time.Millisecond)
		children[victim].Process.Kill()
		children[victim].Wait()
		paths, _ := filepath.Glob(filepath.Join(dir, "f*"))
		check(t, dir, paths)
		children[victim] = start()
	}
	for _, c := range children {
		c.Process.Kill()
		c.Wait()
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "f*"))
	s := Open(filepath.Join(dir, "index"), 1)
	put(t, paths[0], "one more change, so that the next writer cleans up")
	commit(t, view(t, s, paths))
	left, _ := filepath.Glob(filepath.Join(s.dir, "*.tmp"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// check looks at the store; files change meanwhile, so a block only has to be
// a whole one: "A…A" of one letter and length.
func check(t *testing.T, dir string, paths []string) {
	v, err := Open(filepath.Join(dir, "index"), 1).View(context.Background(), paths, upper, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for i := range paths {
		b := v.Block(i)
		if len(b) > 0 && len(bytes.ReplaceAll(b, b[:bytes.IndexByte(b, '\n')+1], nil)) != 0 {
			t.Fatalf("%s: a block that nobody built: %.40q", paths[i], b)
		}
	}
	if err := v.Commit(); err != nil {
		t.Fatal(err)
	}
}

func churn(t *testing.T, dir string) {
	paths, _ := filepath.Glob(filepath.Join(dir, "f*"))
	for n := 0; ; n++ {
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				path := paths[(n*7+k*13+os.Getpid())%len(paths)]
				temp := fmt.Sprintf("%s/.t%d-%d", dir, os.Getpid(), k)
				put(t, temp, strings.Repeat(fmt.Sprintf("round %d of %d\n", n, os.Getpid()), 400))
				os.Rename(temp, path)
			})
		}
		wg.Wait()
		check(t, dir, paths)
	}
}
