//go:build long

package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// patience is how long one verb may take for one file, on a busy machine.
const patience = 10 * time.Minute

// TestWorld fails where wb crashes, hangs or loses a byte of a document on a way
// there and back. All else is counted.
func TestWorld(t *testing.T) {
	folder := os.Getenv("WB_WORLD")
	if folder == "" {
		t.Skip("WB_WORLD names no folder of org files: just world DIR")
	}
	w := newWorld(t, folder)
	w.each("lint", w.lint)
	w.each("fmt", w.format)
	w.tangle()
	w.each("export html", w.html)
	w.each("org → md → org", w.there("md"))
	w.each("org → ipynb → org", w.there("ipynb"))
	w.each("run", w.run)
	w.over("ipynb → org → ipynb", w.notebooks, runtime.NumCPU(), w.notebook)
	w.report()
}

// world is a copy of the folder, and what was seen in it.
type world struct {
	sync.Mutex // files are worked on side by side
	t          *testing.T
	program    string
	dir        string   // the copy
	files      []string // relative to it
	// notebooks are Jupyter's, which wb takes to org and back.
	notebooks []string
	verbs     []*verb
	blocks    map[string]int // by what became of them, in detail
	ends      map[fate]int
}

// verb counts what became of the files.
type verb struct {
	name     string
	ok       int
	cpu      time.Duration
	failures map[string][]string // files by kind
}

func newWorld(t *testing.T, folder string) *world {
	w := &world{t: t, dir: t.TempDir(), blocks: map[string]int{}, ends: map[fate]int{}}
	w.program = filepath.Join(t.TempDir(), "wb")
	if out, err := exec.Command("go", "build", "-o", w.program, "wb/cmd/wb").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	w.files = w.copy(folder, w.dir, ".org")
	w.notebooks = w.copy(folder, w.dir, ".ipynb")
	if len(w.files)+len(w.notebooks) == 0 {
		t.Fatalf("%s holds no org file", folder)
	}
	return w
}

// copy copies the files below a folder that end in ext, and says which.
func (w *world) copy(from, to, ext string) (files []string) {
	w.t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case !d.Type().IsRegular() || filepath.Ext(path) != ext:
			return nil
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, name)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o666)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// each lets a verb work on each file; do says what went wrong, or nothing.
func (w *world) each(name string, do func(v *verb, file string) string) {
	w.over(name, w.files, runtime.NumCPU(), do)
}

// over lets a verb work on several files at a time.
func (w *world) over(name string, files []string, atATime int, do func(v *verb, file string) string) {
	v := w.count(name)
	start := time.Now()
	var workers errgroup.Group
	workers.SetLimit(atATime)
	for _, file := range files {
		workers.Go(func() error {
			wrong := do(v, file)
			w.Lock()
			defer w.Unlock()
			if wrong == "" {
				v.ok++
			} else {
				v.fail(wrong, file)
			}
			return nil
		})
	}
	_ = workers.Wait() // what failed is counted
	w.t.Logf("%s: %d files in %v", name, len(files), time.Since(start).Round(time.Second))
}

// count begins to count.
func (w *world) count(name string) *verb {
	v := &verb{name: name, failures: map[string][]string{}}
	w.verbs = append(w.verbs, v)
	return v
}

func (v *verb) fail(wrong, file string) {
	v.failures[kind(wrong)] = append(v.failures[kind(wrong)], file)
}

var (
	places = regexp.MustCompile(`(^|\s)\S+:\d+(:\d+)?:`)
	names  = regexp.MustCompile("[`'\"“«][^`'\"”»]*[`'\"”»]|/\\S+|\\d+")
)

// kind is an error without what belongs to one file only.
func kind(wrong string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(wrong), "\n")
	line = names.ReplaceAllString(places.ReplaceAllString(line, "$1PLACE:"), "…")
	return line[:min(len(line), 110)]
}

// wb runs the program in a directory and fails the test when it crashes or hangs.
func (w *world) wb(v *verb, dir string, args ...string) (stdout []byte, wrong string) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), patience)
	defer stop()
	return w.do(ctx, v, exec.CommandContext(ctx, w.program, args...), dir)
}

func (w *world) do(ctx context.Context, v *verb, cmd *exec.Cmd, dir string) (stdout []byte, wrong string) {
	w.t.Helper()
	cmd.Dir = dir
	args := cmd.Args[1:]
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState != nil {
		w.Lock()
		v.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		w.Unlock()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		w.t.Errorf("wb %s hangs", strings.Join(args, " "))
		return nil, "hangs"
	case err == nil:
		return out.Bytes(), ""
	case !errors.As(err, &exit) || exit.ExitCode() < 0 || strings.Contains(errs.String(), "goroutine "):
		w.t.Errorf("wb %s crashes: %v\n%.2000s", strings.Join(args, " "), err, errs.String())
		return nil, "crashes"
	}
	return out.Bytes(), cmp.Or(strings.TrimSpace(errs.String()), fmt.Sprintf("exit %d", exit.ExitCode()))
}

// lint counts every file that is looked through, with mistakes or without.
func (w *world) lint(v *verb, file string) string {
	out, wrong := w.wb(v, w.dir, "lint", "--json", file)
	var answer struct{ Verb string }
	if json.Unmarshal(out, &answer) == nil && answer.Verb == "lint" {
		return ""
	}
	return cmp.Or(wrong, "no answer")
}

// format lays a file out twice: the second time changes nothing.
func (w *world) format(v *verb, file string) string {
	dir := w.t.TempDir()
	path := filepath.Join(dir, "a.org")
	w.write(path, w.read(filepath.Join(w.dir, file)))
	if _, wrong := w.wb(v, dir, "fmt", "a.org"); wrong != "" {
		return wrong
	}
	once := w.read(path)
	if _, wrong := w.wb(v, dir, "fmt", "a.org"); wrong != "" {
		return wrong
	}
	if !bytes.Equal(once, w.read(path)) {
		w.t.Errorf("%s: fmt changes what it has laid out", file)
		return "changes what it has laid out"
	}
	return ""
}

func (w *world) html(v *verb, file string) string {
	_, wrong := w.wb(v, w.dir, "export", file, "--to", "html", "-o", filepath.Join(w.t.TempDir(), "a.html"))
	return wrong
}

// there exports a file and imports what came out.
func (w *world) there(format string) func(*verb, string) string {
	return func(v *verb, file string) string {
		dir := w.t.TempDir()
		if _, wrong := w.wb(v, w.dir, "export", file, "--to", format, "-o", filepath.Join(dir, "a."+format)); wrong != "" {
			return wrong
		}
		if _, wrong := w.wb(v, dir, "import", "a."+format); wrong != "" {
			return wrong
		}
		if !bytes.Equal(w.read(filepath.Join(w.dir, file)), w.read(filepath.Join(dir, "a.org"))) {
			w.t.Errorf("%s is another file after a way to %s and back", file, format)
			return "is another file afterwards"
		}
		return ""
	}
}

func (w *world) read(path string) []byte {
	w.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

func (w *world) write(path string, text []byte) {
	w.t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) report() {
	fmt.Printf("\n%d org files, %d notebooks\n\n", len(w.files), len(w.notebooks))
	for _, v := range w.verbs {
		failed := 0
		for _, files := range v.failures {
			failed += len(files)
		}
		fmt.Printf("%-32s %5d taken %5d not   %6.1f s of processor time\n", v.name, v.ok, failed, v.cpu.Seconds())
		for _, k := range slices.SortedFunc(maps.Keys(v.failures), func(a, b string) int { return len(v.failures[b]) - len(v.failures[a]) }) {
			fmt.Printf("  %4d  %s\n        %s\n", len(v.failures[k]), k, strings.Join(v.failures[k][:min(3, len(v.failures[k]))], "  "))
		}
	}
	w.fates()
	for _, what := range slices.SortedFunc(maps.Keys(w.blocks), func(a, b string) int { return w.blocks[b] - w.blocks[a] }) {
		fmt.Printf("  %4d  %s\n", w.blocks[what], what)
	}
}
