//go:build long

package python

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// runNotebook runs the cells of a notebook as Jupyter does, in one namespace and
// with the value of each last expression shown, and prints what each had recorded and
// what it gives now. The machine's Python runs it as well as the sandbox's.
const runNotebook = `
import ast, contextlib, io, json, os, pprint, re, shutil
import numpy

if os.path.isdir("/usr/lib/block"): # where the sandbox has the files of a block
    shutil.copytree("/usr/lib/block", ".", dirs_exist_ok=True)

def shown(value):
    if isinstance(value, (list, dict, set, frozenset)):
        return pprint.pformat(value, sort_dicts=False)
    return repr(value)

def recorded(output):
    kind = output["output_type"]
    if kind == "error" or kind == "pyerr":
        return output["ename"]
    if output.get("name", output.get("stream")) == "stderr":
        return ""
    text = output.get("text") or output.get("data", {}).get("text/plain") or ""
    return "".join(text) + "\n"

def run(source, space):
    if re.match(r"\s*%%|.*\?\s*$", source):
        raise NotImplementedError("a command of IPython")
    source, last = re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", source), None
    try:
        tree = ast.parse(source)
    except SyntaxError: # of Python 2
        tree = ast.parse(re.sub(r"(?m)^(\s*)print (.*[^,\s]),?\s*$", r"\1print(\2)", source))
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = tree.body.pop()
    exec(compile(tree, "<cell>", "exec"), space)
    if last is not None:
        space["_"] = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
        if space["_"] is not None:
            print(shown(space["_"]))

notebook = json.load(open("notebook.ipynb", encoding="utf-8"))
cells = notebook["cells"] if "cells" in notebook else [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
space, answers = {"__name__": "__main__", "display": lambda value: print(shown(value))}, []
for cell in cells:
    if cell["cell_type"] != "code":
        continue
    source, failed, out = "".join(cell.get("source", cell.get("input", ""))), "", io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            run(source, space)
        except BaseException as e:
            failed = type(e).__name__ + ": " + str(e)
    was = "".join(recorded(o) for o in cell.get("outputs", []))
    answers.append({"source": source, "was": was, "now": out.getvalue() + failed.split(":")[0], "failed": failed})
print(json.dumps(answers))
`

// numpyNotebooks are about numpy and have recorded what they gave.
var numpyNotebooks = []string{
	"numpy_exercises/*_[Ss]olution*.ipynb",                            // Kyubyong Park
	"data-science-ipython-notebooks/numpy/*.ipynb",                    // Jake VanderPlas; Donne Martin
	"scientific-python-lectures/Lecture-2-Numpy.ipynb",                // Robert Johansson
	"NumPy/NumPy Tutorial.ipynb",                                      // Keith Galli
	"freecodecamp-intro-to-numpy/2. NumPy.ipynb",                      // Santiago Basulto
	"handson-mlp/tools_numpy.ipynb", "handson-mlp/math_linear*.ipynb", // Aurélien Géron
}

// notebookCell is what runNotebook prints of a cell.
type notebookCell struct{ Source, Was, Now, Failed string }

// TestNumpyNotebooks runs public notebooks in the sandbox and compares with what they
// recorded: the words and numbers of each output in their order, since numpy's spacing
// has changed over the years. Where the machine has numpy too, a cell that differs is
// run by it: what it gives there, on the same day and version, says whose the
// difference is.
//
//	NUMPY_NOTEBOOKS=DIR go test -tags long ./compile/python -run TestNumpyNotebooks -v
//
// where just numpy-notebooks has put checkouts of the repositories, by name.
// NUMPY_SHOW prints the cells that differ.
func TestNumpyNotebooks(t *testing.T) {
	dir := os.Getenv("NUMPY_NOTEBOOKS")
	if dir == "" {
		t.Skip("NUMPY_NOTEBOOKS names no directory with notebooks")
	}
	var files []string
	for _, pattern := range numpyNotebooks {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 20 {
		t.Skipf("%s has %d of the notebooks", dir, len(files))
	}
	lanetest.Need(t, testLane(t).env, numpyName)
	var whole, cells, same, retyped int
	for _, file := range files {
		answers := sandboxCells(t, file)
		native := nativeCells(t, file)
		var differ []string
		all := 0
		for i, c := range answers {
			if strings.TrimSpace(c.Was) == "" {
				continue
			}
			if all++; sameOutput(c.Was, c.Now) {
				continue
			}
			why := "ours"
			switch {
			case sameNumbers(c.Was, c.Now):
				why = "the same numbers"
				retyped++
			case native == nil:
				why = "no numpy on this machine to ask"
			case sameOutput(c.Was, native[i].Now):
			case sameOutput(native[i].Now, c.Now):
				why = "the machine's numpy says the same"
			case !sameOutput(c.Was, native[i].Now):
				why = "chance, time or memory"
			}
			differ = append(differ, why)
			if os.Getenv("NUMPY_SHOW") != "" {
				t.Logf("%s cell %d, %s:\n%s\nwas: %.600s\nnow: %.600s %.200s", filepath.Base(file), i, why, c.Source, c.Was, c.Now, c.Failed)
			}
		}
		slices.Sort(differ)
		ours := 0
		for _, why := range differ {
			if why == "ours" {
				ours++
			}
		}
		t.Logf("%s: %d of %d cells as recorded; %d differ by the sandbox; %q", filepath.Base(file), all-len(differ), all, ours, slices.Compact(differ))
		cells, same = cells+all, same+all-len(differ)
		if ours == 0 {
			whole++
		}
	}
	t.Logf("%d of %d notebooks differ in no number by the sandbox; of %d cells %d are as recorded and %d have the same numbers", whole, len(files),
		cells, same, retyped)
	if whole < 20 {
		t.Errorf("%d notebooks give their recorded numbers, want 20", whole)
	}
}

// sandboxCells runs a notebook in the Python lane, with the small files beside it.
func sandboxCells(t *testing.T, file string) []notebookCell {
	t.Helper()
	src := block(compile.ShapeBabel, runNotebook, "output")
	src.Files = beside(t, file)
	out, err := execute(t, src, &compile.Job{Limits: sandbox.Limits{Fuel: -1, Memory: 1 << 30, Timeout: 10 * time.Minute}})
	if err != nil || len(out.Stderr) > 0 && len(out.Stdout) == 0 {
		t.Fatalf("%s: %v %s", file, err, out.Stderr)
	}
	return cellsOf(t, file, out.Stdout)
}

// nativeCells runs it with the machine's Python, nil if that has no numpy.
func nativeCells(t *testing.T, file string) []notebookCell {
	t.Helper()
	python := "/usr/bin/python3" // a distribution's, beside others
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		return nil
	}
	dir := t.TempDir()
	for name, data := range beside(t, file) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(python, "-c", runNotebook)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cellsOf(t, file, out)
}

func cellsOf(t *testing.T, file string, text []byte) []notebookCell {
	t.Helper()
	var cells []notebookCell
	if err := json.Unmarshal(text, &cells); err != nil {
		t.Fatalf("%s: %v: %.300s", file, err, text)
	}
	return cells
}

// beside is the notebook and the tables that lie around it.
func beside(t *testing.T, file string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, pattern := range []string{"*.csv", "*.txt", "*.npy", "data/*.csv", "data/*.txt"} {
		list, err := filepath.Glob(filepath.Join(filepath.Dir(file), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if rel, err := filepath.Rel(filepath.Dir(file), name); err == nil && len(data) < 1<<20 {
				files[filepath.ToSlash(rel)] = data
			}
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files["notebook.ipynb"] = data
	return files
}

// tokens are words and numbers; addresses, which are neither, end up as one word.
var tokens = regexp.MustCompile(`0x[0-9a-fA-F]+|[\pL_][\pL_0-9]*|(?:[-+]\s?)?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)

// sameNumbers compares numbers and truth values alone: a type is another where the
// default integer is shorter.
func sameNumbers(was, now string) bool {
	numbers := func(text string) string {
		list := slices.DeleteFunc(tokens.FindAllString(text, -1), func(token string) bool {
			return !strings.ContainsAny(token[:1], "+-.0123456789") && token != "True" && token != "False" && token != "nan" && token != "inf" ||
				strings.HasPrefix(token, "0x")
		})
		return strings.Join(list, " ; ")
	}
	return numbers(was) != "" && sameOutput(numbers(was), numbers(now))
}

// sameOutput compares words and numbers, these as far as they were printed.
func sameOutput(was, now string) bool {
	a, b := tokens.FindAllString(was, -1), tokens.FindAllString(now, -1)
	return slices.EqualFunc(a, b, func(x, y string) bool {
		m, wrong := strconv.ParseFloat(strings.ReplaceAll(x, " ", ""), 64)
		n, wrongToo := strconv.ParseFloat(strings.ReplaceAll(y, " ", ""), 64)
		if wrong != nil || wrongToo != nil {
			return x == y || strings.HasPrefix(x, "0x") && strings.HasPrefix(y, "0x")
		}
		return m == n || math.IsNaN(m) && math.IsNaN(n) || math.Abs(m-n) <= 1e-6*max(math.Abs(m), math.Abs(n)) || math.Abs(m-n) < 1e-12
	})
}
