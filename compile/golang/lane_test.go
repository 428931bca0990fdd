package golang

import (
	"context"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// testLane is the lane on the compiler that all tests share.
func testLane(t testing.TB) lane {
	t.Helper()
	return lane{compiler(t)}
}

// source makes a block that stands at line 10 of test.org; args alternate
// between names and values.
func source(shape compile.Shape, body string, args ...string) *compile.Source {
	src := &compile.Source{Pos: diag.Position{File: "test.org", Line: 10, Col: 1}, Lang: "go", Body: body, Shape: shape, Args: map[string][]string{}}
	for i := 0; i < len(args); i += 2 {
		src.Args[args[i]] = append(src.Args[args[i]], args[i+1])
	}
	return src
}

// run builds and runs a block.
func run(t *testing.T, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	l := testLane(t)
	art, err := l.Build(context.Background(), src)
	if err != nil {
		return nil, err
	}
	if job == nil {
		job = &compile.Job{}
	}
	job.Source = src
	return l.Run(context.Background(), art, job)
}

func TestPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		args []string
		want string
	}{
		"statements":   {`fmt.Println("hello", 42)`, nil, "hello 42\n"},
		"imports":      {"fmt.Println(strings.ToUpper(s))\nos.Exit(0)", []string{"imports", `'("fmt" "strings" "os" "math")`, "prologue", `s := "up"`}, "UP\n"},
		"main":         {"func main() { println2(1) }\nfunc println2(x int) { fmt.Println(x + 1) }", []string{"imports", "fmt"}, "2\n"},
		"whole":        {"package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"whole\")\n}\n", nil, "whole\n"},
		"whole+import": {"package main\n\nfunc main() {\n\tfmt.Println(strings.Repeat(\"ab\", 2))\n}\n", []string{"imports", "fmt"}, "abab\n"},
		"functions in statements": {"total := add(1, 2)\nfunc add[T int | float64](a, b T) T { return a + b }\ntype pair struct{ a, b int }\nfunc (p pair) sum() int { return p.a + p.b }\nfmt.Println(total, pair{3, 4}.sum())",
			nil, "3 7\n"},
		"variables of functions": {"var n int\nfunc inc() { n++ }\ninc()\ninc()\nfmt.Println(n)", nil, "2\n"},
		"own imports":            {"import (\n\t\"fmt\"\n\tm \"math\"\n)\nfmt.Printf(\"%.3f\\n\", m.Pi)", nil, "3.142\n"},
		"only declarations":      {"func unused() int { return 1 }", nil, ""},
		"function literal":       {"func() { fmt.Println(\"called\") }()", nil, "called\n"},
		"goroutines": {"var wg sync.WaitGroup\nresults := make(chan int, 10)\nfor i := range 10 {\n\twg.Add(1)\n\tgo func() { defer wg.Done(); time.Sleep(time.Duration(10-i) * time.Millisecond); results <- i }()\n}\nwg.Wait()\nclose(results)\nsum := 0\nfor r := range results { sum += r }\nfmt.Println(sum)",
			nil, "45\n"},
		"clock":    {"fmt.Println(time.Now().UTC().Format(time.RFC3339))", nil, "2000-01-01T00:00:00Z\n"},
		"json":     {"b, _ := json.Marshal(map[string]any{\"b\": 1, \"a\": []int{1, 2}})\nfmt.Println(string(b))", nil, `{"a":[1,2],"b":1}` + "\n"},
		"epilogue": {"x := 1", []string{"epilogue", "fmt.Println(x)"}, "1\n"},
		"args":     {"fmt.Println(os.Args[1:])", []string{"args", `'("a b" "c")`}, "[a b c]\n"},
		"recover":  {"defer func() { fmt.Println(recover()) }()\nvar a []int\n_ = a[len(a)]", nil, "runtime error: index out of range [0] with length 0\n"},
		"iterator": {"func upto(n int) iter.Seq[int] {\n\treturn func(yield func(int) bool) {\n\t\tfor i := range n {\n\t\t\tif !yield(i) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\nfor i := range upto(3) { fmt.Print(i) }", nil, "012"},
	} {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			out, err := run(t, source(compile.ShapeCommand, c.body, c.args...), nil)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Stdout) != c.want || out.Exit != 0 {
				t.Errorf("printed %q, exit %d, stderr %q; want %q", out.Stdout, out.Exit, out.Stderr, c.want)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	src := source(compile.ShapeBabel, "fmt.Println(n, x, s, len(table), table[1][0], mixed, empty == nil, table_header)")
	list := func(items ...value.Value) value.Value { return value.OfList(items...) }
	src.Vars = []compile.Var{
		{Name: "n", Value: value.OfInt(3)}, {Name: "x", Value: value.OfFloat(2)}, {Name: "s", Value: value.OfString("a \"b\"")},
		{Name: "table", Value: list(list(value.OfString("k"), value.OfInt(1)), value.Rule(), list(value.OfString("l"), value.OfInt(2))), ColNames: []string{"name", "n"}},
		{Name: "mixed", Value: list(value.OfInt(1), value.OfFloat(0.5))},
		{Name: "empty", Value: value.Nil()},
	}
	out, err := run(t, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := `3 2 a "b" 2 l [1 0.5] true [name n]`; out.Value.Text() != want {
		t.Errorf("got %s, want %s", out.Value, want)
	}
}

func TestOutputAsValue(t *testing.T) {
	for text, c := range map[string]struct{ words, want string }{
		"42\n":          {"", "42"},
		" 2.5 \n":       {"", "2.5"},
		"a b\n":         {"", `"a b"`},
		"a\tb\n1\t2\n":  {"table", `[["a","b"],[1,2]]`},
		"a\tb\n1\t 2\n": {"", `"a\tb\n1\t 2"`},
		"7\n":           {"verbatim", `"7\n"`},
	} {
		if got := readOutput(strings.Fields(c.words), text); got.String() != c.want {
			t.Errorf("%q as %s: got %s, want %s", text, c.words, got, c.want)
		}
	}
}

// TestDiagnostics shows the compiler's messages at their places in the org
// file.
func TestDiagnostics(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		args []string
		want string
	}{
		"type":       {"x := 1\nvar y string = x\nfmt.Println(y)", nil, "test.org:11:16: error: cannot use x (variable of type int) as string value in variable declaration"},
		"unused":     {"\n  x := 1", nil, "test.org:11:3: error: declared and not used: x"},
		"import":     {"import \"os\"\nfmt.Println(1)", nil, "test.org:10:8: error: \"os\" imported and not used"},
		"syntax":     {"fmt.Println(1\nfmt.Println(2)", nil, "test.org:10:14: error: syntax error: unexpected newline in argument list; possibly missing comma or )"},
		"brace":      {"if true {\n  fmt.Println(1)\n", nil, "test.org:11:17: error: syntax error: unexpected EOF, expected }"},
		"hoisted":    {"fmt.Println(f())\nfunc f() int {\n\treturn \"x\"\n}", nil, "test.org:12:9: error: cannot use \"x\" (untyped string constant) as int value in return statement"},
		"redeclared": {"package main\n\nfunc main() {}\nfunc main() {}", nil, "test.org:13:6: error: main redeclared in this block; test.org:12:6: other declaration of main"},
		"arguments":  {"func f(a int) {}\nf(1, 2)", nil, "test.org:11:6: error: too many arguments in call to f; have (number, number); want (int)"},
		"prologue":   {"fmt.Println(1)", []string{"prologue", "y := nope"}, "test.org:10:1: error: in :prologue: declared and not used: y"},
		"after":      {"fmt.Println(1)\nfmt.Println(nope)", []string{"prologue", "_ = 1"}, "test.org:11:13: error: undefined: nope"},
		"http":       {"package main\n\nimport \"net/http\"\n\nfunc main() { http.Get(\"x\") }", nil, "test.org:12:8: error: package net/http is not in the sandbox: programs have no network, processes or users"},
		"nearest":    {"import \"string\"\nfmt.Println(string.X)", nil, "test.org:10:8: error: package string is not in the Go standard library of the sandbox, nor in :dir"},
		"session":    {"fmt.Println(1)", []string{"session", "s"}, "test.org:10:1: error: go is compiled: it has no sessions"},
		"library":    {"package lib\n\nfunc F() {}", nil, "test.org:10:1: error: package lib is not a program"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := testLane(t).Build(context.Background(), source(compile.ShapeBabel, c.body, c.args...))
			if err == nil {
				t.Fatal("it compiles")
			}
			if got, _, _ := strings.Cut(err.Error(), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNearestPackageIsNamed(t *testing.T) {
	_, err := testLane(t).Build(context.Background(), source(compile.ShapeBabel, "import \"string\"\n_ = 1"))
	if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() != "nearest: strings" {
		t.Errorf("got %v", err)
	}
}

func TestCrashes(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		exit int
		want string
	}{
		"panic":    {"a := []int{1}\ni := 3\nfmt.Println(a[i])", 2, "test.org:12:1: panic: runtime error: index out of range [3] with length 1"},
		"own":      {"func f() {\n\tpanic(fmt.Errorf(\"no %d\", 1))\n}\nf()", 2, "test.org:11:1: panic: no 1"},
		"nil":      {"var p *struct{ x int }\nfmt.Println(p.x)", 2, "test.org:11:1: panic: runtime error: invalid memory address or nil pointer dereference"},
		"exit":     {"fmt.Fprintln(os.Stderr, \"bye\")\nos.Exit(7)", 7, "bye"},
		"deadlock": {"ch := make(chan int)\n<-ch", 2, "test.org:11:1: fatal error: all goroutines are asleep - deadlock!"},
		"stack":    {"func f(n int) int { return f(n+1) + 1 }\nfmt.Println(f(0))", 2, "test.org:10:1: panic: stack overflow: the recursion goes too deep\n  in f, test.org:10\n"},
	} {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			out, err := run(t, source(compile.ShapeBabel, c.body), nil)
			if err != nil {
				t.Fatal(err)
			}
			if out.Exit != c.exit || !strings.HasPrefix(string(out.Stderr), c.want) {
				t.Errorf("exit %d, stderr\n%s\nwant %d and\n%s", out.Exit, out.Stderr, c.exit, c.want)
			}
		})
	}
}

func TestOutOfMemory(t *testing.T) {
	_, err := run(t, source(compile.ShapeBabel, "var keep [][]byte\nfor { b := make([]byte, 1<<20); b[0] = 1; keep = append(keep, b) }"), nil)
	if err == nil || err.Error() != "memory limit 64 MiB exceeded" {
		t.Errorf("got %v", err)
	}
}

func TestSameBytesAndFuel(t *testing.T) {
	src := source(compile.ShapeBabel, "m := map[string]int{\"a\": 1, \"b\": 2, \"c\": 3}\nfor k := range m { fmt.Print(k) }\nfmt.Println(rand.Int(), time.Now())")
	l := testLane(t)
	first, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.Wasm) != string(again.Wasm) {
		t.Error("two builds gave different programs")
	}
	var seen string
	var fuel int64
	for range 5 {
		out, err := l.Run(context.Background(), first, &compile.Job{})
		if err != nil {
			t.Fatal(err)
		}
		if seen != "" && (string(out.Stdout) != seen || out.Usage.Fuel != fuel) {
			t.Errorf("printed %q with fuel %d, before %q with %d", out.Stdout, out.Usage.Fuel, seen, fuel)
		}
		seen, fuel = string(out.Stdout), out.Usage.Fuel
	}
}

func TestNothingIsInstalledByAsking(t *testing.T) {
	env := lanetest.Env(t)
	l := New(env)
	if l.Info().Name != "go" || l.Fingerprint() == "" {
		t.Error(l.Info(), l.Fingerprint())
	}
}
