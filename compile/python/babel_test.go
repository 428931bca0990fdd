package python

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

var update = flag.Bool("update", false, "ask Emacs and python3 on this machine for testdata/babel/values.jsonl")

// babelCase is one block of testdata/babel/cases.json.
type babelCase struct {
	Results string            `json:"results"`
	Body    string            `json:"body"`
	Vars    [][2]value.Value  `json:"vars"`
	Args    map[string]string `json:"args"`
}

func (c babelCase) source() *compile.Source {
	src := block(compile.ShapeBabel, c.Body, words(c.Results)...)
	for _, v := range c.Vars {
		src.Vars = append(src.Vars, compile.Var{Name: v[0].Text(), Value: ruled(v[1])})
	}
	for name, text := range c.Args {
		src.Args[name] = []string{text}
	}
	return src
}

func words(text string) []string {
	var list []string
	for _, w := range bytes.Fields([]byte(text)) {
		list = append(list, string(w))
	}
	return list
}

// ruled puts rules where a case has ":hline".
func ruled(v value.Value) value.Value {
	switch {
	case v.Kind() == value.String && v.Text() == ":hline":
		return value.Rule()
	case v.Kind() == value.List:
		items := make([]value.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = ruled(item)
		}
		return value.OfList(items...)
	}
	return v
}

// TestBabelLikeEmacs compares values with what ob-python of Org 9.8 and Python
// 3.11 made of the same blocks. -update asks the Emacs on this machine anew.
func TestBabelLikeEmacs(t *testing.T) {
	testLane(t)
	file := filepath.Join("testdata", "babel", "cases.json")
	var cases []babelCase
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := lanetest.Answers(t, *update, file)
	if len(answers) != len(cases) {
		t.Fatalf("%d answers to %d cases; go test -update", len(answers), len(cases))
	}
	for i, c := range cases {
		if got := mustExecute(t, c.source(), nil).Value; got.String() != answers[i].String() {
			t.Errorf("%q as %s: got %s, Emacs has %s", c.Body, c.Results, got, answers[i])
		}
	}
}

// What a session's blocks define stays, and a block's value is that of its last
// expression.
func TestSession(t *testing.T) {
	l := testLane(t)
	defer l.CloseSession(t.Context(), "s")
	run := func(body string, results ...string) *compile.Outcome {
		t.Helper()
		src := block(compile.ShapeBabel, body, results...)
		src.Args["session"] = []string{"s"}
		out, err := execute(t, src, &compile.Job{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, step := range []struct{ body, results, want string }{
		{"x = 41\nimport math", "value", `"None"`},
		{"x += 1\nx", "value", `42`},
		{"print(x)\nprint(math.pi > 3)\n\n", "output", `"42\nTrue"`},
		{"def f(n):\n    return [n, x]", "value", `"None"`},
		{"f(1)", "value", `[1,42]`},
		{"[f(1), None, (2, 'b')]", "value", `[[1,42],{"$hline":true},[2,"b"]]`},
		{"for i in range(3):\n    i", "value", `"None"`},
		{"print('shown, not the value')\ni", "value", `2`},
		{"{'a': 1}", "value table", `[["a",1]]`},
	} {
		if out := run(step.body, words(step.results)...); out.Exit != 0 || out.Value.String() != step.want {
			t.Errorf("%s: got %s %s, want %s", step.body, out.Value, out.Stderr, step.want)
		}
	}
	run("def g(n):\n    return 1 / n")
	if out := run("\ng(0)"); out.Exit != 1 || !bytes.HasPrefix(out.Stderr, []byte("a.org:11:1: ZeroDivisionError: division by zero\n")) || !bytes.Contains(out.Stderr, []byte("an earlier block")) {
		t.Errorf("%d %s", out.Exit, out.Stderr)
	}
	if out := run("x"); out.Value.String() != "42" {
		t.Errorf("after an error x is %s", out.Value)
	}
}
