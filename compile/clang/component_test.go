package clang

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// component makes a source of component shape; sig may be empty.
func component(t testing.TB, lang, sig, body string) *compile.Source {
	t.Helper()
	src := block(lang, compile.ShapeComponent, body)
	src.Sig = lanetest.Sig(t, sig)
	return src
}

type componentCase struct {
	sig, body, in, want string
}

var componentsC = map[string]componentCase{
	"mean":       {"mean(xs: list<f64>) -> f64", "double mean(const double *xs, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += xs[i]; return n ? s / n : 0; }", `{"xs":[1,2,3.5]}`, `2.1666666666666665`},
	"mean int n": {"mean(xs: list<f64>) -> f64", "double mean(double xs[], int n) { double s = 0; while (n--) s += xs[n]; return s; }", `{"xs":[1,2]}`, `3.0`},
	"empty":      {"count(xs: list<f64>) -> u32", "unsigned count(const double *xs, size_t n) { return xs ? n : 99; }", `{"xs":[]}`, `0`},
	"scalars": {"f(a: s32, b: s64, c: u32, d: u64, e: f32, g: f64, h: bool) -> f64",
		"double f(int a, long long b, unsigned c, uint64_t d, float e, double g, bool h) { return (double)a + b + c + d + e + g + h; }", `{"a":-1,"b":5000000000,"c":4000000000,"d":1,"e":0.5,"g":0.25,"h":true}`, `9000000001.75`},
	"s64":              {"f(x: s64) -> s64", "int64_t f(int64_t x) { return -x; }", `{"x":9007199254740993}`, `-9007199254740993`},
	"bool":             {"f(x: s32) -> bool", "bool f(int x) { return x > 2; }", `{"x":3}`, `true`},
	"string":           {"len(s: string) -> u32", "#include <string.h>\nsize_t len(const char *s) { return strlen(s); }", `{"s":"héllo"}`, `6`},
	"string+len":       {"len(s: string, k: s32) -> u32", "size_t len(const char *s, size_t n, int k) { return n * k; }", `{"s":"abc","k":2}`, `6`},
	"string result":    {"greet(name: string) -> string", "#include <stdio.h>\nconst char *greet(const char *name) { static char b[64]; snprintf(b, 64, \"hi %s\", name); return b; }", `{"name":"you"}`, `"hi you"`},
	"strings":          {"longest(words: list<string>) -> string", "#include <string.h>\nconst char *longest(const char **words, size_t n) { const char *best = \"\"; for (size_t i = 0; i < n; i++) if (strlen(words[i]) > strlen(best)) best = words[i]; return best; }", `{"words":["a","ccc","bb"]}`, `"ccc"`},
	"list result":      {"twice(xs: list<s32>) -> list<s32>", "#include <stdlib.h>\nint *twice(const int *xs, size_t n, size_t *len) { int *r = malloc(n * sizeof *r); for (size_t i = 0; i < n; i++) r[i] = 2 * xs[i]; *len = n; return r; }", `{"xs":[1,2,3]}`, `[2,4,6]`},
	"list result int":  {"upto(n: s32) -> list<f64>", "double *upto(int n, int *len) { static double r[100]; for (int i = 0; i < n; i++) r[i] = i; *len = n; return r; }", `{"n":3}`, `[0.0,1.0,2.0]`},
	"list struct":      {"upto(n: s32) -> list<f64>", "wb_list_f64 upto(int n) { static double r[100]; for (int i = 0; i < n; i++) r[i] = i; return (wb_list_f64){r, n}; }", `{"n":2}`, `[0.0,1.0]`},
	"string list":      {"both(a: string, b: string) -> list<string>", "const char **both(const char *a, const char *b, size_t *len) { static const char *r[2]; r[0] = b; r[1] = a; *len = 2; return r; }", `{"a":"x","b":"y"}`, `["y","x"]`},
	"matrix":           {"trace(m: list<list<f64>>) -> f64", "double trace(const wb_list_f64 *m, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += m[i].ptr[i]; return s; }", `{"m":[[1,2],[3,4]]}`, `5.0`},
	"record":           {"norm(p: record {x: f64, y: f64}) -> f64", "#include <math.h>\ndouble norm(p_t p) { return hypot(p.x, p.y); }", `{"p":{"y":4,"x":3}}`, `5.0`},
	"record pointer":   {"norm(p: record {x: f64, name: string}) -> string", "const char *norm(const p_t *p) { return p->x > 2 ? p->name : \"small\"; }", `{"p":{"x":3,"name":"big"}}`, `"big"`},
	"records":          {"centre(points: list<record {x: f64, y: f64}>) -> record {x: f64, y: f64}", "centre_t centre(const points_t *points, size_t n) { points_t c = {0}; for (size_t i = 0; i < n; i++) { c.x += points[i].x / n; c.y += points[i].y / n; } return c; }", `{"points":[{"x":0,"y":0},{"x":2,"y":4}]}`, `{"x":1.0,"y":2.0}`},
	"mixed record":     {"f(r: record {b: bool, d: f64, s: string, l: list<s32>, o: option<s64>}) -> f64", "double f(r_t r) { return r.b + r.d + r.s[0] + r.l.ptr[r.l.len - 1] + (r.o ? *r.o : 0); }", `{"r":{"b":true,"d":0.5,"s":"A","l":[1,2],"o":1000}}`, `1068.5`},
	"option some":      {"f(x: option<f64>, s: option<string>) -> f64", "double f(const double *x, const char *s) { return (x ? *x : -1) + (s ? 100 : 0); }", `{"x":2}`, `2.0`},
	"option none":      {"f(x: option<f64>) -> option<f64>", "double *f(double *x) { return x; }", `{"x":null}`, `null`},
	"option result":    {"find(xs: list<s32>, x: s32) -> option<s32>", "const int32_t *find(const int *xs, size_t n, int x) { for (size_t i = 0; i < n; i++) if (xs[i] == x) return &xs[i]; return 0; }", `{"xs":[4,5],"x":5}`, `5`},
	"option list":      {"f(xs: option<list<s32>>) -> s32", "int f(const int *xs, size_t n) { return xs ? (int)n : -1; }", `{}`, `-1`},
	"result ok":        {"root(x: f64) -> result<f64, string>", "#include <math.h>\ndouble root(double x, const char **err) { if (x < 0) { *err = \"negative\"; return 0; } return sqrt(x); }", `{"x":9}`, `{"ok":3.0}`},
	"result err":       {"root(x: f64) -> result<f64, string>", "#include <math.h>\ndouble root(double x, const char **err) { if (x < 0) { *err = \"negative\"; return 0; } return sqrt(x); }", `{"x":-9}`, `{"err":"negative"}`},
	"result struct":    {"f(x: s32) -> result<f64, s32>", "f_t f(int x) { return x ? (f_t){.ok = 1.5} : (f_t){.is_err = true, .err = 7}; }", `{"x":0}`, `{"err":7}`},
	"result list":      {"f(n: s32) -> result<list<s32>, string>", "int *f(int n, size_t *len, const char **err) { static int r[9]; if (n > 9) { *err = \"too many\"; return 0; } *len = n; return r; }", `{"n":2}`, `{"ok":[0,0]}`},
	"tuple":            {"divmod(a: s32, b: s32) -> tuple<s32, s32>", "divmod_t divmod(int a, int b) { return (divmod_t){a / b, a % b}; }", `{"a":17,"b":5}`, `[3,2]`},
	"tuple in":         {"f(t: tuple<s32, string>) -> s32", "int f(t_t t) { return t.f0 + t.f1[0]; }", `{"t":[1,"A"]}`, `66`},
	"named results":    {"split(n: s32) -> (half: s32, rest: string)", "split_t split(int n) { return (split_t){n / 2, n % 2 ? \"odd\" : \"even\"}; }", `{"n":7}`, `{"half":3,"rest":"odd"}`},
	"nothing":          {"f(x: s32)", "void f(int x) { }", `{"x":1}`, `null`},
	"no inputs":        {"f() -> s32", "int f(void) { return 5; }", `{}`, `5`},
	"kebab":            {"top-k(max-items: s32) -> s32", "int top_k(int max_items) { return max_items; }", `{"max-items":3}`, `3`},
	"keyword field":    {"f(r: record {int: s32, new: s32}) -> s32", "int f(r_t r) { return r.int_ + r.new_; }", `{"r":{"int":1,"new":2}}`, `3`},
	"helpers":          {"g(x: s32) -> s32", "static int helper(int x) { return x + 1; }\nint other(int x) { return 0; }\nint g(int x) { return helper(x); }", `{"x":1}`, `2`},
	"globals kept out": {"f() -> s32", "static int calls; int f(void) { return ++calls; }", `{}`, `1`},
	"inferred":         {"", "double mean(const double *xs, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += xs[i]; return s / n; }", `{"xs":[2,4]}`, `3.0`},
	"inferred text":    {"", "#include <string.h>\nint count(const char *s, char **words, int n, unsigned long long k) { int c = 0; for (int i = 0; i < n; i++) c += !strcmp(words[i], s); return c * k; }", `{"s":"a","words":["a","b","a"],"k":10}`, `20`},
	"inferred list":    {"", "#include <stdlib.h>\nfloat *half(const float *xs, size_t n, size_t *len) { float *r = malloc(4 * n); for (size_t i = 0; i < (*len = n); i++) r[i] = xs[i] / 2; return r; }", `{"xs":[1,3]}`, `[0.5,1.5]`},
}

var componentsCPP = map[string]componentCase{
	"C style":     {"mean(xs: list<f64>) -> f64", "double mean(const double *xs, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += xs[i]; return s / n; }", `{"xs":[1,3]}`, `2.0`},
	"vector":      {"mean(xs: list<f64>) -> f64", "#include <vector>\n#include <numeric>\ndouble mean(const std::vector<double> &xs) { return std::accumulate(xs.begin(), xs.end(), 0.0) / xs.size(); }", `{"xs":[1,3]}`, `2.0`},
	"sorted":      {"sorted(xs: list<s32>) -> list<s32>", "#include <vector>\n#include <algorithm>\nstd::vector<int> sorted(std::vector<int> xs) { std::sort(xs.begin(), xs.end()); return xs; }", `{"xs":[3,1,2]}`, `[1,2,3]`},
	"strings":     {"join(words: list<string>, sep: string) -> string", "#include <string>\n#include <vector>\nstd::string join(const std::vector<std::string> &words, const std::string &sep) { std::string r; for (auto &w : words) r += (r.empty() ? \"\" : sep) + w; return r; }", `{"words":["a","b"],"sep":", "}`, `"a, b"`},
	"split":       {"split(s: string) -> list<string>", "#include <sstream>\n#include <vector>\nstd::vector<std::string> split(const std::string &s) { std::istringstream in(s); std::vector<std::string> r; std::string w; while (in >> w) r.push_back(w); return r; }", `{"s":"x yy z"}`, `["x","yy","z"]`},
	"matrix":      {"transpose(m: list<list<f64>>) -> list<list<f64>>", "#include <vector>\nusing M = std::vector<std::vector<double>>;\nstd::vector<std::vector<double>> transpose(const std::vector<std::vector<double>> &m) { M t(m.empty() ? 0 : m[0].size(), std::vector<double>(m.size())); for (size_t i = 0; i < m.size(); i++) for (size_t j = 0; j < m[i].size(); j++) t[j][i] = m[i][j]; return t; }", `{"m":[[1,2],[3,4]]}`, `[[1.0,3.0],[2.0,4.0]]`},
	"optional":    {"find(xs: list<s32>, x: s32) -> option<u32>", "#include <optional>\n#include <vector>\nstd::optional<unsigned> find(const std::vector<int> &xs, int x) { for (unsigned i = 0; i < xs.size(); i++) if (xs[i] == x) return i; return std::nullopt; }", `{"xs":[4,5],"x":5}`, `1`},
	"optional in": {"f(x: option<f64>, s: option<string>) -> string", "#include <optional>\n#include <string>\nstd::string f(std::optional<double> x, std::optional<std::string> s) { return s.value_or(\"none\") + (x ? \"+\" : \"-\"); }", `{"x":1}`, `"none+"`},
	"bools":       {"f(xs: list<bool>) -> list<bool>", "#include <vector>\nstd::vector<bool> f(const std::vector<bool> &xs) { std::vector<bool> r; for (bool b : xs) r.push_back(!b); return r; }", `{"xs":[true,false]}`, `[false,true]`},
	"records":     {"f(ps: list<record {x: f64, y: f64}>) -> list<record {x: f64, y: f64}>", "#include <vector>\nstd::vector<ps_t> f(const std::vector<ps_t> &ps) { std::vector<ps_t> r(ps.rbegin(), ps.rend()); return r; }", `{"ps":[{"x":1,"y":2},{"x":3,"y":4}]}`, `[{"x":3.0,"y":4.0},{"x":1.0,"y":2.0}]`},
	"inferred":    {"", "#include <string>\n#include <vector>\nstd::vector<int> lengths(const std::vector<std::string> &words) { std::vector<int> r; for (auto &w : words) r.push_back(w.size()); return r; }", `{"words":["a","bb"]}`, `[1,2]`},
}

func TestComponents(t *testing.T) {
	for lang, cases := range map[string]map[string]componentCase{"C": componentsC, "C++": componentsCPP} {
		for name, c := range cases {
			if lang == "C++" && !long && !slices.Contains([]string{"strings", "optional in", "records"}, name) {
				continue // a second each
			}
			t.Run(lang+"/"+name, func(t *testing.T) {
				t.Parallel()
				out := execute(t, component(t, lang, c.sig, c.body), &compile.Job{Inputs: lanetest.Inputs(t, c.in)})
				if got := out.Value.String(); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		}
	}
}

func TestComponentErrors(t *testing.T) {
	for name, c := range map[string]struct {
		lang, sig, body string
		want, hint      string
	}{
		"arity":         {"C", "mean(xs: list<f64>) -> f64", "\ndouble mean(const double *xs) { return 0; }", "a.org:11:8: error: mean takes 1 parameters, its signature passes 2", "double mean(const double *xs, size_t xs_len)"},
		"no function":   {"C", "f() -> s32", "int x;", "no function to call", "write one"},
		"ambiguous":     {"C", "", "int a(void) { return 1; }\nint b(void) { return 2; }", "cannot choose between a, b", "make the others static"},
		"pointer type":  {"C", "f(xs: list<f64>) -> f64", "double f(const int *xs, size_t n) { return 0; }", "error: calling the block: incompatible pointer types", ""},
		"narrowing":     {"C", "f(x: f64) -> f64", "double f(int x) { return x; }", "error: calling the block: implicit conversion turns floating-point number into integer", ""},
		"narrow result": {"C", "f(x: f64) -> s32", "double f(double x) { return x; }", "error: calling the block: implicit conversion turns floating-point number into integer", ""},
		"64 to 32":      {"C", "f(x: s64) -> s32", "int f(int x) { return x; }", "error: calling the block: implicit conversion loses integer precision", ""},
		"void":          {"C", "f(x: s32) -> s32", "void f(int x) { }", "f returns nothing, its signature returns s32", "int32_t f(int32_t x)"},
		"list no len":   {"C", "f(x: s32) -> list<s32>", "int *f(int x) { return 0; }", "needs size_t *len as its last parameter", "int32_t *f(int32_t x, size_t *len)"},
		"result":        {"C", "f(x: s32) -> result<s32, string>", "int f(int x) { return 0; }", "with const char **err as its last parameter", ""},
		"infer":         {"C", "", "struct s { int x; };\nint f(struct s x) { return 0; }", "a.org:11:5: error: cannot tell what parameter struct s x means in f", ":sig:"},
		"body":          {"C", "f(x: s32) -> s32", "int f(int x) {\n  return y;\n}", "a.org:11:10: error: use of undeclared identifier 'y'", ""},
	} {
		t.Run(name, func(t *testing.T) {
			src := component(t, c.lang, c.sig, c.body)
			_, err := laneOf(t, c.lang).Build(context.Background(), src)
			var build *diag.FindingsError
			if !errors.As(err, &build) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			if !strings.Contains(build.Hint(), c.hint) {
				t.Errorf("hint %q, want %q", build.Hint(), c.hint)
			}
		})
	}
}

func TestWrongInputsAreRefused(t *testing.T) {
	lane := compiler(t).C()
	src := component(t, "C", "f(xs: list<f64>, k: s32) -> f64", "double f(const double *xs, size_t n, int k) { return n * k; }")
	art, err := lane.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		`{"xs":[1,"two"],"k":1}`:   `f: xs[1]: expected f64, got "two"`,
		`{"xs":3,"k":1}`:           `f: xs: expected list<f64>, got 3`,
		`{"xs":[],"k":5000000000}`: `f: k: expected s32, got 5000000000`,
		`{"xs":[]}`:                `f: input k is missing`,
		`{"a":[1],"b":2,"c":3}`:    `f takes 2 inputs, got 3`,
	} {
		_, err := lane.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, in)})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
	// Inputs with other names are taken in order.
	out, err := lane.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, `{"data":[1,2],"factor":3}`)})
	if err != nil || out.Value.Float() != 6 {
		t.Errorf("by position: %v, %v", out, err)
	}
}

func TestLyingGuests(t *testing.T) {
	lane := compiler(t).C()
	for name, c := range map[string]struct{ sig, body, want string }{
		"wild string":   {"f() -> string", "const char *f(void) { return (char *)0x7ffffff0; }", "pointer outside its memory"},
		"null string":   {"f() -> string", "const char *f(void) { return 0; }", "null string"},
		"wild list":     {"f() -> list<f64>", "double *f(size_t *len) { *len = 1000000000; return (double *)8; }", "more than its memory holds"},
		"empty structs": {"f() -> list<record {}>", "wb_list_f_t f(void) { return (wb_list_f_t){(void *)8, 4000000000u}; }", "more than 1024 MiB of values"},
		"trap":          {"f(x: s32) -> s32", "int f(int x) { volatile int zero = 0; return x / zero; }", "divide by zero"},
	} {
		t.Run(name, func(t *testing.T) {
			art, err := lane.Build(context.Background(), component(t, "C", c.sig, c.body))
			if err != nil {
				t.Fatal(err)
			}
			_, err = lane.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, `{"x":1}`)[:len(mustSig(c.sig).Params)]})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func mustSig(text string) *value.Sig {
	sig, err := value.ParseSig(text)
	if err != nil {
		panic(err)
	}
	return sig
}

func TestKernel(t *testing.T) {
	lane := compiler(t).C()
	src := block("C", compile.ShapeKernel, "#include <ctype.h>\nstatic unsigned char table[256];\nint process(int n) {\n  if (!table['a']) for (int i = 0; i < 256; i++) table[i] = toupper(i);\n  for (int i = 0; i < n; i++) WB_OUT[i] = table[WB_IN[i]];\n  return n;\n}")
	art, err := lane.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := lane.Run(context.Background(), art, &compile.Job{Stdin: []byte("hello kernel")})
	if err != nil || out.Value.Text() != "HELLO KERNEL" {
		t.Fatalf("%v, %v", out, err)
	}
	k, err := lanetest.OpenKernel(context.Background(), lane, art, &compile.Job{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close(context.Background())
	for _, in := range []string{"a", "", strings.Repeat("xyz", 21504)} {
		got, err := k.Call(context.Background(), []byte(in))
		if err != nil || string(got) != strings.ToUpper(in) {
			t.Errorf("%d bytes: %.20q, %v", len(in), got, err)
		}
	}
	if _, err := k.Call(context.Background(), make([]byte, 64513)); err == nil || err.Error() != "kernel: input of 64513 bytes does not fit before the output, there is room for 64512" {
		t.Errorf("too long: %v", err)
	}
	if _, err := lane.Build(context.Background(), block("C", compile.ShapeKernel, "int other(int n) { return 0; }")); err == nil || !strings.Contains(err.Error(), "a kernel defines int process(int in_len)") {
		t.Errorf("no process: %v", err)
	}
	moved := block("C", compile.ShapeKernel, "int process(int n) { WB_OUT[0] = WB_IN[n - 1]; return 1; }", "in_off", "2048", "out_off", "0x20000")
	if out := execute(t, moved, &compile.Job{Stdin: []byte("xyz")}); out.Value.Text() != "z" {
		t.Errorf("moved: %v", out.Value)
	}
}
