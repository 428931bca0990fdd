package python

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// A program has arguments, standard input, files and an exit code.
func TestCommand(t *testing.T) {
	files := sandbox.NewMemFS()
	for name, text := range map[string]string{"d/in.csv": "a,b\n1,2\n", "d/helper.py": "def twice(x):\n    return 2 * x\n"} {
		if err := files.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	src := block(compile.ShapeCommand, `
import csv, sys, os, helper, atexit
rows = list(csv.DictReader(open("in.csv")))
print(sys.argv[1:], input(), sys.stdin.read().split(), rows, helper.twice(21), os.getcwd(), sorted(os.listdir()), os.listdir("/"))
out = open("out.txt", "w")
out.write("not closed")
atexit.register(print, "bye")
sys.exit(3)`)
	out, err := execute(t, src, &compile.Job{Args: []string{"-x", "y z"}, Stdin: []byte("first\na b\n"), Files: files, Dir: "/d"})
	if err != nil {
		t.Fatal(err)
	}
	want := "['-x', 'y z'] first ['a', 'b'] [{'a': '1', 'b': '2'}] 42 /d ['helper.py', 'in.csv'] ['d']\nbye\n"
	if out.Exit != 3 || string(out.Stdout) != want || out.Value.Text() != want {
		t.Errorf("exit %d, %s %s", out.Exit, out.Stdout, out.Stderr)
	}
	if data, err := files.ReadFile("d/out.txt"); err != nil || string(data) != "not closed" {
		t.Errorf("a file left open has %q, %v", data, err)
	}
}

// Errors stand where the author wrote them, without wb's own frames.
func TestErrorPlaces(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"x = 1\nprint(x / 0)", "a.org:11:7: ZeroDivisionError: division by zero\nTraceback (most recent call last):\n  File \"a.org\", line 11, in <module>\n    print(x / 0)\n          ~~^~~\n"},
		{"def f(d):\n    return d['k']\n\nf({})", "a.org:11:12: KeyError: 'k'\nTraceback (most recent call last):\n  File \"a.org\", line 13, in <module>\n    f({})\n  File \"a.org\", line 11, in f\n    return d['k']\n           ~^^^^^\n"},
		{"import json\njson.loads('{')", "a.org:11:1: json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n"},
		{"try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('bad') from e", "a.org:13:5: ValueError: bad\nTraceback (most recent call last):\n  File \"a.org\", line 11, in <module>\n    1 / 0\n    ~~^~~\nZeroDivisionError: division by zero\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"a.org\", line 13, in <module>\n    raise ValueError('bad') from e\n"},
		{"def f():\n    f()\nf()", "a.org:11:5: RecursionError: maximum recursion depth exceeded\n"},
		{"raise SystemExit('told')", "told\n"},
		{"eval('1 +')", "a.org:10:1: SyntaxError: invalid syntax\n"},
		{"assert 1 == 2, 'no'", "a.org:10:8: AssertionError: no\n"},
		{"e = ValueError('x')\ne.add_note('a note')\nraise e", "a.org:12:1: ValueError: x\na note\n"},
		{"é = 1; print(é.x)", "a.org:10:15: AttributeError: 'int' object has no attribute 'x'\n"},
	} {
		out, err := execute(t, block(compile.ShapeCommand, c.body), nil)
		if err != nil || out.Exit != 1 || !strings.HasPrefix(string(out.Stderr), c.want) || strings.Contains(string(out.Stderr), "wb:") {
			t.Errorf("%s: got %s, want %s", c.body, lanetest.Said(out, err), c.want)
		}
	}
}

// Where a block stands, and what :var and :prologue put before it, moves the
// places of its errors.
func TestMovedBlock(t *testing.T) {
	l, src := testLane(t), block(compile.ShapeBabel, "y = 1\nreturn y + x", "value")
	src.Vars = []compile.Var{{Name: "x"}}
	src.Args["prologue"] = []string{"import json\nimport re"}
	art, err := l.Build(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	moved := *src
	moved.Pos.Line = 100
	out, err := l.Run(t.Context(), art, &compile.Job{Source: &moved})
	if err != nil || !strings.HasPrefix(string(out.Stderr), "a.org:101:8: TypeError: ") {
		t.Errorf("%v %s", err, out.Stderr)
	}
	out, err = l.Run(t.Context(), art, &compile.Job{})
	if err != nil || !strings.HasPrefix(string(out.Stderr), "block.py:2:8: ") {
		t.Errorf("%v %s", err, out.Stderr)
	}
}

// Doubtful code is warned about when it is compiled.
func TestWarnings(t *testing.T) {
	art, err := testLane(t).Build(t.Context(), block(compile.ShapeCommand, "x = 1\nif x is 1:\n    print('\\d')"))
	if err != nil || len(art.Warnings) != 2 || art.Warnings[0].String() != "a.org:11:1: warning: SyntaxWarning \"is\" with a literal. Did you mean \"==\"?" {
		t.Errorf("%v %v", art, err)
	}
}
