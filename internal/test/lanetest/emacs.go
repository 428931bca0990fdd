package lanetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/emacs"
	"wb/internal/value"
	"wb/tangle/elisp"
)

// LikeEmacs gives check each line of testdata/babel/bodies.txt with the value
// that Emacs made of it, which values.jsonl keeps. With update, the Emacs on
// this machine says the values anew, asked by oracle.el.
func LikeEmacs(t *testing.T, update bool, check func(line string, want value.Value)) {
	t.Helper()
	dir := filepath.Join("testdata", "babel")
	bodies := filepath.Join(dir, "bodies.txt")
	answers := Answers(t, update, bodies)
	text, err := os.ReadFile(bodies)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d bodies; go test -update", len(answers), len(lines))
	}
	for i, line := range lines {
		check(line, answers[i])
	}
}

// Answers are the values of testdata/babel/values.jsonl; with update, what
// oracle.el prints for the file of cases.
func Answers(t *testing.T, update bool, cases string) []value.Value {
	t.Helper()
	dir := filepath.Join("testdata", "babel")
	golden := filepath.Join(dir, "values.jsonl")
	if update {
		said := emacs.Need(t).Run(t, filepath.Join(dir, "oracle.el"), cases)
		if err := os.WriteFile(golden, []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var values []value.Value
	for line := range bytes.Lines(data) {
		v, err := value.ParseJSON(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		values = append(values, v)
	}
	return values
}

// BabelBlock is what a line of bodies.txt describes: words of :results with
// commas between them, a body and, in the notation of Emacs Lisp, variables,
// with tabs between the three.
func BabelBlock(t *testing.T, lang, line string) *compile.Source {
	t.Helper()
	results, rest, _ := strings.Cut(line, "\t")
	body, vars, _ := strings.Cut(rest, "\t")
	src := Block(lang, compile.ShapeBabel, body)
	src.Results = strings.FieldsFunc(results, func(r rune) bool { return r == ',' })
	if vars != "" {
		src.Vars = LispVars(t, vars)
	}
	return src
}

// LispVars reads variables in the notation of Emacs Lisp: ((x . 5) (y . "a")).
func LispVars(t testing.TB, text string) []compile.Var {
	t.Helper()
	list, err := elisp.Read(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pairs, _ := elisp.Items(list)
	var vars []compile.Var
	for _, pair := range pairs {
		vars = append(vars, LispVar(t, pair))
	}
	return vars
}

// LispVar is the variable that a pair of name and value says.
func LispVar(t testing.TB, pair elisp.Value) compile.Var {
	t.Helper()
	v, err := elisp.ToValue(elisp.Cdr(pair))
	if err != nil {
		t.Fatalf("%v: %v", pair, err)
	}
	return compile.Var{Name: elisp.Princ(elisp.Car(pair)), Value: v}
}
