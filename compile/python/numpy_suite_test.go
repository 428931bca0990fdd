//go:build long

package python

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// numpyTests are Debian's packages of numpy, which has its tests, and of pytest
// with what it imports.
var numpyTests = []struct {
	archive toolchain.Debian
	takes   []string
}{
	{toolchain.Debian{Package: "python3-numpy", Version: numpyVersion, File: "python3-numpy_1%3a1.24.2-1+deb12u1_" + toolchain.DebianArch() + ".deb"},
		[]string{"numpy/tests/", "numpy/*/tests/", "numpy/conftest.py"}},
	{toolchain.Debian{Package: "python3-pytest", Version: "7.2.1", File: "python3-pytest_7.2.1-2_all.deb",
		SHA256: "bc5df67eb9ea18beddd95eaaa1ffc7bfffc1716d3071e6f405bd22f6a0411416"}, []string{"pytest/", "_pytest/", "py.py"}},
	{toolchain.Debian{Package: "python3-pluggy", Version: "1.0.0", File: "python3-pluggy_1.0.0+repack-1_all.deb",
		SHA256: "7bda88243752fef7fd14f256ae91bf39bdcda68f83dc726db1d6d9b8b3957899"}, []string{"pluggy/"}},
	{toolchain.Debian{Package: "python3-iniconfig", Version: "1.1.1", File: "python3-iniconfig_1.1.1-2_all.deb",
		SHA256: "c9226a32a78fa93f9e993a4ed77fcb3ceb23c21b9d75d7ea4dc77cb016ed0d83"}, []string{"iniconfig/"}},
	{toolchain.Debian{Package: "python3-packaging", Version: "23.0", File: "python3-packaging_23.0-1_all.deb",
		SHA256: "04adb9e09aa8ed5bd8e31d31143fb265c43dcbec70da19f21e37cbe44b0c32cf"}, []string{"packaging/"}},
	{toolchain.Debian{Package: "python3-attr", Version: "22.2.0", File: "python3-attr_22.2.0-1_all.deb",
		SHA256: "6a12ea96a8a909445a982975279f96d7b9a1ff96c912efff39abc8d92372694a"}, []string{"attr/", "attrs/"}},
	{toolchain.Debian{Package: "python3-hypothesis", Version: "6.67.1", File: "python3-hypothesis_6.67.1-1_all.deb",
		SHA256: "c9993e083b6f67741dcc41913641c0594fefe721a291a201d6c2dc24ed9e4cdb"}, []string{"hypothesis/"}},
	{toolchain.Debian{Package: "python3-sortedcontainers", Version: "2.4.0", File: "python3-sortedcontainers_2.4.0-2_all.deb",
		SHA256: "b00fd22e4fd50d8ba44442607fc3c737186082b16648d3995b2e4fca642f53e1"}, []string{"sortedcontainers/"}},
}

// numpySuiteFiles fetches the packages and takes from them what the tests need.
func numpySuiteFiles(t *testing.T) map[string][]byte {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, all := filepath.Join(cache, "wb", "test", "numpy"), map[string][]byte{}
	for _, p := range numpyTests {
		p.archive.Suite, p.archive.Binary = "bookworm", true
		name, err := p.archive.Download(t.Context(), dir)
		if err != nil {
			t.Skipf("numpy's tests and pytest are in packages of Debian's: %v", err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		files, err := toolchain.Unpack(f, []string{debianDir})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range debianModules(files) {
			if slices.ContainsFunc(p.takes, func(pattern string) bool { return below(pattern, name) }) {
				all[name] = data
			}
		}
	}
	return all
}

// below reports whether a pattern names a file, or with a slash at its end a
// directory above it.
func below(pattern, name string) bool {
	dir, isDir := strings.CutSuffix(pattern, "/")
	if !isDir {
		return pattern == name
	}
	n := strings.Count(dir, "/") + 1
	parts := strings.SplitN(name, "/", n+1)
	ok, _ := path.Match(dir, strings.Join(parts[:min(n, len(parts))], "/"))
	return ok && len(parts) > n
}

// elsewhere are numpy's test files about what the sandbox does not have.
var elsewhere = regexp.MustCompile(`/(test_limited_api|test_cython|test_extending|test_mem_policy|test_memmap|test_umath_accuracy|test_cpu_features|` +
	`test_simd|test_simd_module|test_ctypeslib|test_scripts|test_public_api|test_direct|test_isfile|test_typing|test_warnings|test_reloading)\.py$|/(distutils|f2py|typing|_pyinstaller)/`)

// runPytest runs one of numpy's test files. Modules that many files import and
// few tests use are there, but empty.
const runPytest = `
import os, sys, types, json
import numpy
for name in ("ctypes", "mmap", "socket", "ssl", "resource"):
    module = types.ModuleType(name)
    module.__getattr__ = lambda attribute: type(attribute, (), {"__mul__": lambda s, n: s})
    sys.modules[name] = module
os.getuid = lambda: 0
os.umask = lambda mask: 0
os.makedirs("/tmp", exist_ok=True)
os.makedirs("/dev", exist_ok=True)
open("/dev/null", "w").close()
sys.stdout.flush()
import pytest

class Counter:
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            if report.outcome == "skipped" and hasattr(report, "wasxfail"):
                return
            self.counts[report.outcome] += 1
            if report.failed:
                self.failures.append(report.nodeid.split("::", 1)[-1] + ": " + str(report.longreprtext).strip().splitlines()[-1][:160])

    def pytest_collectreport(self, report):
        if report.failed:
            self.counts["failed"] += 1
            self.failures.append("collecting: " + str(report.longreprtext).strip().splitlines()[-1][:160])

counter = Counter()
stdout, sys.stdout = sys.stdout, open("/dev/null", "w")
pytest.main(["-p", "no:logging", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:terminal", "--capture=no",
             "-c", "/dev/null", "--rootdir=/usr/lib/block/numpy", "-W", "ignore", "-m", "not slow", "/usr/lib/block/FILE"], plugins=[counter])
sys.stdout = stdout
print(json.dumps({**counter.counts, "failures": counter.failures}))
`

// numpySample is what is run when NUMPY_TESTS does not say what: all of them take
// more than half an hour (just numpy-suite).
var numpySample = regexp.MustCompile(`^numpy/(fft/tests/|core/tests/test_(indexing|einsum|records)\.py|linalg/tests/test_linalg|random/tests/test_(random|seed_sequence))`)

// TestNumpySuite runs numpy's own tests but those that want threads, processes,
// compilers or memory-mapped files, and prints how many pass. NUMPY_TESTS is part of
// the names of files to run, or "all".
func TestNumpySuite(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, numpyName)
	files := numpySuiteFiles(t)
	var all result
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasPrefix(path.Base(name), "test_") || !strings.HasPrefix(name, "numpy/") || elsewhere.MatchString(name) {
			continue
		}
		switch only := os.Getenv("NUMPY_TESTS"); {
		case only == "all":
		case only == "" && !numpySample.MatchString(name), only != "" && !strings.Contains(name, only):
			continue
		}
		src := block(compile.ShapeBabel, strings.ReplaceAll(runPytest, "FILE", name), "output")
		src.Files = files
		out, err := execute(t, src, &compile.Job{Limits: sandbox.Limits{Fuel: -1, Memory: 1 << 30, Timeout: 20 * time.Minute}})
		var r result
		if out != nil {
			_ = json.Unmarshal(out.Stdout, &r) // judged below
		}
		if err != nil || r.Passed+r.Failed+r.Skipped == 0 {
			r.Failed++
			text := fmt.Sprint(err)
			if out != nil {
				text += " " + string(out.Stderr)
			}
			r.Failures = append(r.Failures, "the whole file: "+text[max(0, len(text)-400):])
		}
		t.Logf("%s: %d passed, %d failed, %d skipped by numpy", name, r.Passed, r.Failed, r.Skipped)
		for _, f := range r.Failures {
			t.Logf("    %s", f)
		}
		all.Passed, all.Failed, all.Skipped = all.Passed+r.Passed, all.Failed+r.Failed, all.Skipped+r.Skipped
	}
	rate := 100 * float64(all.Passed) / float64(max(all.Passed+all.Failed, 1))
	t.Logf("numpy's own tests: %d of %d pass (%.1f %%), numpy skips %d", all.Passed, all.Passed+all.Failed, rate, all.Skipped)
	if rate < 90 {
		t.Errorf("%.1f %% of numpy's own tests pass, want 90 %%", rate)
	}
}

// result is what runPytest prints.
type result struct {
	Passed, Failed, Skipped int
	Failures                []string
}
