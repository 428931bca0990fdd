//go:build long

package clang

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
)

// TestCTestSuite runs the single-exec programs of c-testsuite, which is a tool
// to test with and never part of this repository:
//
//	git clone https://github.com/c-testsuite/c-testsuite
//	C_TESTSUITE=c-testsuite go test -tags long ./compile/clang -run TestCTestSuite
func TestCTestSuite(t *testing.T) {
	dir := os.Getenv("C_TESTSUITE")
	if dir == "" {
		t.Skip("C_TESTSUITE names no checkout of c-testsuite")
	}
	programs, err := filepath.Glob(filepath.Join(dir, "tests", "single-exec", "*.c"))
	if err != nil || len(programs) < 220 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	lane := compiler(t).C()
	for _, program := range programs {
		t.Run(filepath.Base(program), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(program + ".expected")
			if err != nil {
				t.Fatal(err)
			}
			src := block("C", compile.ShapeCommand, string(body))
			src.Files = map[string][]byte{filepath.Base(program): body}
			art, err := lane.Build(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := lane.Run(context.Background(), art, &compile.Job{Args: strings.Fields("")})
			if err != nil || out.Exit != 0 || string(out.Stdout)+string(out.Stderr) != string(want) {
				t.Errorf("exit %d, %v\ngot  %q %q\nwant %q", out.Exit, err, out.Stdout, out.Stderr, want)
			}
		})
	}
}
