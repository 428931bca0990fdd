package ts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/js"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

var (
	once sync.Once
	one  *js.Lane
)

// testLane is shared by all tests, as one process shares one lane.
func testLane(t testing.TB) *js.Lane {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env, js.NewRuntime(env)) })
	lanetest.Need(t, env, js.ToolName, ToolName)
	return one
}

// block makes a source whose first line is line 10 of a.org.
func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("typescript", shape, body)
}

// execute builds and runs a block.
func execute(t testing.TB, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	return lanetest.Execute(t, testLane(t), src, job)
}

// Mistakes in types are reported where they stand in the org file.
func TestTypeErrors(t *testing.T) {
	for _, c := range []struct {
		shape      compile.Shape
		body, want string
	}{
		{compile.ShapeCommand, "let a = 1;\nconst s: string = a;", "a.org:11:7: error: TS2322 Type 'number' is not assignable to type 'string'"},
		{compile.ShapeCommand, "const é = '日本語😀', n: number = é;", "a.org:10:29: error: TS2322"},
		{compile.ShapeBabel, "const n: number = 'x'; return n", "a.org:10:7: error: TS2322"},
		{compile.ShapeBabel, "return v.toUpperCase()", "a.org:10:10: error: TS2339 Property 'toUpperCase' does not exist on type 'number'"},
		{compile.ShapeComponent, "export function f(a) { return a }", "a.org:10:19: error: TS7006 Parameter 'a' implicitly has an 'any' type"},
		{compile.ShapeCommand, "console.log(document.title)", "a.org:10:13: error: TS2584"},
		{compile.ShapeCommand, "let x = ;", "a.org:10:9: error: TS1109 Expression expected"},
		{compile.ShapeCommand, "import { a } from './util'; const s: string = a", "a.org:10:35: error: TS2322"},
		{compile.ShapeCommand, "import './bad'", "bad.ts:2:14: error: TS2322"},
		{compile.ShapeCommand, "import _ from 'nowhere'", "a.org:10:15: error: TS2307 Cannot find module 'nowhere' or its corresponding type declarations"},
	} {
		src := block(c.shape, c.body)
		src.Files = map[string][]byte{"util.ts": []byte("export const a: number = 1"), "bad.ts": []byte("\nexport const b: number = 'b'")}
		if c.shape == compile.ShapeBabel {
			src.Vars = []compile.Var{{Name: "v", Value: value.OfInt(1)}}
		}
		_, err := execute(t, src, nil)
		if text := lanetest.Said(nil, err); err == nil || !strings.HasPrefix(text, c.want) {
			t.Errorf("%q: got %q, want %s", c.body, text, c.want)
		}
	}
}

// What fails at run time is placed in the TypeScript source.
func TestRunTimePlaces(t *testing.T) {
	for _, c := range []struct {
		shape      compile.Shape
		body, want string
	}{
		{compile.ShapeCommand, "interface A { x: number }\n\nfunction f(a: A | null): number {\n  return a!.x;\n}\nf(null)", "a.org:13:10: TypeError: cannot read property 'x' of null\n    at f (a.org:13:10)\n    at <anonymous> (a.org:15:3)\n"},
		{compile.ShapeBabel, "enum E { A, B }\nthrow new Error(`${E.B}`)", "a.org:11:20: Error: 1\n"},
		{compile.ShapeCommand, "import { boom } from './util'\nboom(1)", "util.ts:3:31: RangeError: 1\n"},
	} {
		src := block(c.shape, c.body)
		src.Files = map[string][]byte{"util.ts": []byte("type T = { a: 1 };\nexport function boom(n: number): never {\n  throw new RangeError(String(n))\n}")}
		out, err := execute(t, src, nil)
		if text := lanetest.Said(out, err); !strings.HasPrefix(text, c.want) {
			t.Errorf("%q: got %q, want %s", c.body, text, c.want)
		}
	}
}

// Each shape runs and gives its value.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name string
		src  func(*compile.Source)
		in   string
		want string
	}{
		{"command", func(s *compile.Source) { s.Body = "enum C { Red = 3 }\nconst x: number = C.Red;\nconsole.log(x)" }, "", `"3\n"`},
		{"babel", func(s *compile.Source) {
			s.Shape, s.Body = compile.ShapeBabel, "const m = new Map<string, number>([['a', 1]]);\nreturn [...m.keys()]"
		}, "", `["a"]`},
		{"output", func(s *compile.Source) {
			s.Shape, s.Results, s.Body = compile.ShapeBabel, []string{"output"}, "import { join } from 'path';\nconst s: string = join('a', 'b');\nconsole.log(s)"
		}, "", `"a/b\n"`},
		{"table", func(s *compile.Source) {
			s.Shape, s.Body = compile.ShapeBabel, "return rows.map(([name, n]) => [name.toUpperCase(), n.toFixed(1)])"
			s.Vars = []compile.Var{{Name: "rows", Value: value.OfList(value.OfList(value.OfString("a"), value.OfInt(1)), value.OfList(value.OfString("b"), value.OfFloat(2.5)))}}
		}, "", `[["A","1.0"],["B","2.5"]]`},
		{"component", func(s *compile.Source) {
			s.Shape, s.Outs, s.Sig, s.Body = compile.ShapeComponent, []string{"total"}, lanetest.Sig(t, "sum(a: list<f64>) -> f64"), "export function sum(a: number[]): number { return a.reduce((x, y) => x + y, 0) }"
		}, `{"a":[1,2,3.5]}`, `6.5`},
		{"async", func(s *compile.Source) {
			s.Shape, s.Outs, s.Sig, s.Body = compile.ShapeComponent, []string{"total"}, lanetest.Sig(t, "sum(a: list<f64>) -> f64"), "export default async (a: readonly number[]) => ({ total: a.length })"
		}, `{"a":[1,2]}`, `2`},
		{"files", func(s *compile.Source) {
			s.Files = map[string][]byte{"lib/a.ts": []byte("import { b } from './b.ts';\nexport const a = (n: number) => b(n) + 1"), "lib/b.ts": []byte("export function b(n: number) { return n * 2 }"), "data.json": []byte(`{"k":[1]}`), "plain.js": []byte("export const p = () => 7")}
			s.Body = "import { a } from './lib/a';\nimport data from './data.json';\nimport { p } from './plain.js';\nconst n: number = p() + data.k[0];\nconsole.log(a(n))"
		}, "", `"17\n"`},
	} {
		src := block(compile.ShapeCommand, "")
		c.src(src)
		job := &compile.Job{}
		if c.in != "" {
			v, err := value.ParseJSON([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			job.Inputs = v.Fields()
		}
		out, err := execute(t, src, job)
		if err != nil || out.Exit != 0 || out.Value.String() != c.want {
			t.Errorf("%s: %v, want %s (%s)", c.name, out, c.want, lanetest.Said(out, err))
		}
	}
}

// A function that is not what :sig: promises is a mistake at the function.
func TestSignature(t *testing.T) {
	for _, c := range []struct{ sig, body, want string }{
		{"f(a: list<f64>) -> f64", "export function f(a: string[]): number { return 1 }", "a.org:10:17: error: TS2322 Type '(a: string[]) => number' is not assignable to type '(a: number[]) => Awaitable<number | { total: number; }>'"},
		{"f(a: string) -> f64", "\nexport const f = (a: string) => a", "a.org:11:14: error: TS2322"},
		{"f(a: string) -> string", "export default async (a: string) => a.length", "a.org:10:16: error: TS2322"},
		{"f(a: option<string>) -> string", "export function f(a: string) { return a }", "a.org:10:17: error: TS2322"},
		{"f(a: string) -> string", "export function f(a: string, b: string) { return a + b }", "a.org:10:17: error: TS2322"},
		{"f(a: record {x: f64}) -> list<string>", "export function f(a: { x: number; y: number }) { return ['a'] }", "a.org:10:17: error: TS2322"},
		{"f(a: result<f64, string>) -> tuple<string, f64>", "export function f(a: { ok: number } | { err: string }): [string, number] { return 'ok' in a ? ['a', a.ok] : [a.err, 1] }", ""},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Sig, src.Outs = "f", lanetest.Sig(t, c.sig), []string{"total"}
		_, err := testLane(t).Build(context.Background(), src)
		if text := lanetest.Said(nil, err); c.want == "" && err != nil || !strings.HasPrefix(text, c.want) {
			t.Errorf("%s: got %q, want %s", c.body, text, c.want)
		}
	}
}

// Blocks of a session know the types of what earlier ones declared.
func TestSession(t *testing.T) {
	defer testLane(t).CloseSession(context.Background(), "s")
	var before []*compile.Source
	for _, c := range []struct {
		body, want string
		x          value.Value
	}{
		{body: "interface P { x: number }\nlet p: P = { x: 1 };\nfunction twice(q: P): P { return { x: q.x * 2 } }"},
		{body: "p = twice(p);\np.x", want: "2"},
		{body: "return twice(p).x", want: "4"},
		{body: "p.y", want: "a.org:10:3: error: TS2339 Property 'y' does not exist on type 'P'"},
		{body: "v + 1", x: value.OfInt(41), want: "42"},
		{body: "v.length", want: "a.org:10:3: error: TS2339"},
		{body: "v.length", x: value.OfString("abc"), want: "3"},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Args["session"] = []string{"s"}
		src.Session = before
		if c.x.Kind() != value.Null {
			src.Vars = []compile.Var{{Name: "v", Value: c.x}}
		}
		out, err := execute(t, src, &compile.Job{Session: "s"})
		switch {
		case err != nil:
			if c.want == "" || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v", c.body, err)
			}
			continue
		case out.Exit != 0 || c.want != "" && out.Value.String() != c.want:
			t.Errorf("%s: %v, want %s (%s)", c.body, out.Value, c.want, lanetest.Said(out, nil))
		}
		before = append(before, src)
	}
}

// A block that imports although its value is wanted hears what to do.
func TestImportHint(t *testing.T) {
	_, err := execute(t, block(compile.ShapeBabel, "import { sep } from 'path';\nreturn sep"), nil)
	var build *diag.FindingsError
	if !errors.As(err, &build) || build.Hint() != js.HintModule {
		t.Errorf("%v", err)
	}
}
