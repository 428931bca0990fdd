package tangle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wb/org"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata/cases")

// TestCases tangles the documents in testdata/cases. Each archive holds doc.org
// and what it comes to: files below out/, with their modes where they have one,
// or the error, or warnings.
func TestCases(t *testing.T) {
	for _, name := range caseNames(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
			got.Files = append(got.Files, outcome(t, string(archive.Files[0].Data))...)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if string(txtar.Format(got)) != string(txtar.Format(archive)) {
				t.Errorf("got:\n%s", txtar.Format(got))
			}
		})
	}
}

func caseNames(t *testing.T) []string {
	names, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	return names
}

// outcome is what a document comes to, as files of an archive.
func outcome(t *testing.T, text string) []txtar.File {
	dir := t.TempDir()
	file := filepath.Join(dir, "doc.org")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := Plan(context.Background(), org.ParseString(text),
		Options{File: filepath.ToSlash(file), Name: "doc.org", Run: runForTest})
	if err != nil {
		msg := err.Error() + "\n"
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) && hinted.Hint() != "" {
			msg += "hint: " + hinted.Hint() + "\n"
		}
		return []txtar.File{{Name: "error", Data: []byte(msg)}}
	}
	var files []txtar.File
	var warnings strings.Builder
	for _, w := range out.Warnings {
		fmt.Fprintf(&warnings, "%d:%d: %s\n", w.Line, w.Col, w.Msg)
	}
	if warnings.Len() > 0 {
		files = append(files, txtar.File{Name: "warnings", Data: []byte(warnings.String())})
	}
	for _, f := range out.Files {
		rel, err := filepath.Rel(dir, filepath.FromSlash(f.Path))
		if err != nil {
			t.Fatal(err)
		}
		name := "out/" + filepath.ToSlash(rel)
		if f.Mode != 0 {
			name += fmt.Sprintf(" (%o)", f.Mode.Perm())
		}
		files = append(files, txtar.File{Name: name, Data: f.Content})
	}
	return files
}

// TestCasesConfirm lets Emacs judge the cases.
func TestCasesConfirm(t *testing.T) {
	documents := map[string]string{}
	for _, name := range caseNames(t) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents[strings.TrimSuffix(filepath.Base(name), ".txtar")] = string(archive.Files[0].Data)
	}
	for _, j := range judge(t, documents) {
		got, err := tangleHere(t, j.text)
		wantError := strings.HasPrefix(j.name, "error-")
		switch {
		case j.name == "astray": // Emacs gives up; we warn and go on
			if j.emacsError == "" || err != nil {
				t.Errorf("%s: Emacs says %q, we say %v", j.name, j.emacsError, err)
			}
		case j.name == "error-lisp": // Emacs runs it
			if err == nil {
				t.Errorf("%s: no error", j.name)
			}
		case wantError != (err != nil) || wantError != (j.emacsError != ""):
			t.Errorf("%s: Emacs says %q, we say %v", j.name, j.emacsError, err)
		case !wantError:
			if diff := treeDifference(got, j.emacs); diff != "" {
				t.Errorf("%s:\n%s", j.name, diff)
			}
		}
	}
}
