package plan

import (
	"testing"
)

// TestExportsFunction: a step of a workflow that defines a function is called,
// one that does something is a program.
func TestExportsFunction(t *testing.T) {
	for _, c := range []struct {
		lang, body string
		want       bool
	}{
		{"js", "export function f() {}", true},
		{"js", "console.log(1)", false},
		{"python", "def f(a):\n    return a", true},
		{"python", "import json\nfrom x import y\n\nN = 3\n@cache\nasync def f(a):\n\treturn a\n\n# end\n", true},
		{"Python", "\"\"\"What it does\n\nprint me\n\"\"\"\nTABLE = {\n  'a': 1,\n}\ndef f(a,\n      b,\n):\n    '''print(1)\nprint(2)\n'''\n    return a", true},
		{"python", "def f(a):\n    return a\nprint(f(1))", false},
		{"python", "def f(a):\n    return a\n\nif __name__ == '__main__':\n    f(1)", false},
		{"python", "import sys\nx = sys.stdin.read()", false},
		{"python", "for line in open(0):\n    print(line)", false},
		{"python", "def _helper():\n    pass", false},
		{"ruby", "def f(a)\n  a\nend", false},
		{"python", "", false},
	} {
		if got := exportsFunction(c.lang, c.body); got != c.want {
			t.Errorf("%s %q: %v, want %v", c.lang, c.body, got, c.want)
		}
	}
}
