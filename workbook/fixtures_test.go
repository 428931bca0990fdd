package workbook

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fixturesDir is where the cases recorded from Emacs are: WB_FIXTURES, or
// beside the checkout. Tests that need them skip when they are not there.
func fixturesDir(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("WB_FIXTURES"), "../../shared/fixtures"} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "results")); err == nil {
			return dir
		}
	}
	t.Skip("set WB_FIXTURES to the directory of cases recorded from Emacs")
	return ""
}

var resultsHash = regexp.MustCompile(`#\+RESULTS\[[0-9a-f]{40}\]`)

// TestResultsAsEmacs runs documents that Emacs ran and compares the outcome
// byte for byte.
func TestResultsAsEmacs(t *testing.T) {
	dir := filepath.Join(fixturesDir(t), "results")
	files, _ := filepath.Glob(filepath.Join(dir, "*.in.org"))
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, in := range files {
		name := strings.TrimSuffix(filepath.Base(in), ".in.org")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, name+".out.org"))
			if err != nil {
				t.Fatal(err)
			}
			got := runText(t, string(src), Options{})
			if got != emacsDifference(name, string(want)) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again := runText(t, got, Options{})
			if name != "r08-formats" && again != got && !strings.Contains(got, "[:results raw]") {
				t.Errorf("a second run changes\n%s\nto\n%s", got, again)
			}
		})
	}
}

// emacsDifference is what wb writes differently on purpose: control characters
// are removed from what a program printed.
func emacsDifference(_, want string) string { return strings.ReplaceAll(want, "\a", "") }

// runText runs a document in a directory of its own and returns its new text.
func runText(t testing.TB, src string, opts Options) string {
	t.Helper()
	opts.File = filepath.Join(t.TempDir(), "doc.org")
	if err := os.WriteFile(opts.File, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	if opts.Lanes == nil {
		opts.Lanes = testLanes(t)
	}
	report, err := Run(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Components {
		if d.Err != nil {
			t.Log(d.Err)
		}
	}
	out, err := os.ReadFile(opts.File)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
