package ruby

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

func testLane(t testing.TB) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	l := New(env)
	lanetest.Need(t, env, toolName)
	return l
}

func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("ruby", shape, body)
}

func TestBabelValues(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ results, body, want string }{
		{"value", "1 + 2", `3`},
		{"value", "return 7 / 2.0 if true\n0", `3.5`},
		{"value", "'text'", `"text"`},
		{"value", "'12'", `12`},
		{"value", "nil", `"nil"`},
		{"value", ":sym", `":sym"`},
		{"value", "[1, 'a', nil, 2.5, :b, [true]]", `[1,"a",{"$hline":true},2.5,":b",["true"]]`},
		{"value", "[[1, 'x'], nil, [2, nil]]", `[[1,"x"],{"$hline":true},[2,null]]`},
		{"value", "{'a' => 1, b: [2]}", `"{\"a\" => 1, b: [2]}"`},
		{"value verbatim", "[1, 'x']", `"[1, \"x\"]"`},
		{"value pp", "{a: 'x' * 70, b: 'y' * 20}", `"{a: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\n b: \"yyyyyyyyyyyyyyyyyyyy\"}\n"`},
		{"output", "puts 'a'; print 'b', 3; puts", `"a\nb3\n"`},
		{"output", "warn 'no'; p 42", `"42\n"`},
		{"value", "puts 'noise'\nclass C; def f = 5; end\nC.new.f", `5`},
		{"value", "require 'set'; require 'date'; Date.new(2024, 2, 29).next_year.to_s", `"2025-02-28"`},
		{"value", "[rand(1000), rand(1000)] == [rand(1000), rand(1000)]", `"false"`},
		{"value", "e = [1, 2, 3].each; [e.next, e.next]", `[1,2]`},
		{"value", "Fiber.new { Fiber.yield 1; 2 }.then { |f| [f.resume, f.resume] }", `[1,2]`},
		{"value", "\"\u00e9\".bytes", `[195,169]`},
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Results = strings.Fields(c.results)
		lanetest.Gives(t, l, src, nil, c.want)
	}
}

func TestVariables(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ v, expr, want string }{
		{`5`, "x + 1", `6`},
		{`"a\"b\\c\nd#{1}"`, "x", `"a\"b\\c\nd#{1}"`},
		{`[["a", 1], ["b", 2.5]]`, "x.sum { |_, n| n }", `3.5`},
		{`{"k": {"n": [1, null]}}`, "x['k']['n'].size", `2`},
	} {
		v, err := value.ParseJSON([]byte(c.v))
		if err != nil {
			t.Fatal(err)
		}
		src := block(compile.ShapeBabel, c.expr+" + z")
		if v.Kind() == value.String {
			src.Body = c.expr
		}
		src.Args = map[string][]string{"prologue": {`"z = 0"`}}
		src.Vars = []compile.Var{{Name: "x", Value: v}}
		lanetest.Gives(t, l, src, nil, c.want)
	}
}

func TestComponent(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, fn, outs, args, want string }{
		{"def greet(name) = \"hello, #{name}\"", "greet", "g", `{"name": "ada é\n\u0000'\\"}`, `"hello, ada é\n\u0000'\\"`},
		{"def a = 1\ndef parseInput = $input_raw", "parse_input", "g", `{}`, `"raw"`},
		{"def f(h, list) = {sum: list.sum, k: h['k'], sym: :s, nothing: nil}", "other", "r", `{"h": {"k": 1.0}, "list": [1, 2]}`, `{"sum":3,"k":1.0,"sym":"s","nothing":null}`},
		{"def f(x) = [x, x[0].nan?, x[1].infinite?]", "f", "n", `{"x": [{"$float":"NaN"}, {"$float":"-Infinity"}, 18446744073709551615]}`,
			`[[{"$float":"NaN"},{"$float":"-Infinity"},18446744073709551615],true,-1]`},
		{"def f = [1, 'b']", "f", "n s", `{}`, `{"n":1,"s":"b"}`},
		{"def f = {n: 1, s: 'b'}", "f", "n s", `{}`, `{"n":1,"s":"b"}`},
		{"Point = Struct.new(:x, :y)\ndef f(x) = [Point.new(x, 2), Set[1, 2]]", "f", "p", `{"x": 9007199254740993}`, `[{"x":9007199254740993,"y":2},[1,2]]`},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Outs = c.fn, strings.Fields(c.outs)
		lanetest.Gives(t, l, src, &compile.Job{Inputs: lanetest.Inputs(t, c.args), Stdin: []byte("raw")}, c.want)
	}
}

// Messages point to the place in the org file; the body begins in line 10.
func TestMessages(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct {
		shape      compile.Shape
		body, want string
	}{
		{compile.ShapeBabel, "x = 1\ny = (2", "a.org:11:7: error: "},
		{compile.ShapeBabel, "x = nil\n  x.foo(1)", "a.org:11:3: undefined method 'foo' for nil (NoMethodError)\n"},
		{compile.ShapeBabel, "def g = raise('deep')\n\ng", "a.org:10:1: deep\n  a.org:10:1: in Object#g\n  a.org:12:1: in block in <main>\n"},
		{compile.ShapeBabel, "Integer('x')", "a.org:10:1: invalid value for Integer(): \"x\" (ArgumentError)\n"},
		{compile.ShapeBabel, "def f(n) = 1 + f(n + 1)\nf(0)", "a.org:10:"},
		{compile.ShapeComponent, "x = 1", "a.org:10:1: the block defines no method\n"},
		{compile.ShapeComponent, "def a = 1\ndef b = 2", "a.org:10:1: the block defines a, b; name one of them with :func\n"},
		{compile.ShapeComponent, "def f = {x: [1, Object]}", "a.org:10:1: the result's x.1 is a Class, which is no JSON value\n"},
		{compile.ShapeComponent, "def f = 2**64", "a.org:10:1: the result is an integer of more than 64 bits; return it as text\n"},
		{compile.ShapeCommand, "abort 'given up'", "given up\n"},
		{compile.ShapeBabel, "`ls`", "a.org:10:1: "},
	} {
		out, err := lanetest.Execute(t, l, block(c.shape, c.body), nil)
		got := lanetest.Complaint(out, err)
		if !strings.HasPrefix(got, c.want) || c.shape == compile.ShapeCommand && got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.body, got, c.want)
		}
	}
}

func TestCommand(t *testing.T) {
	l := testLane(t)
	files := sandbox.NewMemFS()
	if err := errors.Join(files.WriteFile("w/lib/m.rb", []byte("V = 7")), files.WriteFile("w/in.txt", []byte("one\ntwo\n"))); err != nil {
		t.Fatal(err)
	}
	src := block(compile.ShapeCommand, `require './lib/m'
File.write('out.txt', File.read('in.txt').upcase)
puts [$stdin.read.size, ARGV.inspect, V, Dir.children('.').sort.inspect, Time.now.year < 2030, $0].join(' ')
exit 4`)
	out, err := lanetest.Execute(t, l, src, &compile.Job{Stdin: []byte("abc\nde\n"), Args: []string{"x", "y"}, Files: files, Dir: "/w"})
	if err != nil || out.Exit != 4 {
		t.Fatalf("%+v %v", out, lanetest.Complaint(out, err))
	}
	if got, want := string(out.Stdout), "7 [\"x\", \"y\"] 7 [\"in.txt\", \"lib\", \"out.txt\"] true block\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if data, err := files.ReadFile("w/out.txt"); err != nil || string(data) != "ONE\nTWO\n" {
		t.Errorf("out.txt: %q, %v", data, err)
	}
}

func TestSession(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, want, complaint string }{
		{"n = 41", "41", ""},
		{"n += 1", "42", ""},
		{"raise 'x'", "", "a.org:10:1: x\n"},
		{"def twice(x) = 2 * x\ntwice(n)", "84", ""},
		{"loop {}", "", "fuel limit 10000000 exceeded"},
		{"defined?(n).inspect", `"nil"`, ""}, // the session ended with its machine
	} {
		src := block(compile.ShapeBabel, c.body)
		src.Args["session"] = []string{"s"}
		out, err := lanetest.Execute(t, l, src, &compile.Job{Session: "s", Limits: sandbox.Limits{Fuel: 1e7}})
		if complaint := lanetest.Complaint(out, err); complaint != c.complaint {
			t.Errorf("%s: complains %q, want %q", c.body, complaint, c.complaint)
		} else if complaint == "" && out.Value.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.body, out.Value, c.want)
		}
	}
	if err := compile.CloseSession(t.Context(), l, "s"); err != nil {
		t.Fatal(err)
	}
}

// Limits end a program, whatever it rescues.
func TestLimits(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct {
		body   string
		limits sandbox.Limits
		kind   sandbox.LimitKind
	}{
		{"loop { begin; loop {}; rescue Exception; end }", sandbox.Limits{Fuel: 1e7}, sandbox.LimitFuel},
		{"a = []; loop { a << 'x' * 100_000 }", sandbox.Limits{Memory: 16 << 20}, sandbox.LimitMemory},
		{"loop { puts 'x' * 1000 }", sandbox.Limits{Output: 1 << 16}, sandbox.LimitOutput},
	} {
		lanetest.Breaks(t, l, block(compile.ShapeCommand, c.body), c.limits, c.kind)
	}
}

func TestSameEveryTime(t *testing.T) {
	l := testLane(t)
	lanetest.SameEveryTime(t, l, block(compile.ShapeBabel, "[rand, Random.new_seed, Object.new.inspect, 'x'.hash, Time.now.to_f]"), 3)
}

// BenchmarkCall is a whole run of a small block, from the snapshot.
func BenchmarkCall(b *testing.B) {
	l := testLane(b)
	src := block(compile.ShapeComponent, "def f(x) = x * 2")
	art, err := l.Build(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "x", Value: value.OfInt(4)}}}
	for b.Loop() {
		if out, err := l.Run(b.Context(), art, job); err != nil || out.Exit != 0 {
			b.Fatal(lanetest.Complaint(out, err))
		}
	}
}
