package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/emacs"
	"wb/internal/value"
	"wb/tangle/elisp"
	"wb/workbook/plan"
)

// judged is a document that Emacs and wb have both run.
type judged struct {
	name       string
	source     string
	emacs, wb  map[string]string // files, with doc.org among them
	emacsError string            // what stopped Emacs
	wbErrors   []string          // what failed here
}

// judge lets one Emacs run many documents, each in a directory of its own, and
// runs them here too.
func judge(t testing.TB, documents map[string]string, lanes *compile.Registry) []judged {
	t.Helper()
	e := emacs.Need(t)
	root := t.TempDir()
	var list strings.Builder
	names := sortedKeys(documents)
	for _, name := range names {
		fmt.Fprintln(&list, writeDocument(t, filepath.Join(root, "emacs", name), documents[name]))
	}
	listFile := filepath.Join(root, "list")
	if err := os.WriteFile(listFile, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/execute.el", listFile)
	var all []judged
	for _, name := range names {
		j := judged{name: name, source: documents[name], emacs: filesIn(t, filepath.Join(root, "emacs", name))}
		j.emacsError = j.emacs["doc.error"]
		delete(j.emacs, "doc.error")
		dir := filepath.Join(root, "wb", name)
		report, err := Run(context.Background(), Options{
			Book:   Book{File: writeDocument(t, dir, documents[name]), Lanes: lanes},
			Checks: Checks{Lint: func(*plan.Plan) []diag.Finding { return nil }},
		})
		if err != nil {
			j.wbErrors = append(j.wbErrors, err.Error())
		}
		for _, d := range report.Components {
			if d.Err != nil {
				j.wbErrors = append(j.wbErrors, d.ID+": "+d.Err.Error())
			}
		}
		j.wb = filesIn(t, dir)
		all = append(all, j)
	}
	return all
}

func writeDocument(t testing.TB, dir, text string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "doc.org")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// filesIn reads the files below a directory by slash path; a mode other than
// the usual one stands behind the name.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if info, err := d.Info(); err == nil && info.Mode().Perm() != 0o644 {
			name = fmt.Sprintf("%s (%o)", name, info.Mode().Perm())
		}
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// difference describes how the files that wb left differ from Emacs's.
func (j judged) difference() string {
	var out strings.Builder
	for _, name := range sortedKeys(j.emacs) {
		got, ok := j.wb[name]
		switch {
		case !ok:
			fmt.Fprintf(&out, "%s is missing: %q\n", name, j.emacs[name])
		case got != j.emacs[name]:
			fmt.Fprintf(&out, "%s\n%s", name, lineDiff(got, j.emacs[name]))
		}
	}
	for _, name := range sortedKeys(j.wb) {
		if _, ok := j.emacs[name]; !ok {
			fmt.Fprintf(&out, "%s should not be there: %q\n", name, j.wb[name])
		}
	}
	return out.String()
}

// sayLane evaluates blocks as one Lisp expression, as testdata/execute.el does.
func sayLane() *fakeLane {
	return &fakeLane{info: compile.Info{Name: "say", Shapes: allShapes},
		run: func(_ context.Context, src *compile.Source, _ *compile.Job) (*compile.Outcome, error) {
			env := &elisp.Env{Vars: map[elisp.Symbol]elisp.Value{}}
			for _, v := range src.Vars {
				env.Vars[elisp.Symbol(v.Name)] = elisp.FromValue(v.Value)
			}
			v, err := elisp.Eval("(progn "+src.Body+"\n)", env)
			switch {
			case err != nil:
				return &compile.Outcome{Exit: 1, Stderr: []byte(err.Error())}, nil
			case src.Results.Has("discard"):
				return &compile.Outcome{}, nil
			case src.Results.AsText():
				if s, isString := v.(elisp.String); isString {
					return &compile.Outcome{Value: value.OfString(string(s))}, nil
				}
				return &compile.Outcome{Value: value.OfString(elisp.Print(v))}, nil
			}
			return &compile.Outcome{Value: sayValue(v)}, nil
		}}
}

// sayValue keeps nil, which is an empty row in Lisp, apart from "nil" in a cell.
func sayValue(v elisp.Value) value.Value {
	converted := lispValue(v)
	if converted.Kind() != value.List {
		return converted
	}
	given, proper := elisp.Items(v)
	if !proper { // a vector
		return converted
	}
	items := make([]value.Value, len(given))
	for i, item := range converted.Items() {
		if _, isRow := elisp.Items(given[i]); !isRow && given[i] != elisp.HLine {
			return converted
		}
		if items[i] = item; elisp.IsNil(given[i]) {
			items[i] = value.Nil()
		}
	}
	return value.OfList(items...)
}

// compareWithEmacs reports the documents on which wb and Emacs disagree and
// fails when fewer than the given share agree.
func compareWithEmacs(t *testing.T, documents map[string]string, lanes *compile.Registry, share float64) {
	agreed, failed := 0, 0
	for _, j := range judge(t, documents, lanes) {
		diff := j.difference()
		if (j.emacsError == "") != (len(j.wbErrors) == 0) {
			diff += "something fails only here, or only there\n"
		}
		if j.emacsError != "" {
			failed++
		}
		if diff == "" {
			agreed++
			continue
		}
		t.Logf("%s:\n%s\nwb: %s\nEmacs: %s\n%s\nafter Emacs:\n%s", j.name, diff, strings.Join(j.wbErrors, "\n"), j.emacsError, numbered(j.source), numbered(j.emacs["doc.org"]))
	}
	t.Logf("%d of %d documents agree with Emacs; in %d something fails", agreed, len(documents), failed)
	// Of a few documents one may show what docs/emacs.org lists.
	if float64(agreed) < share*float64(len(documents)) && agreed < len(documents)-1 {
		t.Errorf("%d of %d documents agree, want %.0f %%", agreed, len(documents), 100*share)
	}
	if failed > len(documents)/3 {
		t.Errorf("%d of %d documents fail in Emacs: the generator should be tamer", failed, len(documents))
	}
}

func numbered(text string) string {
	var b bytes.Buffer
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d| %s\n", i+1, l)
	}
	return b.String()
}

// TestResultsAgainstEmacs compares what generated documents look like after a
// run here and in Emacs; WB_SEED moves on to others.
func TestResultsAgainstEmacs(t *testing.T) {
	lanes, err := compile.NewRegistry(sayLane())
	if err != nil {
		t.Fatal(err)
	}
	compareWithEmacs(t, generated(generatedDocuments, "say"), lanes, 0.99)
}

// TestLanguagesAgainstEmacs does so with shell and JavaScript, in the sandbox
// here and natively in Emacs.
func TestLanguagesAgainstEmacs(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed: apt-get install nodejs")
	}
	compareWithEmacs(t, generated(generatedDocuments/6, "sh", "bash", "js"), realLanes(t), 0.95)
}

// TestNativeAgainstEmacs does so with what Emacs and most machines have: shell,
// Emacs Lisp and Python.
func TestNativeAgainstEmacs(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed: apt-get install python3")
	}
	compareWithEmacs(t, generated(generatedDocuments/15, "sh", "emacs-lisp", "python"), realLanes(t, "emacs", "python"), 0.95)
}

// generated are documents by the names of their seeds.
func generated(n int, langs ...string) map[string]string {
	first, _ := strconv.Atoi(os.Getenv("WB_SEED"))
	documents := map[string]string{}
	for seed := first; seed < first+n; seed++ {
		documents[fmt.Sprintf("seed%05d", seed)] = generate(int64(seed), langs...)
	}
	return documents
}

// realLanes are the languages as users get them.
func realLanes(t *testing.T, more ...string) *compile.Registry {
	t.Helper()
	env, err := compile.NewEnv(t.Context(), compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = env.Close(context.Background()) })
	all, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"shell", "quickjs", "toolbox"}, more...) {
		if _, ok := env.Tools.Installed(name); !ok {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed", name)
			}
			t.Skipf("%s is not installed: wb toolchain install %s", name, name)
		}
	}
	return all
}

// TestExportedAgainstEmacs compares what readers are shown of generated
// documents; how many blank lines stand between elements is left open.
func TestExportedAgainstEmacs(t *testing.T) {
	e := emacs.Need(t)
	root := t.TempDir()
	documents := generated(generatedDocuments/2, "say")
	var list strings.Builder
	for _, name := range sortedKeys(documents) {
		fmt.Fprintln(&list, writeDocument(t, filepath.Join(root, name), documents[name]))
	}
	if err := os.WriteFile(filepath.Join(root, "list"), []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/export.el", filepath.Join(root, "list"))
	agreed := 0
	for _, name := range sortedKeys(documents) {
		files := filesIn(t, filepath.Join(root, name))
		got, err := Exported(t.Context(), "doc.org", []byte(documents[name]))
		if err != nil {
			t.Fatal(err)
		}
		want := string(resultMacro.ReplaceAllFunc([]byte(files["doc.org"]), expandResultMacro))
		if files["doc.error"] != "" || exportLines(string(got)) == exportLines(want) {
			agreed++
			continue
		}
		t.Logf("%s:\n%s\n%s", name, lineDiff(exportLines(string(got)), exportLines(want)), numbered(documents[name]))
	}
	t.Logf("%d of %d documents agree with Emacs", agreed, len(documents))
	if agreed*100 < 95*len(documents) {
		t.Errorf("%d of %d documents agree with Emacs, want 95 %%", agreed, len(documents))
	}
}

// exportLines are lines without their indentation and blank ones; Emacs writes
// block lines anew, in small letters.
func exportLines(text string) string {
	var out strings.Builder
	for l := range strings.Lines(text) {
		l = strings.Join(strings.Fields(l), " ")
		if strings.HasPrefix(strings.ToLower(l), "#+begin_src") || strings.HasPrefix(strings.ToLower(l), "#+end_src") {
			l = strings.ToLower(l)
		}
		if l != "" {
			out.WriteString(l + "\n")
		}
	}
	return out.String()
}
