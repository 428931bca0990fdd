package js

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/lanetest"
	"wb/sandbox"
	"wb/value"
)

var (
	once sync.Once
	one  compile.Lane
)

// testLane is shared by all tests, as one process shares one lane.
func testLane(t testing.TB) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env) })
	lanetest.Need(t, env, toolName)
	return one
}

// block makes a source whose first line is line 10 of a.org.
func block(shape compile.Shape, body string) *compile.Source {
	return &compile.Source{Pos: compile.Position{File: "a.org", Line: 10, Col: 1}, Lang: "js", Shape: shape, Body: body, Args: map[string][]string{}}
}

func execute(t testing.TB, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	l := testLane(t)
	art, err := l.Build(context.Background(), src)
	if err != nil {
		return nil, err
	}
	return l.Run(context.Background(), art, job)
}

// TestBabel holds what Emacs 28 with Org 9.8 and node 20 give.
func TestBabel(t *testing.T) {
	for _, c := range []struct{ body, results, want string }{
		{`return "hello"`, "", `"hello"`},
		{`return "hello world"`, "", `"hello world"`},
		{`return 2.5`, "", `2.5`},
		{`return [1, "a", [2,3], null, true]`, "", `[1,"a",[2,3],"null","true"]`},
		{`return [[1,"x y"],["b", 2]]`, "", `[[1,"x y"],["b",2]]`},
		{`return {a: 1, b: "x"}`, "", `"{ a: 1, b: 'x' }"`},
		{`console.log("hi", [1,2], {a:"b"}); return 5`, "", `"hi [ 1, 2 ] { a: 'b' }\n5"`},
		{`console.log("hi", [1,2], {a:"b"})`, "output", `"hi [ 1, 2 ] { a: 'b' }\n"`},
		{`var q = 1;`, "", `"undefined"`},
		{`return "hello world"`, "verbatim", `"'hello world'"`},
		{`return null`, "", `"null"`},
		{`return 1 // a comment at the end`, "", `1`},
		{"setTimeout(() => console.log('later'), 5); console.log('now')", "output", `"now\nlater\n"`},
		{`console.log("%s is %d%%", "x", 5)`, "output", `"x is 5%\n"`},
		{`return require("util").inspect(new Set([1]))`, "", `"Set(1) { 1 }"`},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Results = strings.Fields(c.results)
		out, err := execute(t, src, &compile.Job{})
		if err != nil || out.Exit != 0 {
			t.Errorf("%s: %v %s", c.body, err, stderr(out))
			continue
		}
		if got := out.Value.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
}

func stderr(out *compile.Outcome) string {
	if out == nil {
		return ""
	}
	return string(out.Stderr)
}

func TestBabelVars(t *testing.T) {
	src := block(compile.ShapeBabel, "return [x, t.length, t[0][1]]")
	src.Vars = []compile.Var{{Name: "x", Value: value.OfString("a\n\"b\"")},
		{Name: "t", Value: value.OfList(value.OfList(value.OfInt(1), value.OfFloat(2)), value.Rule())}}
	src.Args["prologue"] = []string{`"var y = 1;"`}
	out, err := execute(t, src, &compile.Job{})
	if err != nil || out.Value.String() != `["a\n\"b\"",2,2]` {
		t.Errorf("got %v %v %s", out, err, stderr(out))
	}
}

func TestComponent(t *testing.T) {
	in := func(text string) value.Value {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct{ body, fn, outs, args, want, fault string }{
		{"export function greet(name) { return `hello, ${name}!` }", "greet", "greeting", `["ada"]`, `"hello, ada!"`, ""},
		{"export function p(x) { return { parsed: x } }", "other", "parsed", `[{"value":21}]`, `{"value":21}`, ""},
		{"export default async (a, b) => (await a) + b", "", "sum", `[1,2]`, `3`, ""},
		{"export const f = () => ({a: 1, b: [undefined, new Date(0), 10n, new Map([['k', 1]])]})", "", "a b", `[]`, `{"a":1,"b":[null,"1970-01-01T00:00:00.000Z",10,{"k":1}]}`, ""},
		{"export const f = () => ({a: 1})", "", "a b", `[]`, "", "the returned object has no b"},
		{"export const f = () => 5", "", "a b", `[]`, "", "must return an object with a, b, got 5"},
		{"export const f = () => ({x: {y: NaN}})", "", "", `[]`, "", "x.y is NaN"},
		{"export const f = () => { const o = {}; o.o = o; return o }", "", "", `[]`, "", "refers back to itself"},
		{"export const f = () => new Promise(() => {})", "", "", `[]`, "", "never settles"},
		{"export const f = 1", "f", "", `[]`, "", "exports no function"},
		{"export const f = () => 1, g = () => 2", "h", "", `[]`, "", "exports f, g; none is called h"},
		{"import {v} from './lib/x.js'; export const f = () => v", "", "", `[]`, "7", ""},
		{"export const f = () => new Promise(r => setTimeout(r, 86400000, 'tomorrow'))", "", "", `[]`, `"tomorrow"`, ""},
		{"export const f = () => inputRaw", "", "", `[]`, `"raw"`, ""},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Outs = c.fn, strings.Fields(c.outs)
		src.Files = map[string][]byte{"lib/x.js": []byte("import {w} from './y.js'; export const v = w + 1"), "lib/y.js": []byte("export const w = 6")}
		job := &compile.Job{Stdin: []byte("raw")}
		for _, a := range in(c.args).Items() {
			job.Inputs = append(job.Inputs, value.Field{Value: a})
		}
		out, err := execute(t, src, job)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		switch {
		case c.fault != "" && (out.Exit == 0 || !strings.Contains(stderr(out), c.fault)):
			t.Errorf("%s: exit %d, %s; want %s", c.body, out.Exit, stderr(out), c.fault)
		case c.fault == "" && (out.Exit != 0 || out.Value.String() != c.want):
			t.Errorf("%s: got %s %s, want %s", c.body, out.Value, stderr(out), c.want)
		}
	}
}

const javy = `const b = new Uint8Array(4096); let n, t = 0; while ((n = Javy.IO.readSync(0, b.subarray(t))) > 0) t += n;
const s = new TextDecoder().decode(b.subarray(0, t)).trim();
Javy.IO.writeSync(1, new TextEncoder().encode(JSON.stringify({upper: s.toUpperCase(), args: scriptArgs})));`

func TestCommand(t *testing.T) {
	out, err := execute(t, block(compile.ShapeCommand, javy), &compile.Job{Stdin: []byte("grüße 🎉\n"), Args: []string{"x"}})
	if err != nil || string(out.Stdout) != `{"upper":"GRÜSSE 🎉","args":["x"]}` {
		t.Errorf("%v %s %s", err, out.Stdout, out.Stderr)
	}
	out, err = execute(t, block(compile.ShapeCommand, "console.error('bad'); process.exit(3)"), &compile.Job{})
	if err != nil || out.Exit != 3 || string(out.Stderr) != "bad\n" {
		t.Errorf("%v %d %s", err, out.Exit, out.Stderr)
	}
}

// Mistakes are reported where they stand in the org file.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		shape      compile.Shape
		body, want string
	}{
		{compile.ShapeComponent, "export const f = () => 1;\nlet x = ;", "a.org:11:9: error: SyntaxError"},
		{compile.ShapeBabel, "return 5 +", "a.org:1"},
		{compile.ShapeComponent, "export function f() {\n  throw new TypeError('no');\n}", "a.org:11:"},
		{compile.ShapeBabel, "let a = 1;\nundefinedName();", "a.org:11:"},
		{compile.ShapeCommand, "\n\nnull.x", "a.org:12:"},
		{compile.ShapeCommand, "import {llm} from 'wb'; llm()", "a.org:10:1: error: ReferenceError import \"wb\": the host's capabilities are not granted"},
		{compile.ShapeCommand, "import './x.js'", "a.org:10:1: error: ReferenceError import \"x.js\": no such module"},
		{compile.ShapeCommand, "throw 'text'", "a.org:10:1: Uncaught: text"},
	} {
		src := block(c.shape, c.body)
		if c.shape == compile.ShapeBabel {
			src.Vars = []compile.Var{{Name: "v", Value: value.OfInt(1)}}
		}
		out, err := execute(t, src, &compile.Job{})
		text := stderr(out)
		if err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%q: got %q, want %s", c.body, text, c.want)
		}
	}
}

// Programs that mean harm, or are merely wrong, end in one line.
func TestHostile(t *testing.T) {
	limits := sandbox.Limits{Fuel: 300_000_000, Memory: 32 << 20, Output: 1 << 20, Timeout: 500 * time.Millisecond}
	for _, c := range []struct{ name, body, want string }{
		{"endless loop", "for (;;) {}", "limit"},
		{"endless promises", "const f = () => Promise.resolve().then(f); await f()", "limit"},
		{"endless timers", "setInterval(() => {}, 1)", "limit"},
		{"catastrophic regexp", "/(a+)+$/.test('a'.repeat(40) + 'b')", "limit"},
		{"endless recursion", "const f = () => f() + 1; f()", "call stack size exceeded"},
		{"memory", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))", "memory limit 32 MiB"},
		{"string bomb", "let s = 'x'; for (;;) s += s", ""},
		{"flood", "for (;;) console.log('x'.repeat(1000))", "output limit"},
		{"prototype tampering", "Array.prototype.map = Promise.prototype.then = JSON.stringify = null; Object.prototype.toJSON = () => 1; console.log('still here')", ""},
		{"poisoned toString", "throw { toString() { throw 1 } }", ""},
		{"host function by hand", "globalThis.host = 1; console.log(typeof host)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := execute(t, block(compile.ShapeCommand, c.body), &compile.Job{Limits: limits})
			text := stderr(out)
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("got %q, want %s", text, c.want)
			}
			if err != nil && strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("more than a line: %q", err)
			}
		})
	}
}

// The same program costs the same fuel and gives the same bytes every time.
func TestDeterminism(t *testing.T) {
	src := block(compile.ShapeCommand, "console.log(Date.now(), Math.random(), new Date().toString(), performance.now()); const m = {}; for (let i = 0; i < 1000; i++) m[Math.random()] = i;")
	first, err := execute(t, src, &compile.Job{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		again, err := execute(t, src, &compile.Job{})
		if err != nil {
			t.Fatal(err)
		}
		if string(again.Stdout) != string(first.Stdout) || again.Usage.Fuel != first.Usage.Fuel {
			t.Fatalf("%s (%d fuel), then %s (%d fuel)", first.Stdout, first.Usage.Fuel, again.Stdout, again.Usage.Fuel)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, change := range map[string]func(*compile.Source){
		"session": func(s *compile.Source) { s.Args["session"] = []string{"x"} },
		"deps":    func(s *compile.Source) { s.Deps = []string{"left-pad"} },
		"kernel":  func(s *compile.Source) { s.Shape = compile.ShapeKernel },
	} {
		src := block(compile.ShapeCommand, "1")
		change(src)
		var build *compile.BuildError
		if _, err := execute(t, src, &compile.Job{}); !errors.As(err, &build) || build.Hint() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInspectLikeNode compares console.log with node's, value by value.
func TestInspectLikeNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on this machine; it is the reference")
	}
	program, err := os.ReadFile(filepath.Join("testdata", "inspect.js"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command(node, filepath.Join("testdata", "inspect.js")).Output()
	if err != nil {
		t.Fatal(err)
	}
	src := block(compile.ShapeBabel, string(program))
	src.Results = []string{"output"}
	out, err := execute(t, src, &compile.Job{})
	if err != nil || out.Exit != 0 {
		t.Fatalf("%v %s", err, stderr(out))
	}
	got, wanted := strings.Split(string(out.Stdout), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d differs:\n got %s\nwant %s", i+1, at(got, i), at(wanted, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

func FuzzJSONBridge(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,null,"é\u0000"]}`, `"\ud83d\ude00"`, `-0`, `[[]]`, `1e300`, `{"__proto__":1}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil || len(text) > 1<<16 {
			return
		}
		out, err := execute(t, block(compile.ShapeComponent, "export const f = x => x"), &compile.Job{Inputs: []value.Field{{Name: "x", Value: v}}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Exit == 0 && !sameInJS(v, out.Value) {
			t.Errorf("%s came back as %s", v, out.Value)
		}
	})
}

// sameInJS compares values as far as JavaScript can keep them apart: numbers
// are doubles, and a member called __proto__ is not one.
func sameInJS(a, b value.Value) bool {
	switch a.Kind() {
	case value.Int, value.Float:
		return a.Float() == b.Float()
	case value.List:
		if len(a.Items()) != len(b.Items()) {
			return false
		}
		for i := range a.Items() {
			if !sameInJS(a.Items()[i], b.Items()[i]) {
				return false
			}
		}
		return true
	case value.Object:
		for _, f := range a.Fields() {
			if got, ok := b.Get(f.Name); f.Name != "__proto__" && (!ok || !sameInJS(f.Value, got)) {
				return false
			}
		}
		return true
	case value.HLine, value.BlobRef:
		return true
	}
	return value.Equal(a, b)
}

func BenchmarkComponentCall(b *testing.B) {
	l := testLane(b)
	src := block(compile.ShapeComponent, "export function greet(name) { return `hello, ${name}!` }")
	art, err := l.Build(context.Background(), src)
	if err != nil {
		b.Fatal(err)
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "name", Value: value.OfString("ada")}}}
	for b.Loop() {
		if out, err := l.Run(context.Background(), art, job); err != nil || out.Exit != 0 {
			b.Fatal(err, stderr(out))
		}
	}
}
