//go:build long

package python

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// matplotlibSample are the test files of matplotlib that are run when
// MATPLOTLIB_TESTS does not say which.
var matplotlibSample = []string{"test_path", "test_transforms", "test_ticker", "test_colors", "test_lines", "test_patches", "test_contour",
	"test_triangulation", "test_simplification", "test_agg", "test_image", "test_legend", "test_collections", "test_cbook", "test_rcparams", "test_dates"}

// matplotlibSuiteFiles are matplotlib's tests with their pictures, and pytest.
func matplotlibSuiteFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := numpySuiteFiles(t)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, "numpy/") })
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	name, err := matplotlibSources.Archive.(toolchain.Debian).Download(t.Context(), filepath.Join(cache, "wb", "test", "matplotlib"))
	if err != nil {
		t.Skipf("matplotlib's tests are in its source package: %v", err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tests, err := toolchain.Unpack(f, []string{"lib/matplotlib/tests/", "!lib/matplotlib/tests/*/*/*.pdf"})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range tests {
		files[strings.TrimPrefix(name, "lib/")] = data
	}
	return files
}

// withMatplotlib is what its tests need beside what numpy's do.
const withMatplotlib = `import matplotlib.testing
for name in ("distutils", "distutils.version"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["distutils.version"].StrictVersion = sys.modules["distutils.version"].LooseVersion = str
`

// TestMatplotlibSuite runs matplotlib's own tests, which compare with the pictures
// that come with them, and prints how many pass.
func TestMatplotlibSuite(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	sample := matplotlibSample
	if only := os.Getenv("MATPLOTLIB_TESTS"); only != "" {
		sample = strings.Split(only, ",")
	}
	files := matplotlibSuiteFiles(t)
	text := strings.NewReplacer("import numpy\n", withMatplotlib, "block/numpy", "block/matplotlib").Replace(runPytest)
	var all result
	for _, name := range slices.Sorted(slices.Values(sample)) {
		src := block(compile.ShapeBabel, strings.ReplaceAll(text, "FILE", "matplotlib/tests/"+name+".py"), "output")
		src.Files = files
		out, err := execute(t, src, &compile.Job{Files: sandbox.NewMemFS(), Limits: sandbox.Limits{Fuel: -1, Memory: 1 << 30, Timeout: 20 * time.Minute}})
		var r result
		if out != nil {
			_ = json.Unmarshal(out.Stdout, &r) // judged below
		}
		if err != nil || r.Passed+r.Failed+r.Skipped == 0 {
			said := fmt.Sprint(err)
			if out != nil {
				said += " " + string(out.Stderr)
			}
			r.Failed, r.Failures = 1, []string{"the whole file: " + said[max(0, len(said)-400):]}
		}
		t.Logf("%s: %d passed, %d failed, %d skipped", name, r.Passed, r.Failed, r.Skipped)
		for _, f := range r.Failures {
			t.Logf("    %s", f)
		}
		all.Passed, all.Failed, all.Skipped = all.Passed+r.Passed, all.Failed+r.Failed, all.Skipped+r.Skipped
	}
	t.Logf("matplotlib's own tests: %d of %d pass, %d skipped", all.Passed, all.Passed+all.Failed, all.Skipped)
	if all.Passed < 4*all.Failed {
		t.Errorf("%d of matplotlib's own tests fail", all.Failed)
	}
}
