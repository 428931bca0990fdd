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
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/test/emacs"
)

// patience is how long one verb may take for one file.
const patience = 2 * time.Minute

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
	w.over("ipynb → org → ipynb", w.notebooks, w.notebook)
	w.report()
}

// world is a copy of the folder, and what was seen in it.
type world struct {
	t       *testing.T
	program string
	dir     string   // the copy
	files   []string // relative to it
	// notebooks are Jupyter's, which wb takes to org and back.
	notebooks []string
	verbs     []*verb
	blocks    map[string]int // by what became of them
}

// verb counts what became of the files.
type verb struct {
	name     string
	ok       int
	cpu      time.Duration
	failures map[string][]string // files by kind
}

func newWorld(t *testing.T, folder string) *world {
	w := &world{t: t, dir: t.TempDir(), blocks: map[string]int{}}
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
func (w *world) each(name string, do func(v *verb, file string) string) { w.over(name, w.files, do) }

func (w *world) over(name string, files []string, do func(v *verb, file string) string) {
	v := &verb{name: name, failures: map[string][]string{}}
	w.verbs = append(w.verbs, v)
	for _, file := range files {
		if wrong := do(v, file); wrong != "" {
			v.failures[kind(wrong)] = append(v.failures[kind(wrong)], file)
			continue
		}
		v.ok++
	}
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
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState != nil {
		v.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
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

// run counts what became of each block. A file is taken when wb answers with its
// components, whatever they said.
func (w *world) run(v *verb, file string) string {
	out, wrong := w.wb(v, w.dir, "run", file, "--json", "--no-write", "--events", "none")
	var answer struct {
		Data *struct {
			Components []struct {
				Status, Why, Lang, Error string
				Exit                     int
			}
		}
	}
	if json.Unmarshal(out, &answer) != nil || answer.Data == nil {
		return cmp.Or(wrong, "no answer")
	}
	for _, c := range answer.Data.Components {
		what := c.Status
		switch {
		case c.Status == "skipped":
			what += ": " + kind(c.Why)
		case c.Status == "failed" && c.Exit == 0:
			what += ": " + kind(c.Error)
			if os.Getenv("WB_WORLD_SAY") != "" {
				fmt.Printf("SAY %s\t%s\t%s\n", file, c.Lang, strings.ReplaceAll(c.Error, "\n", " ⏎ "))
			}
		}
		w.blocks[what]++
	}
	return ""
}

// tangle lets wb and Emacs tangle copies of the folder, and compares the files.
func (w *world) tangle() {
	ours := w.t.TempDir()
	w.copy(w.dir, ours, ".org")
	v := &verb{name: "tangle", failures: map[string][]string{}}
	w.verbs = append(w.verbs, v)
	succeeded := map[string]bool{}
	for _, file := range w.files {
		if _, wrong := w.wb(v, ours, "tangle", file); wrong != "" {
			v.failures[kind(wrong)] = append(v.failures[kind(wrong)], file)
			continue
		}
		v.ok, succeeded[file] = v.ok+1, true
	}
	w.t.Run("Emacs", func(t *testing.T) { w.tangleByEmacs(t, ours, succeeded) })
}

// tangleByEmacs compares only directories in which both have tangled all files:
// elsewhere one of them has written more.
func (w *world) tangleByEmacs(t *testing.T, ours string, succeeded map[string]bool) {
	e := emacs.Need(t)
	theirs := t.TempDir()
	w.copy(w.dir, theirs, ".org")
	script := filepath.Join(t.TempDir(), "tangle.el")
	w.write(script, []byte(`(require 'ob-tangle)
(setq org-confirm-babel-evaluate t make-backup-files nil)
(fset 'yes-or-no-p #'ignore) (fset 'y-or-n-p #'ignore)
(dolist (file command-line-args-left)
  (condition-case e (let ((default-directory (file-name-directory file))) (org-babel-tangle-file file) (princ (concat file "\n")))
    (error nil)))
(setq command-line-args-left nil)
`))
	args := make([]string, len(w.files))
	for i, file := range w.files {
		args[i] = filepath.Join(theirs, file)
	}
	both := map[string]bool{}
	for line := range strings.Lines(e.Run(t, script, args...)) {
		if file, err := filepath.Rel(theirs, strings.TrimSpace(line)); err == nil && succeeded[file] {
			both[file] = true
		}
	}
	v := &verb{name: "files equal to Emacs's", failures: map[string][]string{}}
	w.verbs = append(w.verbs, v)
	clean := func(file string) bool {
		for _, other := range w.files {
			if filepath.Dir(other) == filepath.Dir(file) && !both[other] {
				return false
			}
		}
		return true
	}
	for _, file := range w.written(theirs) {
		switch mine, err := os.ReadFile(filepath.Join(ours, file)); {
		case !clean(file):
		case err != nil:
			v.failures["not written"] = append(v.failures["not written"], file)
		case !bytes.Equal(mine, w.read(filepath.Join(theirs, file))):
			v.failures["different"] = append(v.failures["different"], file)
		default:
			v.ok++
		}
	}
}

// written are the files below a directory that are no org files.
func (w *world) written(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // an unreadable directory holds none
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) != ".org" {
			name, _ := filepath.Rel(dir, path)
			files = append(files, name)
		}
		return nil
	})
	return files
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
		fmt.Printf("%-24s %5d taken %5d not   %6.1f s of processor time\n", v.name, v.ok, failed, v.cpu.Seconds())
		for _, k := range slices.SortedFunc(maps.Keys(v.failures), func(a, b string) int { return len(v.failures[b]) - len(v.failures[a]) }) {
			fmt.Printf("  %4d  %s\n        %s\n", len(v.failures[k]), k, strings.Join(v.failures[k][:min(3, len(v.failures[k]))], "  "))
		}
	}
	fmt.Println("\nblocks")
	for _, what := range slices.SortedFunc(maps.Keys(w.blocks), func(a, b string) int { return w.blocks[b] - w.blocks[a] }) {
		fmt.Printf("  %4d  %s\n", w.blocks[what], what)
	}
}
