package zig

import (
	"context"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

var shared *Compiler

// testLane is the lane on a compiler that all tests share.
func testLane(t testing.TB) lane {
	t.Helper()
	env := lanetest.Env(t)
	if shared == nil {
		shared = newCompiler(env, clang.New(env))
	}
	lanetest.Need(t, env, toolName, "clang")
	return newLane(shared)
}

func source(shape compile.Shape, body string, args ...string) *compile.Source {
	src := &compile.Source{Pos: diag.Position{File: "test.org", Line: 10, Col: 1}, Lang: "zig", Body: body, Shape: shape, Args: map[string][]string{}}
	for i := 0; i < len(args); i += 2 {
		src.Args[args[i]] = append(src.Args[args[i]], args[i+1])
	}
	return src
}

const out014 = "const stdout = std.io.getStdOut().writer();\n"

func TestPrograms(t *testing.T) {
	l := testLane(t)
	for name, c := range map[string]struct{ body, want string }{
		"statements": {out014 + "try stdout.print(\"hello {d}\\n\", .{42});", "hello 42\n"},
		"whole":      {"const std = @import(\"std\");\npub fn main() !void {\n    try std.io.getStdOut().writeAll(\"whole\\n\");\n}", "whole\n"},
		"functions": {out014 + "const Pair = struct { a: u32, b: u32 };\nfn sum(p: Pair) u32 { return p.a + p.b; }\nfn largest(comptime T: type, xs: []const T) T {\n    var m = xs[0];\n    for (xs) |x| m = @max(m, x);\n    return m;\n}\ntry stdout.print(\"{d} {d}\\n\", .{ sum(.{ .a = 1, .b = 2 }), largest(f64, &.{ 1.5, 3.5, 2 }) });",
			"3 3.5\n"},
		"containers": {out014 + "var list = std.ArrayList(u32).init(std.heap.c_allocator);\ndefer list.deinit();\nfor (0..5) |i| try list.append(@intCast(i * i));\nvar map = std.StringHashMap(u32).init(std.heap.c_allocator);\ndefer map.deinit();\ntry map.put(\"n\", 7);\ntry stdout.print(\"{any} {?d}\\n\", .{ list.items, map.get(\"n\") });",
			"{ 0, 1, 4, 9, 16 } 7\n"},
		"clock and chance": {out014 + "const before = std.time.timestamp();\nstd.Thread.sleep(2 * std.time.ns_per_s);\ntry stdout.print(\"{d} {}\\n\", .{ std.time.timestamp() - before, std.crypto.random.int(u64) != std.crypto.random.int(u64) });",
			"2 true\n"},
	} {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			art, err := l.Build(context.Background(), source(compile.ShapeCommand, c.body))
			if err != nil {
				t.Fatal(err)
			}
			out, err := l.Run(context.Background(), art, &compile.Job{})
			if err != nil || string(out.Stdout) != c.want || out.Exit != 0 {
				t.Errorf("printed %q, exit %d, %s (%v); want %q", out.Stdout, out.Exit, out.Stderr, err, c.want)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	l := testLane(t)
	src := source(compile.ShapeBabel, out014+"try stdout.print(\"{d} {d} {s} {s} {d}\\n\", .{ n, x, s, table[1][0], xs[1] });")
	src.Vars = []compile.Var{{Name: "n", Value: value.OfInt(3)}, {Name: "x", Value: value.OfFloat(0.5)}, {Name: "s", Value: value.OfString("a \"b\"\n")},
		{Name: "table", Value: value.OfList(value.OfList(value.OfString("k"), value.OfInt(1)), value.Rule(), value.OfList(value.OfString("l"), value.OfInt(2)))},
		{Name: "xs", Value: value.OfList(value.OfInt(1), value.OfFloat(2.5))}}
	src.Results = []string{"output"}
	art, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := l.Run(context.Background(), art, &compile.Job{})
	if err != nil || out.Value.Text() != "3 0.5 a \"b\"\n l 2.5\n" {
		t.Errorf("got %v, %v", out, err)
	}
}

type componentCase struct{ sig, body, in, want string }

var components = map[string]componentCase{
	"mean":       {"mean(xs: list<f64>) -> f64", "fn mean(xs: []const f64) f64 {\n    var s: f64 = 0;\n    for (xs) |x| s += x;\n    return s / @as(f64, @floatFromInt(xs.len));\n}", `{"xs":[1,2,4.5]}`, `2.5`},
	"scalars":    {"f(a: s32, b: s64, c: u32, d: bool) -> s64", "fn f(a: i64, b: i64, c: u32, d: bool) i64 {\n    return if (d) a + b + c else 0;\n}", `{"a":-1,"b":5000000000,"c":7,"d":true}`, `5000000006`},
	"strings":    {"f(s: string, ws: list<string>) -> string", "fn f(s: []const u8, ws: []const []const u8) []const u8 {\n    return std.mem.concat(std.heap.c_allocator, u8, &.{ s, \"-\", ws[1] }) catch \"\";\n}", `{"s":"a","ws":["x","é"]}`, `"a-é"`},
	"lists":      {"f(n: s32) -> list<list<s32>>", "fn f(n: i32) []const []const i32 {\n    const rows = std.heap.c_allocator.alloc([]i32, @intCast(n)) catch unreachable;\n    for (rows, 0..) |*r, i| {\n        r.* = std.heap.c_allocator.alloc(i32, i) catch unreachable;\n        for (r.*, 0..) |*x, j| x.* = @intCast(j);\n    }\n    return rows;\n}", `{"n":3}`, `[[],[0],[0,1]]`},
	"options":    {"f(a: option<f64>, s: option<string>, l: option<list<s32>>) -> tuple<option<f64>, option<string>, option<list<s32>>>", "const Three = struct { ?f64, ?[]const u8, ?[]const i32 };\nfn f(a: ?f64, s: ?[]const u8, l: ?[]const i32) Three {\n    return .{ a, s, l };\n}", `{"a":1.5,"s":null,"l":[4]}`, `[1.5,null,[4]]`},
	"records":    {"f(ps: list<record {n: string, v: f64}>) -> record {names: list<string>, sum: f64}", "const P = struct { n: []const u8, v: f64 };\nconst R = struct { names: []const []const u8, sum: f64 };\nfn f(ps: []const P) R {\n    const names = std.heap.c_allocator.alloc([]const u8, ps.len) catch unreachable;\n    var sum: f64 = 0;\n    for (ps, 0..) |p, i| {\n        names[i] = p.n;\n        sum += p.v;\n    }\n    return .{ .names = names, .sum = sum };\n}", `{"ps":[{"n":"a","v":1},{"n":"b","v":2.5}]}`, `{"names":["a","b"],"sum":3.5}`},
	"result ok":  {"f(x: f64) -> result<f64, string>", "fn f(x: f64) !f64 {\n    if (x < 0) return error.Negative;\n    return @sqrt(x);\n}", `{"x":9}`, `{"ok":3.0}`},
	"result err": {"f(x: f64) -> result<f64, string>", "fn f(x: f64) !f64 {\n    if (x < 0) return error.Negative;\n    return @sqrt(x);\n}", `{"x":-9}`, `{"err":"Negative"}`},
	"error":      {"f(x: f64) -> f64", "fn f(x: f64) error{Odd}!f64 {\n    return x;\n}", `{"x":9}`, `9.0`},
	"named":      {"f(x: s32) -> (half: s32, odd: bool)", "fn f(x: i32) struct { half: i32, odd: bool } {\n    return .{ .half = @divTrunc(x, 2), .odd = @mod(x, 2) == 1 };\n}", `{"x":7}`, `{"half":3,"odd":true}`},
	"nothing":    {"f(x: s32)", "fn f(x: i32) void {\n    _ = x;\n}", `{"x":7}`, `null`},
	"inferred":   {"", "pub fn f(xs: []const f64, k: i32) f64 {\n    return xs[0] * @as(f64, @floatFromInt(k));\n}\nfn other() void {}", `{"xs":[1.5],"k":3}`, `4.5`},
}

func TestComponents(t *testing.T) {
	l := testLane(t)
	for name, c := range components {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			art, err := l.Build(context.Background(), component(t, c.sig, c.body))
			if err != nil {
				t.Fatal(err)
			}
			in, err := value.ParseJSON([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			out, err := l.Run(context.Background(), art, &compile.Job{Inputs: in.Fields()})
			if err != nil || out.Value.String() != c.want || out.Exit != 0 {
				t.Errorf("got %v, %v; want %s", out, err, c.want)
			}
		})
	}
}

func component(t testing.TB, sig, body string) *compile.Source {
	t.Helper()
	src := source(compile.ShapeComponent, body)
	src.Sig = lanetest.Sig(t, sig)
	return src
}

func TestDiagnostics(t *testing.T) {
	l := testLane(t)
	for name, c := range map[string]struct {
		src  *compile.Source
		want string
	}{
		"undeclared": {source(compile.ShapeBabel, "const x = 1;\n_ = x + nope;"), "test.org:11:9: error: use of undeclared identifier 'nope'"},
		"hoisted":    {source(compile.ShapeBabel, "_ = f();\nfn f() u8 {\n    return \"x\";\n}"), "test.org:12:12: error: expected type 'u8', found '*const [1:0]u8'"},
		"unused":     {source(compile.ShapeBabel, "const x = 1;"), "test.org:10:7: error: unused local constant"},
		"syntax":     {source(compile.ShapeBabel, "const x = ;"), "test.org:10:11: error: expected expression, found ';'"},
		"in std":     {source(compile.ShapeBabel, out014+"try stdout.print(\"{d}\\n\", .{});"), "test.org:11:17: error: in std/fmt.zig"},
		"parameters": {component(t, "f(x: f64) -> f64", "fn f(x: f64, y: f64) f64 { return x + y; }"), "test.org:10:4: error: f takes 2 parameters, its signature has 1"},
		"result":     {component(t, "f(x: f64) -> result<f64, string>", "fn f(x: f64) f64 { return x; }"), "test.org:10:4: error: f must return an error union, as its signature returns result<f64, string>"},
		"package":    {source(compile.ShapeBabel, "const z = @import(\"zap\");\n_ = z.x;"), "test.org:10:19: error: no module named 'zap' available within module 'root'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Build(context.Background(), c.src)
			if err == nil {
				t.Fatal("it compiles")
			}
			if got, _, _ := strings.Cut(err.Error(), "\n"); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	l := testLane(t)
	for name, c := range map[string]struct {
		src  *compile.Source
		exit int
		want string
	}{
		"error":       {source(compile.ShapeBabel, "if (n < 2) return error.TooSmall;", "prologue", "const n: u32 = 1;"), 1, "error: TooSmall"},
		"component":   {component(t, "f() -> f64", "fn f() !f64 {\n    return error.Cold;\n}"), 1, "test.org:10:1: error: f: Cold"},
		"panic":       {source(compile.ShapeBabel, "fn deep(n: u32) void {\n    if (n == 0) @panic(\"gone\");\n    deep(n - 1);\n}\ndeep(3);"), 134, "gone"},
		"unreachable": {component(t, "f(x: s32) -> s32", "fn f(x: i64) i32 {\n    return std.math.cast(i32, x << 40) orelse @trap();\n}"), 134, "the program reached an unreachable instruction"},
	} {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			art, err := l.Build(context.Background(), c.src)
			if err != nil {
				t.Fatal(err)
			}
			job := &compile.Job{Source: c.src}
			if c.src.Sig != nil && len(c.src.Sig.Params) > 0 {
				job.Inputs = []value.Field{{Name: "x", Value: value.OfInt(7)}}
			}
			out, err := l.Run(context.Background(), art, job)
			if err != nil {
				t.Fatal(err)
			}
			if out.Exit != c.exit || !strings.Contains(string(out.Stderr), c.want) {
				t.Errorf("exit %d, stderr %q; want %d and %q", out.Exit, out.Stderr, c.exit, c.want)
			}
		})
	}
}

func TestKernel(t *testing.T) {
	lanetest.FlipsCase(t, testLane(t), source(compile.ShapeKernel, kernelBody))
}

const kernelBody = "fn process(in: []const u8, out: []u8) usize {\n    for (in, 0..) |c, i| out[i] = c ^ 0x20;\n    return in.len;\n}"

// quick are the cases that run without the build tag long.
var quick = map[string]bool{"statements": true, "functions": true, "mean": true, "options": true, "records": true, "result err": true, "named": true, "error": true, "component": true}
