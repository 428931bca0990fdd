package run

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wb/compile"
	"wb/internal/diag"
	"wb/workbook/plan"
)

var updateDifferences = flag.Bool("update-differences", false, "rewrite testdata/differences; needs Emacs")

// difference is a document that wb treats otherwise than Emacs on purpose. Its
// file says why and shows both outcomes: wb.org, and emacs.org as the real one
// leaves it.
type difference struct {
	file    string
	archive *txtar.Archive
	in      string
}

func differences(t *testing.T) map[string]difference {
	t.Helper()
	all := map[string]difference{}
	files, _ := filepath.Glob("testdata/differences/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		in := string(archive.Files[0].Data)
		if name == "results-at-end-of-file" {
			in = strings.TrimSuffix(in, "\n")
		}
		all[name] = difference{file, archive, in}
	}
	return all
}

// TestDifferences holds wb to what those files say, and docs/emacs.org to
// listing them all.
func TestDifferences(t *testing.T) {
	guide, err := os.ReadFile("../../docs/emacs.org")
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range differences(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(guide), "~"+name+"~") {
				t.Errorf("docs/emacs.org does not list %s", name)
			}
			if len(d.archive.Files) != 3 {
				t.Fatal("in.org, wb.org and emacs.org are wanted")
			}
			got, want := endLine(runSay(t, d.in)), string(d.archive.Files[1].Data)
			if got != want {
				t.Errorf("wb:\n%s", lineDiff(got, want))
			}
			if want == string(d.archive.Files[2].Data) {
				t.Error("there is no difference any more")
			}
		})
	}
}

// TestDifferencesInEmacs makes sure that Emacs really does what they say.
func TestDifferencesInEmacs(t *testing.T) {
	t.Setenv("WB_PLAIN", "1")
	all := differences(t)
	documents := map[string]string{}
	for name, d := range all {
		documents[name] = d.in
	}
	for _, j := range judge(t, documents, sayOnly(t)) {
		d := all[j.name]
		got := endLine(j.emacs["doc.org"])
		if *updateDifferences {
			d.archive.Files = append(d.archive.Files[:1], txtar.File{Name: "wb.org", Data: []byte(endLine(runSay(t, d.in)))},
				txtar.File{Name: "emacs.org", Data: []byte(got)})
			if err := os.WriteFile(d.file, txtar.Format(d.archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want := string(d.archive.Files[2].Data); got != want {
			t.Errorf("%s:\n%s", j.name, lineDiff(got, want))
		}
	}
}

func sayOnly(t *testing.T) *compile.Registry {
	t.Helper()
	registry, err := compile.NewRegistry(sayLane())
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

func runSay(t *testing.T, src string) string {
	t.Helper()
	return runText(t, src, Options{
		Book:   Book{Lanes: sayOnly(t)},
		Checks: Checks{Lint: func(*plan.Plan) []diag.Finding { return nil }},
	})
}

func endLine(s string) string { return strings.TrimSuffix(s, "\n") + "\n" }
