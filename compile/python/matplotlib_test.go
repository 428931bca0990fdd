package python

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// draw runs a block and answers with a file that it wrote.
func draw(t *testing.T, src *compile.Source, name string) ([]byte, string) {
	t.Helper()
	files := sandbox.NewMemFS()
	out := mustExecute(t, src, &compile.Job{Files: files})
	data, err := files.ReadFile(name)
	if err != nil {
		t.Fatalf("%v: %s", err, out.Stderr)
	}
	return data, string(out.Stderr)
}

// plot draws lines, filled contours, bars, a legend and a formula.
const plot = "import matplotlib.pyplot as plt\nimport numpy as np\nx = np.linspace(0, 9)\nplt.plot(x, np.sin(x), label='$\\\\sin x$')\n" +
	"plt.contourf(np.outer(x, x))\nplt.hist([1, 2, 2, 3])\nplt.legend()\nplt.savefig('NAME')"

// TestMatplotlib draws into both kinds of files.
func TestMatplotlib(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	for _, name := range []string{"a.png", "a.svg"} {
		data, said := draw(t, block(compile.ShapeBabel, strings.ReplaceAll(plot, "NAME", name), "output"), name)
		if said != "" {
			t.Errorf("%s: the block said %q", name, said)
		}
		if picture, err := png.Decode(bytes.NewReader(data)); strings.HasSuffix(name, ".png") && (err != nil || picture.Bounds().Dx() != 640) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.HasSuffix(name, ".svg") && (!bytes.Contains(data, []byte("</svg>")) || !bytes.Contains(data, []byte("legend_1"))) {
			t.Errorf("%s: %.300s", name, data)
		}
	}
}

// TestMatplotlibEverywhere draws the same bytes again, and for another user in another
// place, with a Python started there.
func TestMatplotlibEverywhere(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	first := map[string][]byte{}
	for _, name := range []string{"a.png", "a.svg"} {
		src := block(compile.ShapeBabel, strings.ReplaceAll(plot, "NAME", name), "output")
		first[name], _ = draw(t, src, name)
		if again, _ := draw(t, src, name); !bytes.Equal(first[name], again) {
			t.Errorf("%s: differs from run to run", name)
		}
	}
	lanetest.Elsewhere(t)
	env := lanetest.Env(t)
	there := New(env, clang.New(env))
	for name, want := range first {
		files := sandbox.NewMemFS()
		src := block(compile.ShapeBabel, strings.ReplaceAll(plot, "NAME", name), "output")
		lanetest.MustExecute(t, there, src, &compile.Job{Files: files})
		if data, err := files.ReadFile(name); err != nil || !bytes.Equal(data, want) {
			t.Errorf("%s: differs elsewhere (%d bytes, not %d): %v", name, len(data), len(want), err)
		}
	}
}

// TestGraphics writes the figure to :file as ob-python does.
func TestGraphics(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	for results, body := range map[string]string{
		"output": "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])",
		"value":  "import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\naxes.plot([1, 4, 9])\nreturn figure",
	} {
		src := block(compile.ShapeBabel, body, results, "file", "graphics")
		src.Args["file"] = []string{"x.png"}
		data, _ := draw(t, src, "x.png")
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if b := picture.Bounds(); b.Dx() != 640 || b.Dy() != 480 {
			t.Errorf("%s: a picture of %v", results, b)
		}
	}
}

// A directory for the file is made, and a value that is no figure is refused.
func TestGraphicsElsewhere(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	src := block(compile.ShapeBabel, "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])", "output", "file", "graphics")
	src.Args["file"], src.Args["output-dir"] = []string{"x.png"}, []string{"out/new"}
	if data, _ := draw(t, src, "out/new/x.png"); !bytes.HasPrefix(data, []byte("\x89PNG")) {
		t.Errorf("%.20q", data)
	}
	src.Results = []string{"value", "file", "graphics"}
	out, err := execute(t, src, &compile.Job{Files: sandbox.NewMemFS()})
	if said := lanetest.Said(out, err); !strings.Contains(said, "is no figure") || !strings.Contains(said, "plt.gcf()") {
		t.Errorf("says %q", said)
	}
}

// A program that asks for a screen hears what to do, and exceptions of C++ arrive as
// Python's.
func TestMatplotlibWithinLimits(t *testing.T) {
	lanetest.Need(t, testLane(t).env, matplotlibName)
	for body, want := range map[string]string{
		"import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()":                                           "plt.savefig('x.png')",
		"import matplotlib.pyplot as plt\nplt.subplots(constrained_layout=True)":                               "use tight_layout",
		"from matplotlib.ft2font import FT2Font\nopen('x', 'w').write('no font')\nFT2Font('x')":                "RuntimeError",
		"from matplotlib.backends.backend_agg import RendererAgg\nRendererAgg(1 << 17, 1, 72)":                 "ValueError: Image size",
		"import matplotlib.tri as tri\ntri.Triangulation([0, 1, 2], [0, 1, 2])":                                "qhull",
		"from matplotlib import _path\n_path.affine_transform([[1, 2, 3]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])": "RuntimeError: In affine_transform",
	} {
		out, err := execute(t, block(compile.ShapeBabel, body, "output"), &compile.Job{Files: sandbox.NewMemFS()})
		if err != nil {
			t.Fatalf("%s\n%v", body, err)
		}
		if !strings.Contains(string(out.Stderr), want) {
			t.Errorf("%s\nsays %q, want %q", body, out.Stderr, want)
		}
	}
}
