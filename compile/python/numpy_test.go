package python

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// TestNumpy compares with what numpy prints elsewhere.
func TestNumpy(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, numpyName)
	for body, want := range map[string]string{
		"import numpy as np\na = np.arange(6).reshape(2, 3)\nprint(a @ a.T, a.mean(axis=0), np.einsum('ij->j', a))":                "[[ 5 14]\n [14 50]] [1.5 2.5 3.5] [3 5 7]\n",
		"import numpy as np\nprint(np.random.default_rng(42).normal(size=2), np.random.RandomState(0).rand(2))":                    "[ 0.30471708 -1.03998411] [0.5488135  0.71518937]\n",
		"from numpy import linalg\nprint(linalg.svd([[3, 0], [0, 4]])[1], linalg.solve([[2, 1], [1, 3]], [3, 5]))":                 "[4. 3.] [0.8 1.4]\n",
		"import numpy as np\nprint(np.fft.rfft(np.ones(4)).real, np.datetime64('2024-02-29') + 1, np.float32([1])/3)":              "[4. 0. 0.] 2024-03-01 [0.33333334]\n",
		"import re; import numpy as np\nprint(np.array([3, 1, 2]).argsort(), np.ma.masked_equal([1, 2], 2), np.linspace(0, 1, 3))": "[1 2 0] [1 --] [0.  0.5 1. ]\n",
		"import numpy as np\nnp.save('a.npy', np.arange(3))\nprint(np.load('a.npy'), np.fromfile('a.npy', np.uint8, 6).tobytes())": "[0 1 2] b'\\x93NUMPY'\n",
		"import sympy, numpy\nprint(sympy.lambdify([], sympy.pi**2, 'numpy')(), numpy.__version__)":                                "9.869604401089358 1.24.2\n",
	} {
		if strings.Contains(body, "sympy") {
			if _, ok := l.env.Tools.Installed("sympy"); !ok {
				continue
			}
		}
		if out := mustExecute(t, block(compile.ShapeBabel, body, "output"), &compile.Job{}); string(out.Stdout) != want {
			t.Errorf("%s\nprinted %q, want %q", body, out.Stdout, want)
		}
	}
}

// An array is shown as ob-python shows it, and is data for another component.
func TestArraysAsValues(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, numpyName)
	for results, want := range map[string]string{
		"value":          `"array([[1, 2],\n       [3, 4]])"`,
		"value table":    "[[1,2],[3,4]]",
		"value verbatim": `"[[1 2]\n [3 4]]"`,
	} {
		src := block(compile.ShapeBabel, "import numpy\nreturn numpy.array([[1, 2], [3, 4]])", strings.Fields(results)...)
		if got := mustExecute(t, src, &compile.Job{}).Value.String(); got != want {
			t.Errorf("%s: %s, want %s", results, got, want)
		}
	}
	src := block(compile.ShapeComponent, "import numpy as np\ndef f():\n    return {'a': np.eye(2), 'n': np.int32(7), 'x': np.float64(0.5), 't': np.bool_(True)}")
	if got, want := mustExecute(t, src, &compile.Job{}).Value.String(), `{"a":[[1.0,0.0],[0.0,1.0]],"n":7,"x":0.5,"t":true}`; got != want {
		t.Errorf("a component gives %s, want %s", got, want)
	}
}

// What numpy draws without a seed is the same on every run.
func TestNumpyIsDeterministic(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, numpyName)
	src := block(compile.ShapeBabel, "import numpy as np\nprint(np.random.default_rng().random(3), np.random.rand(3))", "output")
	first := string(mustExecute(t, src, &compile.Job{}).Stdout)
	if again := string(mustExecute(t, src, &compile.Job{}).Stdout); again != first {
		t.Errorf("%q, then %q", first, again)
	}
	lucky := &compile.Job{Caps: sandbox.Caps{Random: true}}
	one, other := string(mustExecute(t, src, lucky).Stdout), string(mustExecute(t, src, lucky).Stdout)
	a, b, _ := strings.Cut(one, "]")
	c, d, _ := strings.Cut(other, "]")
	if a == c || b == d {
		t.Errorf("with :uses random %q, then %q", one, other)
	}
}

// A session keeps its arrays, and a block that fails or takes too much ends as
// any Python block does.
func TestNumpyWithinLimits(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, numpyName)
	for _, body := range []string{"n = 3", "import numpy as np\na = np.full(n, 2)", "print(a.sum())"} {
		src := block(compile.ShapeBabel, body, "output")
		src.Args["session"] = []string{"arrays"}
		if out := mustExecute(t, src, &compile.Job{Session: "arrays"}); strings.HasPrefix(body, "print") && string(out.Stdout) != "6\n" {
			t.Errorf("%s\nprinted %q", body, out.Stdout)
		}
	}
	if err := l.CloseSession(t.Context(), "arrays"); err != nil {
		t.Error(err)
	}
	out, err := execute(t, block(compile.ShapeBabel, "import numpy as np\n\nnp.zeros(3)[7]", "output"), &compile.Job{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out.Stderr), "a.org:12:1: IndexError: index 7 is out of bounds") {
		t.Errorf("an error says %q", out.Stderr)
	}
	for body, limits := range map[string]sandbox.Limits{
		"import numpy as np\na = np.ones((200, 200))\nwhile True: a = a @ a * 0":          {Fuel: 1e8},
		"import numpy as np\nprint(len([np.ones(1 << 20) for _ in range(100)]))":          {Memory: 128 << 20},
		"import numpy as np\nnp.sort(np.random.default_rng(1).random(1 << 21)); print(1)": {Fuel: 2e6},
	} {
		_, err := execute(t, block(compile.ShapeBabel, body, "output"), &compile.Job{Limits: limits})
		var limit *sandbox.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("%s\nended with %v", body, err)
		}
	}
}

// Without numpy's toolchain the import fails where it stands, and says what to do.
func TestNumpyMissing(t *testing.T) {
	l := testLane(t)
	store, err := toolchain.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	origin := toolchain.Source{Archive: toolchain.Debian{}}
	store.Register(toolchain.Recipe{Name: numpyName, Version: "1", Origin: origin, Apart: "it takes long"}, toolchain.Recipe{Name: "sympy", Version: "1", Origin: origin})
	bare := &lane{env: &compile.Env{Tools: store}}
	if got := bare.present([]string{numpyName, "sympy"}); len(got) != 1 || got[0] != "sympy" {
		t.Errorf("present are %q", got)
	}
	for module, hint := range map[string]string{
		"numpy":         "wb toolchain install numpy",
		"pandas":        "use numpy",
		"scipy.linalg":  "use numpy",
		"matplotlib":    "plot block",
		"seaborn":       "plot block",
		"sklearn.utils": "use numpy",
	} {
		if _, ok := l.env.Tools.Installed(module); ok {
			continue
		}
		out, err := execute(t, block(compile.ShapeBabel, "import "+module, "output"), &compile.Job{})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(out.Stderr); !strings.Contains(text, "a.org:10:1: ModuleNotFoundError") || !strings.Contains(text, hint) {
			t.Errorf("import %s says %q", module, text)
		}
	}
}
