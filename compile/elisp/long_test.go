//go:build long

package elisp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/test/emacs"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// suites are tests of Emacs's own that need no process and no terminal.
var suites = []string{
	"test/src/data-tests.el", "test/src/fns-tests.el", "test/src/editfns-tests.el", "test/src/eval-tests.el",
	"test/src/alloc-tests.el", "test/src/buffer-tests.el", "test/src/casefiddle-tests.el", "test/src/chartab-tests.el",
	"test/src/charset-tests.el", "test/src/coding-tests.el", "test/src/floatfns-tests.el", "test/src/lread-tests.el",
	"test/src/marker-tests.el", "test/src/print-tests.el", "test/src/regex-emacs-tests.el", "test/src/search-tests.el",
	"test/src/syntax-tests.el", "test/src/textprop-tests.el", "test/src/timefns-tests.el", "test/src/undo-tests.el",
	"test/lisp/subr-tests.el", "test/lisp/emacs-lisp/cl-lib-tests.el", "test/lisp/emacs-lisp/seq-tests.el",
	"test/lisp/emacs-lisp/cl-macs-tests.el", "test/lisp/emacs-lisp/map-tests.el", "test/lisp/emacs-lisp/subr-x-tests.el",
	"test/lisp/emacs-lisp/pcase-tests.el", "test/lisp/emacs-lisp/generator-tests.el", "test/lisp/calc/calc-tests.el",
	"test/lisp/replace-tests.el", "test/lisp/simple-tests.el", "test/lisp/json-tests.el",
}

// passing runs the tests of a file and returns the names of those that pass, as
// JSON. A test that takes the process down is not run anywhere.
const passing = `(progn
  (require 'ert) (require 'ert-x) (require 'json)
  (let ((inhibit-message t) (load-prefer-newer nil))
    (load %q nil t)
    (json-encode
     (vconcat
      (delq nil
            (mapcar (lambda (test)
                      (let ((standard-output (generate-new-buffer " *out*")))
                        (and (ert-test-passed-p (ert-run-test test)) (symbol-name (ert-test-name test)))))
                    (ert-select-tests '(not (or (tag :unstable) (tag :expensive-test))) t)))))))`

// TestEmacsOwnTests runs tests of Emacs's own in the lane and in the Emacs of
// this machine.
func TestEmacsOwnTests(t *testing.T) {
	native, lane := emacs.Need(t), testLane(t)
	dir := sourceTests(t)
	tree := sandbox.NewMemFS()
	if err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return tree.WriteFile(filepath.ToSlash(inside), data)
	}); err != nil {
		t.Fatal(err)
	}
	inNative, inBoth := 0, 0
	for _, suite := range suites {
		script := filepath.Join(t.TempDir(), "run.el")
		form := fmt.Sprintf("(princ "+passing+")", filepath.Join(dir, suite))
		if err := os.WriteFile(script, []byte(form), 0o644); err != nil {
			t.Fatal(err)
		}
		want := names(t, suite, native.Run(t, script))
		job := &compile.Job{Files: tree, Limits: sandbox.Limits{Fuel: -1, Timeout: -1, Memory: 1 << 30, Output: 64 << 20}}
		out, err := lanetest.Execute(t, lane, block(fmt.Sprintf(passing, "/"+suite), "raw"), job)
		var got []string
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Logf("%s: %s", suite, complaint)
		} else {
			got = names(t, suite, out.Value.Text())
		}
		var missing []string
		for _, name := range want {
			if !slices.Contains(got, name) {
				missing = append(missing, name)
			}
		}
		inNative, inBoth = inNative+len(want), inBoth+len(want)-len(missing)
		t.Logf("%s: %d of %d%s", suite, len(want)-len(missing), len(want), strings.Join(append([]string{""}, missing...), " -"))
	}
	t.Logf("%d of the %d tests that pass in this machine's Emacs pass in the lane", inBoth, inNative)
	if inBoth*100 < inNative*95 {
		t.Errorf("fewer than 95 %%")
	}
}

func names(t *testing.T, suite, text string) []string {
	t.Helper()
	text = text[max(strings.LastIndex(text, `["`), 0):]
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v: %.200s", suite, err, text)
	}
	return list
}

// sourceTests is a directory with the tests of Emacs's source archive.
func sourceTests(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "wb", "test", "emacs-28.2")
	if _, err := os.Stat(filepath.Join(dir, "test")); err == nil {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := sources.Download(t.Context(), dir)
	if err != nil {
		t.Skipf("Emacs's source archive is missing: %v", err)
	}
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files, err := toolchain.Unpack(f, []string{"test/src/", "test/lisp/", "!test/lisp/gnus/"})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
