package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixturesDir is where the cases recorded from Emacs are: WB_FIXTURES, or
// beside the checkout. Tests that need them skip when they are not there.
func fixturesDir(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("WB_FIXTURES"), "../../../shared/fixtures"} {
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

// TestResultsAsEmacs runs documents that Emacs ran and compares the outcome
// byte for byte: our own, and the recorded fixtures where they are.
func TestResultsAsEmacs(t *testing.T) {
	t.Run("own", func(t *testing.T) { compareResults(t, "testdata/results") })
	t.Run("fixtures", func(t *testing.T) { compareResults(t, filepath.Join(fixturesDir(t), "results")) })
}

func compareResults(t *testing.T, dir string) {
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
				t.Errorf("differs from Emacs:\n%s", lineDiff(got, emacsDifference(name, string(want))))
			}
			again := runText(t, got, Options{})
			if name != "r08-formats" && name != "accumulate" && again != got && !strings.Contains(got, "[:results raw]") {
				t.Errorf("a second run changes:\n%s", lineDiff(again, got))
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

// lineDiff shows two texts as diff(1) would, by their longest common lines.
func lineDiff(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	common := make([][]int, len(g)+1)
	for i := range common {
		common[i] = make([]int, len(w)+1)
	}
	for i := len(g) - 1; i >= 0; i-- {
		for j := len(w) - 1; j >= 0; j-- {
			if g[i] == w[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out strings.Builder
	i, j := 0, 0
	for i < len(g) || j < len(w) {
		switch {
		case i < len(g) && j < len(w) && g[i] == w[j]:
			i, j = i+1, j+1
		case j == len(w) || i < len(g) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&out, "%d: got  %q\n", i+1, g[i])
			i++
		default:
			fmt.Fprintf(&out, "%d: want %q\n", i+1, w[j])
			j++
		}
	}
	return out.String()
}
