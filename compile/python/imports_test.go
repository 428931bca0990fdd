package python

import (
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
)

func TestImports(t *testing.T) {
	for text, want := range map[string]string{
		"import sympy":                            "sympy",
		"import os, sympy.abc as a , mpmath":      "os sympy mpmath",
		"x = 1\n  from sympy import *\nimport re": "sympy re",
		"from . import sympy":                     "",
		"# import sympy\nprint('import sympy')":   "",
		"import a; import b":                      "a b",
		"from sympy.abc import x  # import y":     "sympy",
	} {
		if got := imports(text); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A block gets a pack by importing it, itself or in a module that it brings, but
// not where it brings a module of that name.
func TestPacksOfABlock(t *testing.T) {
	for name, c := range map[string]struct {
		body, want string
		files      map[string][]byte
	}{
		"imports": {body: "from sympy import pi", want: "sympy"},
		"both":    {body: "import sympy\nimport mpmath", want: "mpmath sympy"},
		"none":    {body: "import json", want: ""},
		"module":  {body: "import own", files: map[string][]byte{"own.py": []byte("import mpmath\n")}, want: "mpmath"},
		"brings":  {body: "import sympy", files: map[string][]byte{"sympy/__init__.py": nil}, want: ""},
	} {
		src := block(compile.ShapeBabel, c.body, "output")
		src.Files = c.files
		p, err := newProgram(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := packsOf(src, p); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSympy compares with what SymPy's own documentation shows.
func TestSympy(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, "sympy")
	for body, want := range map[string]string{
		"from sympy import *\nx = symbols('x')\nprint(integrate(exp(x)*sin(x) + exp(x)*cos(x), x), limit(sin(x)/x, x, 0), solve(x**2 - 2, x))": "exp(x)*sin(x) 1 [-sqrt(2), sqrt(2)]\n",
		"import sympy\nprint(sympy.Matrix([[1, 2], [2, 2]]).eigenvals(), sympy.besselj(0, 1).evalf(20))":                                       "{3/2 - sqrt(17)/2: 1, 3/2 + sqrt(17)/2: 1} 0.76519768655796655145\n",
		"import mpmath\nmpmath.mp.dps = 30\nprint(mpmath.zeta(3))":                                                                             "1.20205690315959428539973816151\n",
	} {
		if out := mustExecute(t, block(compile.ShapeBabel, body, "output"), &compile.Job{}); string(out.Stdout) != want {
			t.Errorf("%s\nprinted %q, want %q", body, out.Stdout, want)
		}
	}
	// A session's later blocks use what an earlier one has imported.
	for _, body := range []string{"import sympy", "print(sympy.latex(sympy.Integral(sympy.sqrt(sympy.Symbol('x')))))"} {
		src := block(compile.ShapeBabel, body, "output")
		src.Args["session"] = []string{"packs"}
		out := mustExecute(t, src, &compile.Job{Session: "packs"})
		if strings.HasPrefix(body, "print") && string(out.Stdout) != "\\int \\sqrt{x}\\, dx\n" {
			t.Errorf("%s\nprinted %q", body, out.Stdout)
		}
	}
	if err := l.CloseSession(t.Context(), "packs"); err != nil {
		t.Error(err)
	}
}

// TestDateutil counts days that a calendar shows.
func TestDateutil(t *testing.T) {
	l := testLane(t)
	lanetest.Need(t, l.env, "dateutil")
	const body = "from datetime import date\nfrom dateutil import easter, parser, relativedelta, rrule\n" +
		"print(easter.easter(2024), date(2024, 1, 31) + relativedelta.relativedelta(months=1), parser.parse('Thu Sep 25 10:36:28 2003'),\n" +
		"      [d.day for d in rrule.rrule(rrule.MONTHLY, count=3, byweekday=rrule.FR(-1), dtstart=parser.parse('1 Nov 2024'))])"
	const want = "2024-03-31 2024-02-29 2003-09-25 10:36:28 [29, 27, 31]\n"
	if out := mustExecute(t, block(compile.ShapeBabel, body, "output"), &compile.Job{}); string(out.Stdout) != want {
		t.Errorf("printed %q, want %q %s", out.Stdout, want, out.Stderr)
	}
}
