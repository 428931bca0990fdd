package golang

import (
	"context"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
)

// component makes a source of component shape; sig may be empty.
func component(t testing.TB, sig, body string) *compile.Source {
	t.Helper()
	src := source(compile.ShapeComponent, body)
	src.Sig = lanetest.Sig(t, sig)
	return src
}

type componentCase struct{ sig, body, in, want string }

// components are packed into few programs, since linking is what takes time:
// every case is a function of its own name in one body.
var components = map[string]componentCase{
	"scalars": {"f(a: s32, b: s64, c: u32, d: u64, e: f32, g: f64, h: bool) -> f64",
		"func f(a int32, b int64, c uint32, d uint64, e float32, g float64, h bool) float64 {\n\tif !h {\n\t\treturn 0\n\t}\n\treturn float64(a) + float64(b) + float64(c) + float64(d) + float64(e) + g\n}", `{"a":-1,"b":5000000000,"c":4000000000,"d":1,"e":0.5,"g":0.25,"h":true}`, `9000000000.75`},
	"int for s32": {"f(x: s32, y: u32) -> s32", "func f(x, y int) int { return x - y }", `{"x":3,"y":5}`, `-2`},
	"lists":       {"f(xs: list<f64>, ws: list<string>) -> list<string>", "func f(xs []float64, ws []string) (out []string) {\n\tfor i, x := range xs {\n\t\tout = append(out, fmt.Sprint(ws[i], x))\n\t}\n\treturn\n}", `{"xs":[1,2.5],"ws":["a","é"]}`, `["a1","é2.5"]`},
	"matrix":      {"f(m: list<list<f64>>) -> list<list<f64>>", "func f(m [][]float64) [][]float64 {\n\tt := make([][]float64, len(m[0]))\n\tfor i := range t {\n\t\tfor j := range m {\n\t\t\tt[i] = append(t[i], m[j][i])\n\t\t}\n\t}\n\treturn t\n}", `{"m":[[1,2],[3,4],[5,6]]}`, `[[1.0,3.0,5.0],[2.0,4.0,6.0]]`},
	"options":     {"f(a: option<f64>, s: option<string>, l: option<list<s32>>) -> tuple<option<f64>, option<string>, option<list<s32>>>", "type three struct {\n\tA *float64\n\tS *string\n\tL []int32\n}\nfunc f(a *float64, s *string, l *[]int32) three {\n\tt := three{A: a, S: s}\n\tif l != nil {\n\t\tt.L = append(*l, 9)\n\t}\n\treturn t\n}", `{"a":1.5,"s":null,"l":[1]}`, `[1.5,null,[1,9]]`},
	"record":      {"f(p: record {x: f64, the-name: string}) -> record {x: f64, tags: list<string>}", "type point struct {\n\tX       float64\n\tTheName string\n}\ntype tagged struct {\n\tValue float64 `json:\"x\"`\n\tTags  []string\n}\nfunc f(p point) tagged { return tagged{p.X * 2, []string{p.TheName}} }", `{"p":{"x":4,"the-name":"n"}}`, `{"x":8.0,"tags":["n"]}`},
	"records":     {"f(ps: list<record {n: string, v: s64}>) -> s64", "type item struct {\n\tN string\n\tV int\n}\nfunc f(ps []item) (sum int) {\n\tfor _, p := range ps {\n\t\tsum += p.V * len(p.N)\n\t}\n\treturn\n}", `{"ps":[{"n":"ab","v":3},{"n":"c","v":4}]}`, `10`},
	"pointer":     {"f(p: record {x: f64}) -> record {x: f64}", "type box struct{ x float64 }\nfunc f(p *box) *box { p.x++; return p }", `{"p":{"x":1}}`, `{"x":2.0}`},
	"tuple":       {"f(p: tuple<f64, f64>) -> tuple<f64, string>", "func f(p [2]float64) (float64, string) { return p[0] + p[1], \"sum\" }", `{"p":[1,2]}`, `[3.0,"sum"]`},
	"result ok":   {"f(x: f64) -> result<f64, string>", "func f(x float64) (float64, error) {\n\tif x < 0 {\n\t\treturn 0, errors.New(\"negative\")\n\t}\n\treturn math.Sqrt(x), nil\n}", `{"x":4}`, `{"ok":2.0}`},
	"result err":  {"f(x: f64) -> result<f64, string>", "func f(x float64) (float64, error) { return 0, fmt.Errorf(\"no %v\", x) }", `{"x":-4}`, `{"err":"no -4"}`},
	"error nil":   {"f(x: f64) -> f64", "func f(x float64) (float64, error) { return x, nil }", `{"x":4}`, `4.0`},
	"named":       {"f(t: string) -> (head: string, tail: option<string>)", "func f(t string) (head string, tail *string) {\n\ta, b, ok := strings.Cut(t, \" \")\n\tif ok {\n\t\ttail = &b\n\t}\n\treturn a, tail\n}", `{"t":"a b c"}`, `{"head":"a","tail":"b c"}`},
	"named+error": {"f(t: string) -> (a: string, b: s32)", "func f(t string) (string, int, error) { return t, len(t), nil }", `{"t":"abc"}`, `{"a":"abc","b":3}`},
	"nothing":     {"f(x: s32)", "func f(x int32) {}", `{"x":1}`, `null`},
	"nothing+err": {"f(x: s32)", "func f(x int32) error { return nil }", `{"x":1}`, `null`},
	"named types": {"f(c: f64, k: string) -> f64", "type celsius float64\ntype key string\nfunc f(c celsius, k key) celsius { return c + celsius(len(k)) }", `{"c":1.5,"k":"ab"}`, `3.5`},
	"variadic":    {"f(xs: list<s64>) -> s64", "func f(xs ...int) (n int) {\n\tfor _, x := range xs {\n\t\tn += x\n\t}\n\treturn\n}", `{"xs":[1,2,3]}`, `6`},
	"bytes":       {"f(s: string) -> string", "func f(s []byte) []byte { return bytes.ToUpper(s) }", `{"s":"ab"}`, `"AB"`},
	"generic":     {"f(xs: list<s32>) -> s32", "func largest[T int32 | float64](xs []T) T { return slices.Max(xs) }\nfunc f(xs []int32) int32 { return largest(xs) }", `{"xs":[3,9,4]}`, `9`},

	"inferred":       {"", "func Mean(xs []float64) float64 {\n\ts := 0.0\n\tfor _, x := range xs {\n\t\ts += x\n\t}\n\treturn s / float64(len(xs))\n}\nfunc helper() {}", `{"xs":[1,2,3]}`, `2.0`},
	"inferred error": {"", "func F(x int) (int, error) { return x + 1, nil }", `{"x":4}`, `5`},
	"json map":       {"", "func Count(text string) map[string]int {\n\tn := map[string]int{}\n\tfor _, w := range strings.Fields(text) {\n\t\tn[w]++\n\t}\n\treturn n\n}", `{"text":"a b a"}`, `{"a":2,"b":1}`},
	"json any":       {"", "func f(x any) any { return []any{x, \"more\", 2} }", `{"x":{"k":[1]}}`, `[{"k":[1]},"more",2]`},
	"package":        {"", "package stats\n\nfunc Double(x float64) float64 { return 2 * x }", `{"x":4}`, `8.0`},
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
			out, err := l.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, c.in)})
			if err != nil {
				t.Fatal(err)
			}
			if out.Value.String() != c.want || out.Exit != 0 {
				t.Errorf("got %s, exit %d, %s; want %s", out.Value, out.Exit, out.Stderr, c.want)
			}
		})
	}
}

func TestComponentFailures(t *testing.T) {
	l := testLane(t)
	for name, c := range map[string]componentCase{
		"error":      {"f(x: f64) -> f64", "func f(x float64) (float64, error) { return 0, errors.New(\"too cold\") }", `{"x":1}`, "test.org:10:1: f: too cold\n"},
		"panic":      {"f(x: s32) -> s32", "\nfunc f(x int) int {\n\tvar a []int\n\treturn a[x]\n}", `{"x":7}`, "test.org:13:1: panic: runtime error: index out of range [7] with length 0\n  in f, test.org:13\n"},
		"range":      {"f(x: s32) -> s32", "func f(x int) int { return x << 40 }", `{"x":7}`, "test.org:10:1: panic: the returned value does not fit the result: s32\n"},
		"json error": {"", "func f(x map[string]int) int { return 1 }", `{"x":7}`, "test.org:10:1: f: input x: json: cannot unmarshal number into Go value of type map[string]int\n"},
	} {
		if !long && !quick[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			src := component(t, c.sig, c.body)
			art, err := l.Build(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := l.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, c.in), Source: src})
			if err != nil {
				t.Fatal(err)
			}
			if out.Exit == 0 || string(out.Stderr) != c.want {
				t.Errorf("exit %d, stderr %q, want %q", out.Exit, out.Stderr, c.want)
			}
		})
	}
}

func TestComponentMistakes(t *testing.T) {
	l := testLane(t)
	for name, c := range map[string]componentCase{
		"parameters": {"f(x: f64) -> f64", "func f(x, y float64) float64 { return x }", "write it as: func f(x float64) float64", "test.org:10:6: error: f takes 2 parameters, its signature has 1"},
		"narrow":     {"f(x: f64) -> f64", "func f(x int) float64 { return 1 }", "write it as: func f(x float64) float64", "test.org:10:6: error: x: int does not hold f64"},
		"member":     {"f(p: record {x: f64, q: s32}) -> f64", "type point struct{ X float64 }\nfunc f(p point) float64 { return p.X }", "", "test.org:11:6: error: point has no field for the member q of p"},
		"result":     {"f(x: f64) -> result<f64, string>", "func f(x float64) float64 { return x }", "write it as: func f(x float64) (float64, error)", "test.org:10:6: error: f must return an error as its last result, as its signature returns result<f64, string>"},
		"none":       {"", "var x = 1", "", "test.org:10:1: error: no function to call in this block"},
		"several":    {"", "func a() {}\nfunc b() {}", "", "test.org:10:1: error: the block defines several functions; wb cannot choose between a, b"},
		"syntax":     {"f(x: f64) -> f64", "func f(x float64) float64 {\n\treturn x +\n}", "", "test.org:12:1: error: syntax error: unexpected }, expected expression"},
		"type error": {"f(x: f64) -> f64", "func f(x float64) float64 {\n\treturn \"s\"\n}", "", "test.org:11:9: error: cannot use \"s\" (untyped string constant) as float64 value in return statement"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := l.Build(context.Background(), component(t, c.sig, c.body))
			if err == nil {
				t.Fatal("it compiles")
			}
			if got, _, _ := strings.Cut(err.Error(), "\n"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if h, ok := err.(interface{ Hint() string }); c.in != "" && (!ok || h.Hint() != c.in) {
				t.Errorf("hint: got %v, want %s", h, c.in)
			}
		})
	}
}

// TestInputsAreChecked refuses values of the wrong type before the call.
func TestInputsAreChecked(t *testing.T) {
	l := testLane(t)
	art, err := l.Build(context.Background(), component(t, "f(x: s32) -> s32", "func f(x int32) int32 { return x }"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Run(context.Background(), art, &compile.Job{Inputs: lanetest.Inputs(t, `{"x":"seven"}`)})
	if err == nil || !strings.Contains(err.Error(), `x: `) || !strings.Contains(err.Error(), "s32") {
		t.Errorf("got %v", err)
	}
}
