package js

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// TestBabelLikeEmacs compares values with what ob-js of Org 9.8 and node 20
// made of the same bodies. -update asks the Emacs on this machine anew.
func TestBabelLikeEmacs(t *testing.T) {
	lanetest.LikeEmacs(t, *update, func(line string, want value.Value) {
		if got := mustExecute(t, lanetest.BabelBlock(t, "js", line), nil).Value; !sameInEmacs(got, want) {
			t.Errorf("%s: got %s, Emacs has %s", line, got, want)
		}
	})
}

// sameInEmacs compares values as far as Emacs prints them apart.
func sameInEmacs(got, want value.Value) bool {
	if got.IsNull() {
		got = value.OfList()
	}
	switch {
	case got.Kind() == value.List && want.Kind() == value.List:
		if len(got.Items()) != len(want.Items()) {
			return false
		}
		for i := range got.Items() {
			if !sameInEmacs(got.Items()[i], want.Items()[i]) {
				return false
			}
		}
		return true
	case got.Kind() == value.String && want.Kind() != value.List:
		return got.Text() == want.Text() || got.Text() == want.String()
	}
	return got.Float() == want.Float() && got.Kind() != value.String && want.Kind() != value.String
}

// Where ob-js loses text, or Emacs stops with an error, the value is kept.
func TestBabelKeepsText(t *testing.T) {
	for body, want := range map[string]string{
		`return "hello world"`:                     `"hello world"`,
		`return "a\nb"`:                            `"a\nb"`,
		`return ["it's", 'say "hi"']`:              `["it's","say \"hi\""]`,
		`return ["x, y", "[z]", "a\\b"]`:           `["x, y","[z]","a\\b"]`,
		`return ""`:                                `""`,
		`return require("util").inspect({a: [1]})`: `"{ a: [ 1 ] }"`,
		`process.on("exit", () => console.log("bye")); return [1, 2]`: `"[ 1, 2 ]bye\n"`,
		`return "tab\tand é 😀"`:                                       `"tab\tand é 😀"`,
		`return "nil"`:                                                `"nil"`,
		`return "(foo"`:                                               `"(foo"`,
		`return "[1, 2]"`:                                             `"[1, 2]"`,
		`return [{a: 1}, null]`:                                       `["{ a: 1 }","null"]`,
		`return [[1, {b: [2]}]]`:                                      `[[1,"{ b: [ 2 ] }"]]`,
		`return [() => 1]`:                                            `["[Function (anonymous)]"]`,
		`return () => 1`:                                              `"[Function (anonymous)]"`,
		`return Array.from({length: 8}, (_, i) => "item" + i)`: `["item0","item1","item2","item3","item4","item5","item6","item7"]`,
		`return [,1]`: `["undefined",1]`,
	} {
		if got := mustExecute(t, block(compile.ShapeBabel, body), nil).Value.String(); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	many := mustExecute(t, block(compile.ShapeBabel, "return Array.from({length: 500}, (_, i) => [i, i * i])"), nil)
	if rows := many.Value.Items(); len(rows) != 500 || rows[499].String() != "[499,249001]" {
		t.Errorf("%d rows", len(rows))
	}
}

// Prologue and epilogue are part of the body; a body that imports is a module.
func TestBabelLayout(t *testing.T) {
	src := block(compile.ShapeBabel, "x++")
	src.Args["prologue"], src.Args["epilogue"] = []string{`"var x = 1; // it's"`}, []string{`return [x, y]`}
	src.Vars = []compile.Var{{Name: "y", Value: value.OfObject(value.Field{Name: "k", Value: value.OfBool(true)})}}
	if got := mustExecute(t, src, nil).Value.String(); got != `[2,"{ k: true }"]` {
		t.Errorf("got %s", got)
	}
	src = block(compile.ShapeBabel, "import { sep } from 'node:path';\nconsole.log(await Promise.resolve(sep), v)")
	src.Vars, src.Results = []compile.Var{{Name: "v", Value: value.OfInt(3)}}, []string{"output"}
	if got := string(mustExecute(t, src, nil).Stdout); got != "/ 3\n" {
		t.Errorf("got %q", got)
	}
	src = block(compile.ShapeBabel, "boom()")
	src.Args["prologue"] = []string{"const a = 1;\nconst b = 2;"}
	out, err := execute(t, src, nil)
	if text := lanetest.Said(out, err); !strings.HasPrefix(text, "a.org:10:1: ReferenceError: boom is not defined\n") {
		t.Errorf("got %q", text)
	}
}

// A table keeps its rules as text; column names are no affair of JavaScript.
func TestBabelTables(t *testing.T) {
	src := block(compile.ShapeBabel, "return t")
	src.Vars = []compile.Var{{Name: "t", Value: value.OfList(value.OfList(value.OfString("a"), value.OfInt(1)), value.Rule(), value.OfList(value.OfFloat(2), value.Nil()))}}
	if got := mustExecute(t, src, nil).Value.String(); got != `[["a",1],"hline",[2,[]]]` {
		t.Errorf("got %s", got)
	}
}

// A block that imports although its value is wanted hears what to do.
func TestBabelImportHint(t *testing.T) {
	_, err := execute(t, block(compile.ShapeBabel, "import { sep } from 'path';\nreturn sep"), nil)
	var build *diag.FindingsError
	if !errors.As(err, &build) || build.Hint() != HintModule {
		t.Errorf("%v", err)
	}
}
