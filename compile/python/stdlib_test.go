//go:build long

package python

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// suites are CPython's own tests that run inside the lane, and what of them
// fails in the sandbox, with the reason.
var suites = []struct {
	name  string
	least int               // tests that must run
	fails map[string]string // test method to why it fails here
}{
	{name: "test_json", least: 150},
	{name: "test_re", least: 130},
	{name: "test_dataclasses", least: 180},
	{name: "test_csv", least: 100},
	{name: "test_statistics", least: 300},
	{name: "test_decimal", least: 400},
	{name: "test_datetime", least: 700},
	{name: "test_collections", least: 80},
	{name: "test_itertools", least: 100},
	{name: "test_math", least: 50},
	{name: "test_zlib", least: 40},
	{name: "test_functools", least: 150},
	{name: "test_enum", least: 150},
	{name: "test_struct", least: 20},
}

// testFiles unpacks Lib/test of CPython's source archive, which the environment's
// CPYTHON_SOURCE may name, or else apt-get fetches.
func testFiles(t *testing.T) string {
	t.Helper()
	archive := os.Getenv("CPYTHON_SOURCE")
	dir := t.TempDir()
	if archive == "" {
		var err error
		if archive, err = sources.Download(t.Context(), dir); err != nil {
			t.Skipf("CPython's tests are in its source archive, which CPYTHON_SOURCE may name: %v", err)
		}
	}
	if out, err := exec.Command("tar", "-xzf", archive, "-C", dir, "--wildcards", "*/Lib/test").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", "Lib", "test"))
	if len(found) != 1 {
		t.Fatalf("%s has no Lib/test", archive)
	}
	return found[0]
}

// runSuite runs one of CPython's test modules: by its own test_main where it has
// one, which knows what to prepare.
const runSuite = `
import sys, types, unittest, warnings
warnings.simplefilter("ignore")
sys.modules["__main__"] = types.ModuleType("__main__")
import importlib, test.support
test.support.verbose = False
module = importlib.import_module("test.SUITE")
load = unittest.defaultTestLoader
results = []

def run(suite):
    results.append(unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(suite))

def run_unittest(*classes):
    run(unittest.TestSuite(load.loadTestsFromTestCase(c) if isinstance(c, type) else load.loadTestsFromModule(c) if isinstance(c, types.ModuleType) else c
        for c in classes if not isinstance(c, str)))

if hasattr(module, "test_main") and not hasattr(module, "load_tests"):
    module.run_unittest = run_unittest
    module.test_main()
else:
    run(load.loadTestsFromModule(module))
for result in results:
    for case, text in result.failures + result.errors:
        print("BAD", case.id(), text.strip().splitlines()[-1])
    print("SKIPPED", len(result.skipped))
`

var (
	ranTests     = regexp.MustCompile(`(?m)^Ran (\d+) tests?`)
	skippedTests = regexp.MustCompile(`(?m)^SKIPPED (\d+)`)
)

// TestOwnSuites runs CPython's tests in the sandbox and tells how many passed.
func TestOwnSuites(t *testing.T) {
	testLane(t)
	root := testFiles(t)
	files := sandbox.NewMemFS()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(root), path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) > 4<<20 {
			return err
		}
		return files.WriteFile(filepath.ToSlash(name), data)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range suites {
		t.Run(suite.name, func(t *testing.T) {
			src := block(compile.ShapeCommand, strings.ReplaceAll(runSuite, "SUITE", suite.name))
			out, err := execute(t, src, &compile.Job{Files: files.Clone(),
				Limits: sandbox.Limits{Fuel: -1, Memory: 1 << 30, Timeout: 20 * time.Minute, Files: 256 << 20, Output: 64 << 20}})
			if err != nil || out.Exit != 0 {
				t.Fatalf("%v %s", err, lanetest.Said(out, nil))
			}
			text := string(out.Stdout)
			ran := 0
			if m := ranTests.FindStringSubmatch(text); m != nil {
				ran, _ = strconv.Atoi(m[1])
			}
			bad := 0
			for line := range strings.Lines(text) {
				if rest, ok := strings.CutPrefix(line, "BAD "); ok {
					name, why, _ := strings.Cut(rest, " ")
					if _, known := suite.fails[name[strings.LastIndex(name, ".")+1:]]; !known {
						t.Errorf("%s: %s", name, strings.TrimSpace(why))
					}
					bad++
				}
			}
			if ran < suite.least {
				t.Errorf("%d tests ran, want at least %d:\n%s", ran, suite.least, text[max(0, len(text)-2000):])
			}
			skipped := 0
			if m := skippedTests.FindStringSubmatch(text); m != nil {
				skipped, _ = strconv.Atoi(m[1])
			}
			t.Logf("%d ran: %d passed, %d skipped, %d failed, %.0fs", ran, ran-bad-skipped, skipped, bad, out.Usage.Wall.Seconds())
		})
	}
}
