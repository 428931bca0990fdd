package js

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
)

// TestLikeNode runs the programs in testdata/node here and with node, and
// compares what they print line by line. What node printed is kept beside them,
// so the comparison holds where there is no node; -update renews it.
func TestLikeNode(t *testing.T) {
	programs, err := filepath.Glob(filepath.Join("testdata", "node", "*.js"))
	if err != nil || len(programs) == 0 {
		t.Fatal(err, "no programs")
	}
	node, missing := exec.LookPath("node")
	for _, path := range programs {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".js"), func(t *testing.T) {
			program, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(path, ".js") + ".out"
			if missing == nil && *update {
				want, err := exec.Command(node, path).Output()
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, want, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			src := block(compile.ShapeBabel, string(program))
			src.Results = []string{"output"}
			compareLines(t, string(mustExecute(t, src, nil).Stdout), string(want))
		})
	}
}

// compareLines reports the first lines that differ.
func compareLines(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	line := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "(nothing)"
	}
	shown := 0
	for i := range max(len(a), len(b)) {
		if line(a, i) != line(b, i) {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, line(a, i), line(b, i))
			if shown++; shown == 3 {
				return
			}
		}
	}
}
