package lua

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
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
	return lanetest.Block("lua", shape, body)
}

func TestBabelValues(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ results, body, want string }{
		{"value", "return 1 + 2", `3`},
		{"value", "return 7 // 2 + 0.0", `3.0`},
		{"value", "return 'text'", `"text"`},
		{"value", "return '12'", `12`},
		{"value", "return nil", `"nil"`},
		{"value", "return 1, 2, 'x'", `"1, 2, x"`},
		{"value", "x = 1", `""`},
		{"value", "return {1, 2, 3}", `[1,2,3]`},
		{"value", "return {{'a', 1}, null, {'b', 2.5}}", `[["a",1],{"$hline":true},["b",2.5]]`},
		{"value", "return {a = 1, b = 'x'}", `"a = 1\nb = x"`},
		{"value", "local t = {}; t.t = t; return t", `"t = ..."`},
		{"value pp", "return {{1}, {x = 2}}", `"1 = \n  1 = 1\n2 = \n  x = 2"`},
		{"value verbatim", "return {1, 2}", `"1 = 1\n2 = 2"`},
		{"output", "print('a'); io.write('b', 3, '\\n')", `"a\nb3\n"`},
		{"output", "io.stderr:write('no'); print(42)", `"42\n"`},
		{"value", "print('noise'); return #arg", `0`},
		{"value", "return select('#', string.find('abc', 'c')), _VERSION", `"2, Lua 5.4"`},
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
		{`"a\"b\\c\nd"`, "x", `"a\"b\\c\nd"`},
		{`[1, 2, 3]`, "#x .. x[3]", `33`},
		{`[7]`, "x", `7`},
		{`[["a", 1], ["b c", 2]]`, "x.a + x['b c']", `3`},
		{`[[1, 2], [3, 4]]`, "x[2][1]", `3`},
		{`[["end", "v", 3]]`, "x[1][1] .. x[1][3]", `"end3"`},
		{`[]`, "type(x)", `"table"`},
		{`{"k": {"end": [1, 2]}}`, "x.k['end'][2]", `2`},
		{`["a", "b"]`, "x[2]", `"b"`},
	} {
		v, err := value.ParseJSON([]byte(c.v))
		if err != nil {
			t.Fatal(err)
		}
		src := block(compile.ShapeBabel, "return "+c.expr)
		src.Vars = []compile.Var{{Name: "x", Value: v}}
		lanetest.Gives(t, l, src, nil, c.want)
	}
}

func TestSurroundings(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeBabel, "x = x + 1")
	src.Vars = []compile.Var{{Name: "x", Value: value.OfInt(40)}}
	src.Args = map[string][]string{"prologue": {`"local y = 1"`}, "return": {"x + y"}}
	out, err := lanetest.Execute(t, l, src, nil)
	if lanetest.Complaint(out, err) != "" || out.Value.String() != "42" {
		t.Errorf("%v, %s", out, lanetest.Complaint(out, err))
	}
}

func TestComponent(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, fn, outs, args, want string }{
		{"function greet(name) return 'hello, ' .. name end", "greet", "g", `{"name": "ada"}`, `"hello, ada"`},
		{"function greet(name) return name end", "other", "g", `{"name": "é\u0000\"\\\n"}`, `"é\u0000\"\\\n"`},
		{"function a() return 1 end function parseInput() return inputRaw end", "parse_input", "g", `{}`, `"raw"`},
		{"return function(a, b) return a * b end", "f", "p", `{"a": 3, "b": 2.0}`, `6.0`},
		{"local M = {} function M.f(t) return t[2].x end return M", "f", "p", `{"t": [1, {"x": [true, null]}]}`, `[true,null]`},
		{"function f() return 1, 'b' end", "f", "n s", `{}`, `{"n":1,"s":"b"}`},
		{"function f() return {n = 1, s = 'b'} end", "f", "n s", `{}`, `{"n":1,"s":"b"}`},
		{"function f(x) return x == nil end", "f", "p", `{"x": null}`, `true`},
		{"function f(x) return math.type(x[1]), x[2] end", "f", "a b", `{"x": [9007199254740993, 0.1]}`, `{"a":"integer","b":0.1}`},
		{"function f() return {1, nil, 3} end", "f", "p", `{}`, `[1,null,3]`},
		{"function f() return {} end", "f", "p", `{}`, `[]`},
		{"function f() return {[10]=1, [2]=2, z=0, a={}} end", "f", "p", `{}`, `{"10":1,"2":2,"a":[],"z":0}`},
		{"function f() return 0/0 end", "f", "p", `{}`, `{"$float":"NaN"}`},
		{"function f() local t = {1/0, {-1/0}, {2}} return t, t end", "f", "a b", `{}`, `{"a":[{"$float":"Infinity"},[{"$float":"-Infinity"}],[2]],"b":[{"$float":"Infinity"},[{"$float":"-Infinity"}],[2]]}`},
		{"function f(x) return {x[1] ~= x[1], x[2] == 1/0, x[3] == -1/0} end", "f", "p", `{"x": [{"$float":"NaN"}, {"$float":"Infinity"}, {"$float":"-Infinity"}]}`, `[true,true,true]`},
		{"function f(n) local co = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) local s = 0 for i = 1, n do s = s + co() end return s end", "f", "p", `{"n": 100}`, `5050`},
		{"function f() local x <close> = setmetatable({}, {__close = function() g = 'closed' end}); return 1 end", "f", "p", `{}`, `1`},
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
		{compile.ShapeBabel, "x = 1\nlocal = 2", "a.org:11:7: error: <name> expected near '='"},
		{compile.ShapeBabel, "if true then\n  print(1)\n", "a.org:11:11: error: 'end' expected (to close 'if' at line 1) near <eof>"},
		{compile.ShapeBabel, "x = 1\n  goto nowhere", "a.org:11:8: error: no visible label 'nowhere' for <goto> at line 2"},
		{compile.ShapeBabel, "local t = {}\n\nprint(t.a.b)", "a.org:12:9: attempt to index a nil value (field 'a')\n"},
		{compile.ShapeBabel, "local function f() g() end\nf()", "a.org:10:20: attempt to call a nil value (global 'g')\n  a.org:10:1: in local 'f'\n  a.org:11:1: in the block\n"},
		{compile.ShapeBabel, "error('mine')", "a.org:10:1: mine\n"},
		{compile.ShapeBabel, "error({code = 3})", "a.org:10:1: error object {\"code\":3}\n"},
		{compile.ShapeBabel, "error(setmetatable({}, {__tostring = function() return 'T' end}))", "a.org:10:1: T\n"},
		{compile.ShapeBabel, "local function f() return 1 + f() end f()", "a.org:10:1: stack overflow"},
		{compile.ShapeComponent, "x = 1", "a.org:10:1: the block defines no function\n"},
		{compile.ShapeComponent, "function a() end function b() end", "a.org:10:1: the block defines a, b; name one of them with :func\n"},
		{compile.ShapeComponent, "function f() return print end", "a.org:10:1: a function cannot be part of a result\n"},
		{compile.ShapeComponent, "function f() local t = {} t.t = t return t end", "a.org:10:1: a table is nested too deep, or contains itself\n"},
		{compile.ShapeCommand, "os.exit(3)", ""},
	} {
		out, err := lanetest.Execute(t, l, block(c.shape, c.body), nil)
		got := lanetest.Complaint(out, err)
		if got != c.want && !(c.want != "" && !strings.HasSuffix(c.want, "\n") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.body, got, c.want)
		}
		if c.shape == compile.ShapeCommand && (out == nil || out.Exit != 3) {
			t.Errorf("%s: %+v", c.body, out)
		}
	}
}

func TestCommand(t *testing.T) {
	l := testLane(t)
	files := sandbox.NewMemFS()
	if err := errors.Join(files.WriteFile("w/lib/m.lua", []byte("return {v = ...}")), files.WriteFile("w/in.txt", []byte("one\ntwo\n"))); err != nil {
		t.Fatal(err)
	}
	src := block(compile.ShapeCommand, `local n = 0
for line in io.lines() do n = n + #line end
local f = assert(io.open('out.txt', 'w'))
for line in io.lines('in.txt') do f:write(line:upper(), '\n') end
f:close()
print(n, arg[1], #arg, require('lib.m').v, os.execute(), os.tmpname(), os.time())`)
	out, err := lanetest.Execute(t, l, src, &compile.Job{Stdin: []byte("abc\nde\n"), Args: []string{"x", "y"}, Files: files, Dir: "/w"})
	if complaint := lanetest.Complaint(out, err); complaint != "" {
		t.Fatal(complaint)
	}
	if got, want := string(out.Stdout), "5\tx\t2\tlib.m\tfalse\t/tmp/lua_000001\t"; !strings.HasPrefix(got, want) {
		t.Errorf("printed %q, want %q", got, want)
	}
	if data, err := files.ReadFile("w/out.txt"); err != nil || string(data) != "ONE\nTWO\n" {
		t.Errorf("out.txt: %q, %v", data, err)
	}
}

func TestSession(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct{ body, want, complaint string }{
		{"n = 41; return n", "41", ""},
		{"n = n + 1; return n", "42", ""},
		{"error('x')", "", "a.org:10:1: x\n"},
		{"while true do end", "", "fuel limit 1000000 exceeded"},
		{"return tostring(n)", `"nil"`, ""}, // the session ended with its machine
		{"n = 1; return n", "1", ""},
		{"", "", ""},
		{"return tostring(n)", `"nil"`, ""},
	} {
		if c.body == "" {
			if err := compile.CloseSession(t.Context(), l, "s"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		out, err := lanetest.Execute(t, l, block(compile.ShapeBabel, c.body), &compile.Job{Session: "s", Limits: sandbox.Limits{Fuel: 1e6}})
		if complaint := lanetest.Complaint(out, err); complaint != c.complaint {
			t.Errorf("%s: complains %q, want %q", c.body, complaint, c.complaint)
		} else if complaint == "" && out.Value.String() != c.want {
			t.Errorf("%s: got %s, want %s", c.body, out.Value, c.want)
		}
	}
	_ = compile.CloseSession(t.Context(), l, "s")
}

// Limits end a program, whatever it catches.
func TestLimits(t *testing.T) {
	l := testLane(t)
	for _, c := range []struct {
		body   string
		limits sandbox.Limits
		kind   sandbox.LimitKind
	}{
		{"while true do end", sandbox.Limits{Fuel: 1e6}, sandbox.LimitFuel},
		{"while true do pcall(function() while true do end end) end", sandbox.Limits{Fuel: 1e6}, sandbox.LimitFuel},
		{"local f f = function() pcall(f) f() end f()", sandbox.Limits{Fuel: 1e8}, sandbox.LimitFuel},
		{"local s = 'x' while true do s = s .. s end", sandbox.Limits{Memory: 8 << 20}, sandbox.LimitMemory},
		{"local t = {} for i = 1, 1e9 do t[i] = {i} end", sandbox.Limits{Memory: 8 << 20}, sandbox.LimitMemory},
		{"while true do print('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx') end", sandbox.Limits{Output: 1 << 16}, sandbox.LimitOutput},
	} {
		lanetest.Breaks(t, l, block(compile.ShapeCommand, c.body), c.limits, c.kind)
	}
}

// TestErrorsUnwind makes errors travel through calls from C to Lua and back,
// as deep as Lua allows, many times over: what the host's try and throw are for.
func TestErrorsUnwind(t *testing.T) {
	l := testLane(t)
	src := block(compile.ShapeBabel, `
local function deep(n)
  if n == 0 then error('bottom', 0) end
  local keep = n * 2
  local ok, e = pcall(deep, n - 1)
  assert(not ok and keep == n * 2)
  if n % 3 == 0 then error(e .. n, 0) end
  error(e, 0)
end
local last
for i = 1, 300 do
  local ok, e = pcall(deep, i % 60)
  assert(not ok)
  last = e
end
-- beyond the limit of nested C calls it is an ordinary error
local depth = 0
local function endless() depth = depth + 1 local ok, e = pcall(endless) if not ok then error(e, 0) end end
local ok, e = pcall(endless)
assert(not ok and e:find('overflow'), e)
-- errors through sort, gsub, metamethods and coroutines
assert(not pcall(table.sort, {3, 2, 1}, function() error('cmp') end))
assert(not pcall(string.gsub, 'abc', '.', function() error('rep') end))
assert(not pcall(function() return setmetatable({}, {__index = function() error('idx') end}).x end))
local co = coroutine.create(function() for i = 1, 50 do pcall(coroutine.yield, i) end error('end of co') end)
local sum = 0
while true do
  local ok, v = coroutine.resume(co)
  if not ok or v == nil then assert(tostring(v):find('end of co'), v) break end
  sum = sum + v
end
return last .. ' ' .. sum`)
	var fuel int64
	for range 3 {
		out, err := lanetest.Execute(t, l, src, nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Fatal(complaint)
		}
		if got := out.Value.Text(); got != "bottom 1275" {
			t.Errorf("got %q", got)
		}
		if fuel != 0 && out.Usage.Fuel != fuel {
			t.Errorf("fuel %d, then %d", fuel, out.Usage.Fuel)
		}
		fuel = out.Usage.Fuel
	}
}
