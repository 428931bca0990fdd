package format

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/emacs"
	"wb/internal/test/everylane"
	"wb/org"
)

// CallOf runs blocks of a file. It is set from outside the package, which may not
// import what runs blocks.
var CallOf func(file string, lanes *compile.Registry) compile.Caller

// TestRecalcLikeEmacs recalculates tables in the sandbox and in the Emacs of this
// machine: generated ones, those of testdata/recalc.org, and those of all org
// files below $WB_ORG_FILES.
func TestRecalcLikeEmacs(t *testing.T) {
	e, lanes := emacs.NeedBundled(t, "28.2"), everylane.Need(t, "emacs")
	lisp := lanes.Lisp()
	dir := t.TempDir()
	var generated strings.Builder
	for seed := range int64(60) {
		generated.WriteString(randomTable(seed) + "\n")
	}
	written, err := os.ReadFile("testdata/recalc.org")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]string{"generated.org": generated.String(), "recalc.org": string(written),
		"dos.org": strings.ReplaceAll(string(written), "\n", "\r\n")}
	if root := os.Getenv("WB_ORG_FILES"); root != "" {
		for name, text := range orgFiles(t, root) {
			documents[name] = text
		}
	}
	var list strings.Builder
	for name, text := range documents {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "\r\n", "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		list.WriteString(file + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/recalc-all.el", filepath.Join(dir, "list"))
	tables, equal := 0, 0
	for name, text := range documents {
		want, err := os.ReadFile(filepath.Join(dir, name+".want"))
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := Recalc(t.Context(), lisp, name, &compile.Document{Name: filepath.Base(name), Call: CallOf(name, lanes)}, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %d errors", name, diag.Errors(found))
		ours, theirs := texts(string(got)), texts(string(want))
		for i := range ours {
			if i < len(theirs) && strings.Contains(formulas(string(got))[i], "(random ") {
				continue
			}
			tables++
			if i < len(theirs) && ours[i] == theirs[i] {
				equal++
			} else {
				t.Errorf("%s: table %d:\n%s\nEmacs:\n%s", name, i, ours[i], theirs[min(i, len(theirs)-1)])
			}
		}
		if strings.Contains(text, "\r\n") && strings.Count(string(got), "\n") != strings.Count(string(got), "\r\n") {
			t.Errorf("%s: line ends changed", name)
		}
		if without(string(got)) != without(text) {
			t.Errorf("%s: something other than tables with formulas changed", name)
		}
	}
	t.Logf("%d of %d tables are as Emacs makes them", equal, tables)
}

// texts are the tables with formulas of a document.
func texts(src string) (all []string) {
	doc := org.ParseString(strings.ReplaceAll(src, "\r\n", "\n"))
	for _, t := range withFormulas(doc) {
		all = append(all, doc.Text(t.rows))
	}
	return all
}

// formulas are the first lines of formulas of those tables.
func formulas(src string) (all []string) {
	doc := org.ParseString(src)
	for _, t := range withFormulas(doc) {
		line, _ := doc.Position(t.formula)
		span, _ := doc.Line(line)
		all = append(all, doc.Text(span))
	}
	return all
}

// without is a document without its tables with formulas.
func without(src string) string {
	doc := org.ParseString(src)
	var edits []org.Edit
	for _, t := range withFormulas(doc) {
		edits = append(edits, org.Replace(t.rows, ""))
	}
	out, _ := org.Apply([]byte(src), edits)
	return string(out)
}

// orgFiles reads the org files below a directory that have formulas.
func orgFiles(t *testing.T, root string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".org" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && len(texts(string(text))) > 0 {
			inside, _ := filepath.Rel(root, path)
			files[strings.ReplaceAll(inside, string(filepath.Separator), "-")] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
