package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/workbook/plan"
)

const shelf = `#+NAME: prices
| bread | 3 |
| milk  | 2 |

#+NAME: plus
#+begin_src toy :var x=1 y=one
sum x y
#+end_src

#+NAME: one
#+begin_src toy
return 1
#+end_src
`

// TestLibraries refers to other documents: by file and name, and by #+LOB:.
func TestLibraries(t *testing.T) {
	n := newNotebook(t, `#+LOB: lib/shelf.org

#+NAME: cost
#+begin_src toy :var x=lib/shelf.org:prices[0,1] y=lib/shelf.org:one
sum x y
#+end_src

#+CALL: plus(x=40)

#+CALL: lib/shelf.org:plus(x=4)

Here call_plus(x=5).
`)
	dir := filepath.Join(filepath.Dir(n.file), "lib")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "shelf.org"), []byte(shelf), 0o644); err != nil {
		t.Fatal(err)
	}
	report, _ := n.run()
	if failed := report.Failed(); failed != nil {
		t.Fatal(failed.Err)
	}
	for _, want := range []string{"#+RESULTS: cost\n: 4\n", "#+CALL: plus(x=40)\n\n#+RESULTS:\n: 41\n", "(x=4)\n\n#+RESULTS:\n: 5\n", "call_plus(x=5) {{{results(=6=)}}}."} {
		if !strings.Contains(n.text(), want) {
			t.Errorf("%q is missing:\n%s", want, n.text())
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "shelf.org")); string(after) != shelf {
		t.Errorf("the other document was changed:\n%s", after)
	}
	if len(report.Exports) != 1 {
		t.Errorf("exports %v", report.Exports)
	}
}

// TestLibrariesMissing says what is wrong, and where.
func TestLibrariesMissing(t *testing.T) {
	for text, want := range map[string]string{
		"#+LOB: none.org\n": "error: missing-library",
		"#+begin_src toy :var x=none.org:a\ninput x\n#+end_src\n":      "x refers to another file",
		"#+begin_src toy :var x=../doc.org:a\ninput x\n#+end_src\n":    "x refers to another file",
		"#+begin_src toy :var x=doc.org:nowhere\ninput x\n#+end_src\n": `which names nothing in doc.org`,
		"#+CALL: none.org:f()\n":                                       "names no block",
		"#+begin_src toy :var x=doc.org:self\ninput x\n#+end_src\n#+NAME: self\n#+begin_src toy :var x=doc.org:self\ninput x\n#+end_src\n": "cycle",
	} {
		file := filepath.Join(t.TempDir(), "doc.org")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, d := range plan.New(file, []byte(text)).Problems {
			all.WriteString(d.String() + "\n")
		}
		if !strings.Contains(all.String(), want) {
			t.Errorf("%s: want %q, got\n%s", text, want, all.String())
		}
	}
}
