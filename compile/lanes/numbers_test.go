package lanes

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// edges are numbers that some language or other rounds, wraps round or has no
// word for.
var edges = []struct {
	name  string
	value value.Value
}{
	{"2^64-1", value.OfUint(math.MaxUint64)},
	{"-2^63", value.OfInt(math.MinInt64)},
	{"2^53+1", value.OfInt(1<<53 + 1)},
	{"0.1", value.OfFloat(0.1)},
	{"1e300", value.OfFloat(1e300)},
	{"NaN", value.OfFloat(math.NaN())},
	{"∞", value.OfFloat(math.Inf(1))},
	{"-∞", value.OfFloat(math.Inf(-1))},
}

// TestNumbersArrive gives each of the numbers to a block of each language as :var
// v. The block prints the number itself, or the language refuses it by name.
func TestNumbersArrive(t *testing.T) {
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	const refused = "pass it as text"
	for _, c := range []struct{ lang, body, want string }{
		{"js", "console.log(String(v))", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 NaN Infinity -Infinity"},
		{"typescript", "console.log(String(v))", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 NaN Infinity -Infinity"},
		{"python", "print(v)", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"ruby", "p v", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1.0e+300 NaN Infinity -Infinity"},
		{"lua", "print(math.type(v) .. v)", "! integer-9223372036854775808 integer9007199254740993 float0.1 float1e+300 float-nan floatinf float-inf"},
		{"go", "fmt.Println(v)", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 NaN +Inf -Inf"},
		{"C", "#include <stdio.h>\nprintf(_Generic(v, unsigned long long: \"%llu\\n\", long long: \"%lld\\n\", double: \"%g\\n\"), v);",
			"18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"C++", "#include <iostream>\nint main() { std::cout << v << '\\n'; }", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"bash", `echo "$v"`, "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"sh", `echo "$v"`, "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"awk", "BEGIN { print v }", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 nan inf -inf"},
		{"sqlite", "select $v || typeof($v)", "! -9223372036854775808integer 9007199254740993integer 0.1real 1.0e+300real ! Infreal -Infreal"},
		{"emacs-lisp", "(princ v)", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e+300 0.0e+NaN 1.0e+INF -1.0e+INF"},
		{"zig", `std.debug.print("{d}\n", .{v});`, "! -9223372036854775808 9007199254740993 0.1 1e300 ! ! !"},
		{"rust", `println!("{}", v);`, "! -9223372036854775808 9007199254740993 0.1 1e300 ! ! !"},
	} {
		t.Run(c.lang, func(t *testing.T) {
			lane, _ := all.Lookup(c.lang)
			lanetest.Need(t, env, lane.Info().Toolchains...)
			for i, want := range strings.Fields(c.want) {
				src := lanetest.Block(c.lang, compile.ShapeBabel, c.body)
				src.Results = []string{"output"}
				src.Vars = []compile.Var{{Name: "v", Value: edges[i].value}}
				out, err := lanetest.Execute(t, lane, src, nil)
				switch {
				case want == "!" && (err == nil || !strings.Contains(err.Error(), refused)):
					t.Errorf("%s: %v, want an error that says: %s", edges[i].name, err, refused)
				case want != "!" && err != nil:
					t.Errorf("%s: %v", edges[i].name, err)
				case want != "!":
					if got := strings.TrimSpace(cmp.Or(string(out.Stdout), out.Value.Text())); got != want {
						t.Errorf("%s arrived as %q %s, want %q", edges[i].name, got, out.Stderr, want)
					}
				}
			}
		})
	}
}

// TestNumbersLeave lets a block of each language give each of the numbers. What
// comes out is the number, or, for those that Org reads as text, the word that the
// language has for them.
func TestNumbersLeave(t *testing.T) {
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lang, body string // body has % for the number
		numbers    string
		words      string // what NaN and the infinities are called
	}{
		{"js", "return %", "18446744073709551615n -9223372036854775808n 9007199254740993n 0.1 1e300 NaN Infinity -Infinity", "NaN Infinity -Infinity"},
		{"typescript", "return %", "18446744073709551615n -9223372036854775808n 9007199254740993n 0.1 1e300 NaN Infinity -Infinity", "NaN Infinity -Infinity"},
		{"python", "return %", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e300 float('nan') float('inf') -float('inf')", "nan inf -inf"},
		{"ruby", "%", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e300 Float::NAN Float::INFINITY -Float::INFINITY", "NaN Infinity -Infinity"},
		{"lua", "return %", `"18446744073709551615" math.mininteger 9007199254740993 0.1 1e300 0/0 1/0 -1/0`, "-nan inf -inf"},
		{"go", "fmt.Println(%)", "uint64(18446744073709551615) -9223372036854775808 9007199254740993 0.1 1e300 math.NaN() math.Inf(1) math.Inf(-1)", "NaN +Inf -Inf"},
		{"C", "#include <stdio.h>\n#include <math.h>\nprintf(_Generic(%, unsigned long long: \"%%llu\\n\", long long: \"%%lld\\n\", double: \"%%g\\n\", float: \"%%g\\n\"), %);",
			"18446744073709551615ULL (-9223372036854775807LL-1) 9007199254740993LL 0.1 1e300 NAN INFINITY -INFINITY", "nan inf -inf"},
		{"C++", "#include <iostream>\n#include <cmath>\nint main() { std::cout << % << '\\n'; }",
			"18446744073709551615ULL (-9223372036854775807LL-1) 9007199254740993LL 0.1 1e300 NAN INFINITY -INFINITY", "nan inf -inf"},
		{"bash", "echo %", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e300 nan inf -inf", "nan inf -inf"},
		{"awk", "BEGIN { print % }", `"18446744073709551615" "-9223372036854775808" "9007199254740993" 0.1 "1e300" "nan" "inf" "-inf"`, "nan inf -inf"},
		{"sqlite", "select %", "'18446744073709551615' -9223372036854775808 9007199254740993 0.1 1e300 'nan' 9e999 -9e999", "nan Inf -Inf"},
		{"emacs-lisp", "%", "18446744073709551615 -9223372036854775808 9007199254740993 0.1 1e300 0.0e+NaN 1.0e+INF -1.0e+INF", ""},
	} {
		t.Run(c.lang, func(t *testing.T) {
			lane, _ := all.Lookup(c.lang)
			lanetest.Need(t, env, lane.Info().Toolchains...)
			words := strings.Fields(c.words)
			for i, number := range strings.Fields(c.numbers) {
				body := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(c.body, "%%", "\x00"), "%", number), "\x00", "%")
				out := lanetest.MustExecute(t, lane, lanetest.Block(c.lang, compile.ShapeBabel, body), nil)
				want := edges[i].value
				if word := i - (len(edges) - 3); word >= 0 && len(words) > 0 {
					want = value.OfString(words[word])
				}
				if !value.Equal(out.Value, want) || out.Value.Kind() != want.Kind() {
					t.Errorf("%s left as %s (%d), want %s", edges[i].name, out.Value, out.Value.Kind(), want)
				}
			}
		})
	}
}
