package clang

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

var (
	once sync.Once
	one  *Compiler
)

// compiler is shared by all tests: loading it takes a second or two.
func compiler(t testing.TB) *Compiler {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env) })
	lanetest.Need(t, env, toolName)
	return one
}

// block makes a source at line 10 of a.org.
func block(lang string, shape compile.Shape, body string, args ...string) *compile.Source {
	src := &compile.Source{Pos: diag.Position{File: "a.org", Line: 10, Col: 1}, Lang: lang, Shape: shape, Body: body, Args: map[string][]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		src.Args[args[i]] = append(src.Args[args[i]], args[i+1])
	}
	return src
}

func laneOf(t testing.TB, lang string) compile.Lane {
	if lang == "C" {
		return compiler(t).C()
	}
	return compiler(t).CPP()
}

// execute builds and runs a block, which must work.
func execute(t testing.TB, src *compile.Source, job *compile.Job) *compile.Outcome {
	t.Helper()
	art, err := laneOf(t, src.Lang).Build(context.Background(), src)
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	out, err := laneOf(t, src.Lang).Run(context.Background(), art, job)
	if err != nil {
		t.Fatalf("run: %v\nstderr: %s", err, out.Stderr)
	}
	return out
}

func TestBabelC(t *testing.T) {
	stdio := []string{"includes", "<stdio.h>"}
	for name, c := range map[string]struct {
		body    string
		args    []string
		vars    []compile.Var
		results string
		want    string // JSON of the value
	}{
		"hello":          {body: `printf("hello %d\n", 42);`, want: `"hello 42"`},
		"number":         {body: `printf("%d", 6 * 7);`, want: `42`},
		"float":          {body: `printf("%.2f", 2.5);`, want: `2.5`},
		"table":          {body: "for (int i = 0; i < 2; i++) printf(\"%d %d\\n\", i, i * i);", want: `[[0,0],[1,1]]`},
		"verbatim":       {body: `printf("1 2\n3 4\n");`, results: "verbatim", want: `"1 2\n3 4\n"`},
		"output":         {body: `printf("7\n");`, results: "output", want: `"7\n"`},
		"output table":   {body: `printf("7 8\n9 1\n");`, results: "output table", want: `[[7,8],[9,1]]`},
		"dedent":         {body: `printf("  a\n    b\n");`, results: "output", want: `"a\n  b\n"`},
		"nothing":        {body: `;`, want: `null`},
		"main":           {body: "int main(void) { printf(\"m\"); return 3; }", want: `"m"`},
		"main no":        {body: "static void f(void) { puts(\"f\"); }\nint\nmain(void) { f(); return 0; }", args: []string{"main", "no"}, want: `"f"`},
		"include inside": {body: "#include <math.h>\nprintf(\"%g\", sqrt(16));", want: `4`},
		"defines":        {body: `printf("%d", N + M);`, args: []string{"defines", "N 10 M 20"}, want: `30`},
		"flags":          {body: `printf("%d", N);`, args: []string{"flags", `-DN=5 -Wall -O1 -march=native`, "libs", "-lm"}, want: `5`},
		"flag quotes":    {body: `printf("%s", S);`, args: []string{"flags", `'-DS="a b"'`}, results: "output", want: `"a b"`},
		"logues":         {body: `printf("%d", a);`, args: []string{"prologue", "int a = 4;", "epilogue", `printf("5");`}, want: `45`},
		"var int":        {body: `printf("%d", x + 1);`, vars: []compile.Var{{Name: "x", Value: value.OfInt(2)}}, want: `3`},
		"var string":     {body: `printf("%s", s);`, vars: []compile.Var{{Name: "s", Value: text("say \"hi\"\nto\tall")}}, results: "output", want: `"say \"hi\"\nto\tall"`},
		"var table": {body: `for (int i = 0; i < t_rows; i++) for (int j = 0; j < t_cols; j++) printf("%d,", t[i][j]);`,
			vars: []compile.Var{{Name: "t", Value: value.OfList(ints(1, 2), ints(3, 4))}}, results: "output", want: `"1,2,3,4,"`},
		"var columns": {body: `printf("%d", t_h(1, "m"));`,
			vars: []compile.Var{{Name: "t", Value: value.OfList(ints(1, 2), ints(3, 4)), ColNames: []string{"n", "m"}}}, want: `4`},
		"cmdline":                     {body: "int main(int n, char **v) { for (int i = 1; i < n; i++) printf(\"[%s]\", v[i]); }", args: []string{"cmdline", `a "b c" d`}, results: "output", want: `"[a][b c][d]"`},
		"long double":                 {body: `printf("%.3Lf", 1.5L);`, want: `1.5`},
		"undeclared library function": {body: `printf("%d", abs(-3));`, want: `3`},
		"signals and clocks":          {body: "clock();\nprintf(\"%d\", (int)getpid() > 0);", args: []string{"includes", "<time.h> <signal.h> <unistd.h>"}, want: `1`},
		"nested functions":            {body: "#include <math.h>\nint sq(int x) {\n  return x * x;\n}\nstatic double root(double x) { return sqrt(x); }\nprintf(\"%d %g\", sq(4), root(9));", results: "output", want: `"16 3"`},
		"qsort":                       {body: "int c(const void *a, const void *b) { return *(int *)a - *(int *)b; }\nint main() { int v[] = {3, 1, 2}; qsort(v, 3, 4, c); printf(\"%d%d%d\", v[0], v[1], v[2]); }", args: []string{"includes", "<stdlib.h>"}, want: `123`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := block("C", compile.ShapeBabel, c.body, append(stdio[:2:2], c.args...)...)
			if n := len(src.Args["includes"]); n > 1 {
				src.Args["includes"] = []string{strings.Join(src.Args["includes"], " ")}
			}
			src.Vars, src.Results = c.vars, strings.Fields(c.results)
			if got := execute(t, src, &compile.Job{}).Value.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestExitStatusAndStreams(t *testing.T) {
	var seen strings.Builder
	src := block("C", compile.ShapeCommand, "#include <stdio.h>\n#include <string.h>\nint main(int n, char **v) { char b[99]; fgets(b, 99, stdin); fprintf(stderr, \"e:%s\", v[1]); printf(\"o:%s\", b); return 7; }")
	out := execute(t, src, &compile.Job{Stdin: []byte("in"), Args: []string{"arg"}, Stdout: &seen})
	if out.Exit != 7 || string(out.Stdout) != "o:in" || string(out.Stderr) != "e:arg" || seen.String() != "o:in" || out.Usage.Fuel == 0 {
		t.Errorf("%+v, listener saw %q", out, seen.String())
	}
}

func TestFilesAndDirectory(t *testing.T) {
	files := sandbox.NewMemFS()
	if err := files.WriteFile("data/in.txt", []byte("content")); err != nil {
		t.Fatal(err)
	}
	src := block("C", compile.ShapeBabel, "char b[20] = {0};\nFILE *f = fopen(\"in.txt\", \"r\");\nif (!f) { perror(\"in.txt\"); return 1; }\nfread(b, 1, 19, f);\nf = fopen(\"/data/out.txt\", \"w\");\nfprintf(f, \"<%s>\", b);\nfclose(f);\nprintf(\"%s\", b);", "includes", "<stdio.h>")
	out := execute(t, src, &compile.Job{Files: files, Dir: "/data"})
	if out.Value.Text() != "content" {
		t.Errorf("read %v, stderr %s", out.Value, out.Stderr)
	}
	if data, err := files.ReadFile("data/out.txt"); err != nil || string(data) != "<content>" {
		t.Errorf("wrote %q, %v", data, err)
	}
}

func TestFurtherSources(t *testing.T) {
	src := block("C", compile.ShapeBabel, "#include \"util.h\"\nint main(void) { printf(\"%d\", twice(21)); }", "includes", "<stdio.h>", "flags", "util.c")
	src.Files = map[string][]byte{"util.h": []byte("int twice(int);\n"), "util.c": []byte("#include \"util.h\"\nint twice(int x) { return 2 * x; }\n")}
	if got := execute(t, src, &compile.Job{}).Value; got.Int() != 42 {
		t.Errorf("got %v", got)
	}
	src.Files["inc/more.h"] = []byte("#define MORE 1\n")
	src.Body = "#include \"util.h\"\n#include <more.h>\nint main(void) { printf(\"%d\", twice(21) + MORE); }"
	src.Args["flags"] = []string{"util.c -Iinc"}
	if got := execute(t, src, &compile.Job{}).Value; got.Int() != 43 {
		t.Errorf("with -I: got %v", got)
	}
	src.Files["util.c"] = []byte("#include \"util.h\"\nint twice(int x) { return 2 * y; }\n")
	_, err := compiler(t).C().Build(context.Background(), src)
	if err == nil || !strings.Contains(err.Error(), "util.c:2:31: error: use of undeclared identifier 'y'") {
		t.Errorf("error in another file: %v", err)
	}
}

func TestDiagnostics(t *testing.T) {
	for name, c := range map[string]struct {
		src  *compile.Source
		want string // part of the error
		hint string
	}{
		"body":       {block("C", compile.ShapeBabel, "int x = 1;\nint y = z;\n"), "a.org:11:9: error: use of undeclared identifier 'z'", ""},
		"own main":   {block("C", compile.ShapeBabel, "int main(void) {\n  return q;\n}"), "a.org:11:10: error: use of undeclared identifier 'q'", ""},
		"prologue":   {block("C", compile.ShapeBabel, ";", "prologue", "int a = b;"), "a.org:10:1: error: in :prologue: use of undeclared identifier 'b'", ""},
		"after it":   {block("C", compile.ShapeBabel, "int x;\nfoo;", "prologue", "int a;\nint b;"), "a.org:11:1: error: use of undeclared identifier 'foo'", ""},
		"includes":   {block("C", compile.ShapeBabel, ";", "includes", "<nothing.h>"), "a.org:10:1: error: in :includes: 'nothing.h' file not found", "files come from :dir"},
		"link":       {block("C", compile.ShapeBabel, "int f(int);\nint main(void) {\n  return f(1);\n}"), "a.org:10:5: error: undefined function or variable 'f'", ""},
		"undeclared": {block("C", compile.ShapeBabel, "int main(void) {\n  return nosuch(1);\n}"), "a.org:11:10: error: call to undeclared function 'nosuch'", ""},
		"header":     {block("C", compile.ShapeBabel, "puts(\"x\");"), "a.org:10:1: error: call to undeclared", "add :includes with the header"},
		"int8_t":     {block("C", compile.ShapeBabel, "int8_t x = 1;"), "a.org:10:1: error: use of undeclared identifier 'int8_t'", "add :includes <stdint.h>"},
		"std":        {block("C++", compile.ShapeBabel, "std::cout << 1;"), "a.org:10:1: error: use of undeclared identifier 'std'", ":includes <iostream>"},
		"fork":       {block("C", compile.ShapeBabel, "#include <unistd.h>\nint main(void) {\n  return fork();\n}"), "a.org:12:10: error: ", "no processes"},
		"nested":     {block("C", compile.ShapeBabel, "int v = 3;\nint f(int x) {\n  return x * w;\n}\nf(v);"), "a.org:12:14: error: use of undeclared identifier 'w'", ""},
		"library":    {block("C", compile.ShapeBabel, ";", "libs", "-lnothing"), "unable to find library -lnothing", ""},
		"flag":       {block("C", compile.ShapeBabel, ";", "flags", "-E"), "flag -E is not supported", ""},
		"bad flag":   {block("C", compile.ShapeBabel, ";", "flags", "-fnot-a-flag"), "a.org:10:1: error: unknown argument: '-fnot-a-flag'", ""},
		"no file":    {block("C", compile.ShapeBabel, ";", "flags", "more.c"), "more.c is not a flag and not a file", ""},
		"session":    {block("C", compile.ShapeBabel, ";", "session", "s"), "it has no sessions", ""},
		"redirect":   {block("C", compile.ShapeBabel, ";", "cmdline", "a < b"), "there is no shell", ":stdin"},
		"object": {func() *compile.Source {
			s := block("C", compile.ShapeBabel, ";")
			s.Vars = []compile.Var{{Name: "o", Value: value.OfObject()}}
			return s
		}(), "variable o: an object cannot become a C variable", ""},
		"deps": {func() *compile.Source { s := block("C", compile.ShapeBabel, ";"); s.Deps = []string{"zlib"}; return s }(), "has no packages", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := laneOf(t, c.src.Lang).Build(context.Background(), c.src)
			var build *diag.FindingsError
			if !errors.As(err, &build) {
				t.Fatalf("got %v, want a BuildError", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if !strings.Contains(build.Hint(), c.hint) {
				t.Errorf("hint %q, want %q", build.Hint(), c.hint)
			}
		})
	}
}

func TestWarningsComeBack(t *testing.T) {
	art, err := compiler(t).C().Build(context.Background(), block("C", compile.ShapeBabel, "printf(\"%d\\n\", \"x\");", "includes", "<stdio.h>", "flags", "-m64"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, w := range art.Warnings {
		all = append(all, w.String())
	}
	got := strings.Join(all, "\n")
	if !strings.Contains(got, "a.org:10:16: warning: format specifies type 'int'") || !strings.Contains(got, "ignored, since programs run as wasm: -m64") {
		t.Errorf("warnings:\n%s", got)
	}
}

func TestCrashesAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		exit int
		want string
	}{
		"division": {"__attribute__((noinline)) int f(int x) { volatile int z = 0; return x / z; }\nint main(void) { return f(3); }", 136, "a.org:10:31: error: integer divide by zero in f\n"},
		"pointer":  {"volatile int *p = (int *)0x7fffff00;\nreturn *p;", 139, "a.org:10:1: error: access outside of memory\n"},
		"abort":    {"int main(void) {\n  abort();\n}", 134, "a.org:10:5: error: the program called abort in main\n"},
		"assert":   {"int a = 1;\nassert(a == 2);", 134, "Assertion failed: a == 2 (block.c: main: 2)\na.org:11:1: error: assertion failed: a == 2\n"},
		"call":     {"int main(void) { int (*volatile f)(int) = (int (*)(int))12345; return f(1); }", 139, "a.org:10:5: error: call through an invalid function pointer in main\n"},
	} {
		t.Run(name, func(t *testing.T) {
			src := block("C", compile.ShapeBabel, c.body, "includes", "<stdlib.h> <assert.h>")
			out := execute(t, src, &compile.Job{Source: src})
			if out.Exit != c.exit || string(out.Stderr) != c.want {
				t.Errorf("exit %d, want %d\ngot  %swant %s", out.Exit, c.exit, out.Stderr, c.want)
			}
		})
	}
}

func TestRunawayProgramsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		kind sandbox.LimitKind
	}{
		"loop":   {"for (;;) ;", sandbox.LimitFuel},
		"memory": {"for (;;) { char *p = malloc(1 << 20); if (!p) return 1; memset(p, 1, 1 << 20); }", sandbox.LimitMemory},
		"stack":  {"int f(int n) { volatile char b[1000]; b[0] = n; return f(n + 1) + b[0]; }\nreturn f(0);", sandbox.LimitStack},
		"output": {"for (;;) puts(\"spam spam spam spam spam spam\");", sandbox.LimitOutput},
	} {
		t.Run(name, func(t *testing.T) {
			src := block("C", compile.ShapeBabel, c.body, "includes", "<stdio.h> <stdlib.h> <string.h>", "flags", "-O0")
			lane := compiler(t).C()
			art, err := lane.Build(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			_, err = lane.Run(context.Background(), art, &compile.Job{Limits: sandbox.Limits{Fuel: 100e6, Memory: 16 << 20, Output: 1 << 16}})
			var limit *sandbox.LimitError
			if !errors.As(err, &limit) || limit.Kind != c.kind {
				t.Errorf("got %v, want the %s limit", err, c.kind)
			}
		})
	}
}

func TestRunawayCompilationsEnd(t *testing.T) {
	bombs := map[string]struct{ lang, body, want string }{
		"template": {"C++", "template <int N> struct F { static const long v = F<N - 1>::v + F<N - 2>::v; };\nint main() { return F<100000>::v; }", "recursive template instantiation exceeded"},
		"include":  {"C", "#include \"block.c\"\nint main(void) { return 0; }", "#include nested too deeply"},
		"array":    {"C", "char x[2000000000] = {1};\nint main(void) { return 0; }", "compiling this block takes too much: memory limit"},
	}
	if long {
		bombs["constexpr"] = struct{ lang, body, want string }{"C++", "constexpr int f(int n) { int x = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x ^= i * j; return x; }\nconstexpr int x = f(1000000);\nint main() { return x; }", "constexpr evaluation hit maximum step limit"}
		bombs["types"] = struct{ lang, body, want string }{"C++", "template <int N, int M> struct F { typedef typename F<N-1,2*M>::t a; typedef typename F<N-1,2*M+1>::t t; };\ntemplate <int M> struct F<0,M> { typedef int t; };\nint main() { F<30,0>::t x = 0; return x; }", "compiling this block takes too much"}
		bombs["macros"] = struct{ lang, body, want string }{"C", "#define A B B B B B B B B B B\n#define B C C C C C C C C C C\n#define C D D D D D D D D D D\n#define D E E E E E E E E E E\n#define E F F F F F F F F F F\n#define F G G G G G G G G G G\n#define G H H H H H H H H H H\n#define H ;;;;;;;;;;\nint main(void) { A return 0; }", "compiling this block takes too much"}
	}
	for name, c := range bombs {
		t.Run(name, func(t *testing.T) {
			_, err := laneOf(t, c.lang).Build(context.Background(), block(c.lang, compile.ShapeBabel, c.body))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 20000 {
				t.Errorf("got %.300v, want %s", err, c.want)
			}
		})
	}
}

func TestSameBytesEveryTime(t *testing.T) {
	src := block("C", compile.ShapeBabel, `printf("%s %s %d\n", __DATE__, __FILE__, __LINE__);`, "includes", "<stdio.h>")
	lane := compiler(t).C()
	first, err := lane.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	moved := *src
	moved.Pos = diag.Position{File: "other.org", Line: 99, Col: 3}
	second, err := lane.Build(context.Background(), &moved)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.Wasm) != string(second.Wasm) || first.Digest != second.Digest {
		t.Error("the program depends on where the block stands")
	}
}
