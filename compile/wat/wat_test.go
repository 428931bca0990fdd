package wat

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

func testLane(t testing.TB) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	l := New(env, clang.New(env))
	lanetest.Need(t, env, toolName)
	return l
}

func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("wat", shape, body)
}

const hello = `(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "hello, wat\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 16))
    (i32.store (i32.const 4) (i32.const 11))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $exit (i32.const 3))))`

func TestCommand(t *testing.T) {
	l := testLane(t)
	for shape, want := range map[compile.Shape]string{compile.ShapeCommand: `"hello, wat\n"`, compile.ShapeBabel: `"hello, wat\n"`} {
		src := block(shape, hello)
		src.Results = []string{"output"}
		out, err := lanetest.Execute(t, l, src, nil)
		if err != nil || out.Exit != 3 || out.Value.String() != want {
			t.Errorf("%s: %+v, %v", shape, out, err)
		}
	}
}

const fib = `(module
  (func $fib (export "fib") (param $n i64) (result i64)
    (if (result i64) (i64.lt_s (local.get $n) (i64.const 2))
      (then (local.get $n))
      (else (i64.add (call $fib (i64.sub (local.get $n) (i64.const 1))) (call $fib (i64.sub (local.get $n) (i64.const 2))))))))`

func TestComponent(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, sig, fn, params, outs, args, want string }{
		{fib, "fib(n: s64) -> s64", "fib", "n", "f", `{"n": 20}`, `6765`},
		{fib, "", "anything", "n", "f", `{"n": 10}`, `55`},
		{`(module (func (export "a") (param f32 f64) (result f64) (f64.mul (f64.promote_f32 (local.get 0)) (local.get 1))))`, "", "a", "x y", "p", `{"x": 2, "y": 0.25}`, `0.5`},
		{`(module (func (export "not") (param i32) (result i32) (i32.eqz (local.get 0))) (func (export "other")))`, "not(b: bool) -> bool", "x", "b", "p", `{"b": false}`, `true`},
		{`(module (func (export "dm") (param i32 i32) (result i32 i32) (i32.div_u (local.get 0) (local.get 1)) (i32.rem_u (local.get 0) (local.get 1))))`,
			"dm(a: u32, b: u32) -> (q: u32, r: u32)", "dm", "a b", "q r", `{"a": 4294967295, "b": 10}`, `{"q":429496729,"r":5}`},
		{`(module (func (export "dm") (param i32 i32) (result i32 i32) (local.get 1) (local.get 0)))`, "", "dm", "a b", "x y", `{"a": -1, "b": 10}`, `{"x":10,"y":-1}`},
		{`(module (func (export "big") (result i64) (i64.const -1)))`, "big() -> u64", "", "", "v", `{}`, `18446744073709551615`},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Params, src.Outs = c.fn, strings.Fields(c.params), strings.Fields(c.outs)
		src.Sig = lanetest.Sig(t, c.sig)
		lanetest.Gives(t, l, src, &compile.Job{Inputs: lanetest.Inputs(t, c.args)}, c.want)
	}
}

func TestBabelCallsMain(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeBabel, `(module (func (export "main") (param i32 f64) (result i32 f64) (i32.add (local.get 0) (i32.const 1)) (f64.sqrt (local.get 1))))`)
	src.Vars = []compile.Var{{Name: "n", Value: value.OfInt(41)}, {Name: "x", Value: value.OfInt(9)}}
	out, err := lanetest.Execute(t, l, src, nil)
	if err != nil || out.Value.String() != "[42,3.0]" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestKernel(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeKernel, `(module (memory (export "memory") 4)
  (func (export "process") (param $n i32) (result i32) (local $i i32)
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
      (i32.store8 (i32.add (i32.const 65536) (local.get $i)) (i32.xor (i32.const 32) (i32.load8_u (i32.add (i32.const 1024) (local.get $i)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (local.get $n)))`)
	out, err := lanetest.Execute(t, l, src, &compile.Job{Stdin: []byte("Kernel")})
	if err != nil || string(out.Stdout) != "kERNEL" {
		t.Errorf("%+v, %v", out, err)
	}
}

// Messages point to the place in the org file; the body begins in line 10.
func TestMessages(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct {
		shape     compile.Shape
		body, sig string
		want      string
	}{
		{compile.ShapeBabel, "(module\n  (func (export \"f\") (result i32)\n    local.get $x))", "", "a.org:12:15: error: undefined local variable \"$x\""},
		{compile.ShapeBabel, "(module (func (result i32) (i64.const 1)))", "", "a.org:10:29: error: type mismatch in implicit return, expected [i32] but got [i64]"},
		{compile.ShapeBabel, "(module\n  (fnc))", "", "a.org:11:4: error: unexpected token \"fnc\", expected a module field"},
		{compile.ShapeBabel, "(module", "", "a.org:10:8: error: unexpected token \"EOF\""},
		{compile.ShapeCommand, "(module)", "", "a.org:10:1: error: a program exports _start"},
		{compile.ShapeComponent, "(module)", "", "a.org:10:1: error: the module exports no function"},
		{compile.ShapeKernel, "(module (memory (export \"memory\") 1))", "", "a.org:10:1: error: a kernel exports memory and process (param i32) (result i32)"},
		{compile.ShapeComponent, "(module (func (export \"f\") (param i32)))", "f(a: f64)", "a.org:10:1: error: :sig: parameter a is f64, the function has i32"},
		{compile.ShapeComponent, "(module (func (export \"f\") (param i32)))", "f(a: string)", "a.org:10:1: error: :sig: parameter a: a WebAssembly function takes and returns numbers, not string"},
		{compile.ShapeBabel, "(module\n  (func $bad (export \"main\")\n    unreachable))", "", "a.org:11:3: unreachable in main\n"},
		{compile.ShapeBabel, "(module (func (export \"main\") (result i32) (i32.div_s (i32.const 1) (i32.const 0))))", "", "a.org:10:9: integer divide by zero in main\n"},
	} {
		src := block(c.shape, c.body)
		if c.sig != "" {
			src.Sig, _ = value.ParseSig(c.sig)
			src.Params = []string{"a"}
		}
		out, err := lanetest.Execute(t, l, src, nil)
		if got := lanetest.Complaint(out, err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.body, got, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	l := testLane(t)
	_, err := lanetest.Execute(t, l, block(compile.ShapeBabel, `(module (func (export "main") (loop $l (br $l))))`), &compile.Job{Limits: sandbox.Limits{Fuel: 1e6}})
	var limit *sandbox.LimitError
	if !errors.As(err, &limit) || limit.Kind != sandbox.LimitFuel {
		t.Errorf("endless loop: %v", err)
	}
	_, err = lanetest.Execute(t, l, block(compile.ShapeBabel, strings.Repeat("(block ", 200_000)), nil)
	var bad *diag.FindingsError
	if !errors.As(err, &bad) {
		t.Errorf("deep nesting: %v", err)
	}
}

func BenchmarkBuild(b *testing.B) {
	l := testLane(b)
	for b.Loop() {
		if _, err := l.Build(b.Context(), block(compile.ShapeComponent, fib)); err != nil && !strings.Contains(err.Error(), "inputs") {
			b.Fatal(err)
		}
	}
}
