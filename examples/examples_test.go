// Package examples holds workbooks to read and to run. They test themselves:
// each says with #+EXPECT: what its results must be, and this test runs every
// one of them as a user would.
package examples

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/workbook"
)

var update = flag.Bool("update", false, "draw tour.svg again")

// copyExamples copies the workbooks, since a run writes into them.
func copyExamples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestExamples(t *testing.T) {
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(ctx)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	dir := copyExamples(t)
	var files []string
	for _, pattern := range []string{"*.org", "lanes/*.org"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no examples in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".org"), func(t *testing.T) {
			needToolchains(t, env, registry, file)
			run := func() *workbook.Report {
				report, err := workbook.Run(ctx, workbook.Options{Book: workbook.BookAt(file, nil, registry)})
				if err != nil {
					t.Fatal(err)
				}
				for _, unmet := range report.CheckExpectations() {
					t.Error(unmet)
				}
				return report
			}
			if failed := run().Failed(); failed != nil {
				t.Errorf("%s: %v", failed.ID, failed.Err)
			}
			written, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			again := run()
			if n := again.Count(workbook.StatusOK); n != 0 {
				t.Errorf("%d components ran again although nothing changed", n)
			}
			if now, err := os.ReadFile(file); err != nil || string(now) != string(written) {
				t.Errorf("the second run changed the file (%v)", err)
			}
		})
	}
}

// needToolchains skips a workbook whose languages are not installed; under CI
// that is a failure.
func needToolchains(t *testing.T, env *compile.Env, registry *compile.Registry, file string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range workbook.NewPlan(file, src).Components {
		lane, ok := registry.Lookup(c.Lang)
		if !ok {
			continue
		}
		for _, name := range lane.Info().Toolchains {
			if _, ok := env.Tools.Installed(name); ok {
				continue
			}
			if os.Getenv("CI") == "true" {
				t.Fatalf("toolchain %s is missing; run: wb toolchain install %s", name, name)
			}
			t.Skipf("toolchain %s is missing; run: wb toolchain install %s", name, name)
		}
	}
}

// TestTourPicture holds the picture in the tour to its plan.
func TestTourPicture(t *testing.T) {
	src, err := os.ReadFile("tour.org")
	if err != nil {
		t.Fatal(err)
	}
	picture := workbook.NewPlan("tour.org", src).SVG()
	if *update {
		if err := os.WriteFile("tour.svg", []byte(picture), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("tour.svg")
	if err != nil {
		t.Fatal(err)
	}
	if picture != string(want) {
		t.Error("tour.svg is not the plan of tour.org: go test ./examples -update")
	}
}
