package value

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestJSONRoundTrip(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `2`, `2.0`, `-0.5`, `1e+21`, `"a\"b\n\u0001é"`, `[]`, `{}`, `[1,[2,{"b":1,"a":null}]]`,
		`{"$hline":true}`, `9223372036854775807`,
		`{"$blob":{"sha256":"` + strings.Repeat("ab", 32) + `","size":3,"media":"image/png","path":"x.png"}}`,
	} {
		v, err := ParseJSON([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := v.String(); got != text {
			t.Errorf("%s came back as %s", text, got)
		}
	}
}

// The examples of RFC 8785, appendix B and section 3.2.3.
func TestCanonical(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0", 0x0000000000000001: "5e-324", 0x7fefffffffffffff: "1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001", 0x41b3de4355555557: "333333333.33333343",
	} {
		if got := string(OfFloat(math.Float64frombits(bits)).Canonical()); got != want {
			t.Errorf("%016x: got %s, want %s", bits, got, want)
		}
	}
	v, err := ParseJSON([]byte("{\"\u20ac\":1,\"\\r\":2,\"\ufb33\":3,\"1\":4,\"\U0001f600\":5,\"\u0080\":6,\"\u00f6\":7}"))
	if err != nil {
		t.Fatal(err)
	}
	want := "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u20ac\":1,\"\U0001f600\":5,\"\ufb33\":3}"
	if got := string(v.Canonical()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSig(t *testing.T) {
	for text, want := range map[string]string{
		"score(items: list<f64>, k: s32) -> list<f64>": "",
		"f()":                 "",
		"f(a:string)->string": "f(a: string) -> string",
		"g(p: record {x: f64, y: option<s64>}) -> bool":    "",
		"h(a: tuple<s32, string>) -> result<f64, string>":  "",
		"split(t: string) -> (head: string, tail: string)": "",
		"f(a: double)":                   "signature:6: unknown type double (did you mean f64?)",
		"f(a: lst<f64>)":                 "signature:6: unknown type lst (did you mean list?)",
		"f(a f64)":                       `signature:5: expected ":", found "f64"`,
		"f(a: f64, a: f64)":              "signature:11: a appears twice",
		"f(a: list)":                     `signature:10: expected "<", found ")"`,
		"(a: f64)":                       "signature:1: expected a function name",
		"f(a: sting)":                    "signature:6: unknown type sting (did you mean string?)",
		"f(a: f46) -> bool":              "signature:6: unknown type f46 (did you mean f64?)",
		"f(a: list<f64, f64>)":           "signature:6: list takes 1 type, got 2",
		"f(a: record {x: f64, y})":       `signature:23: expected ":", found "}"`,
		"f(a: f64) -> (x: f64":           `signature:21: expected ",", found the end`,
		"f(é: f64)":                      "",
		"f(a: f64) -> f64 extra":         "signature:18: unexpected",
		"f(a: result<f64>)":              "signature:6: result takes 2 types, got 1",
		strings.Repeat("f(a: list<", 40): "signature",
	} {
		sig, err := ParseSig(text)
		if err != nil {
			var se *SigError
			message := err.Error()
			if errors.As(err, &se) && se.Tip != "" {
				message += " (" + se.Tip + ")"
			}
			if want == "" || !strings.Contains(message, want) {
				t.Errorf("%s: %s", text, message)
			}
			continue
		}
		if want == "" {
			want = text
		}
		if sig.String() != want {
			t.Errorf("%s: got %s", text, sig)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{"f64", "2", "2.0"}, {"s32", "2.0", "2"}, {"s32", "3000000000", "x: expected s32, got 3000000000"},
		{"u32", "-1", "x: expected u32, got -1"}, {"list<f64>", "[1,2.5]", "[1.0,2.5]"},
		{"list<f64>", `[1,"x"]`, `x[1]: expected f64, got "x"`},
		{"option<string>", "null", "null"}, {"tuple<s32,string>", `[1,"a"]`, `[1,"a"]`},
		{"tuple<s32,string>", `[1]`, `x: expected tuple<s32, string>, got [1]`},
		{"result<s32,string>", `{"ok":1}`, `{"ok":1}`}, {"result<s32,string>", `{"err":"no"}`, `{"err":"no"}`},
		{"record {a: s32, b: option<s32>}", `{"a":1}`, `{"a":1,"b":null}`},
		{"record {a: s32}", `{"a":1,"c":2}`, "x: record {a: s32} has no member c"},
		{"record {a: s32}", `{}`, "x: member a is missing"},
		{"list<record {a: list<s32>}>", `[{"a":[1]},{"a":[1,"x"]}]`, `x[1].a[1]: expected s32, got "x"`},
		{"result<s32,string>", `{"ok":"no"}`, `x.ok: expected s32, got "no"`}, {"result<s32,string>", `{"ok":1,"err":"no"}`, `x: expected result<s32, string>, got {"ok":1,"err":"no"}`},
		{"u64", "9223372036854775808", "9223372036854775808"}, {"s64", "9223372036854775808", "x: expected s64, got 9223372036854775808"}, {"f32", "0.1", "0.10000000149011612"},
		{"string", "{}", "x: expected string, got {}"}, {"bool", "0", "x: expected bool, got 0"}, {"s64", "0.5", "x: expected s64, got 0.5"},
	} {
		typ, err := ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ParseJSON([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if fitted, err := Fit("x", typ, v); err != nil {
			got = err.Error()
		} else {
			got = fitted.String()
		}
		if got != c.want {
			t.Errorf("%s as %s: got %s, want %s", c.value, c.typ, got, c.want)
		}
	}
}

func TestFitResult(t *testing.T) {
	for _, c := range []struct{ sig, value, want string }{
		{"f() -> f64", "1", "1.0"}, {"f()", "null", "null"}, {"f()", "1", "result: f returns nothing, got 1"},
		{"f() -> (a: f64, b: option<string>)", `{"a":1}`, `{"a":1.0,"b":null}`},
		{"f() -> (a: list<s32>)", `{"a":[1.5]}`, `result.a[0]: expected s32, got 1.5`},
	} {
		sig, err := ParseSig(c.sig)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ParseJSON([]byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		got, err := sig.FitResult(v)
		text := got.String()
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.value, c.sig, text, c.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	typ, err := ParseType("list<f64>")
	if err != nil {
		b.Fatal(err)
	}
	items := make([]Value, 10_000)
	for i := range items {
		items[i] = OfInt(int64(i))
	}
	v := OfList(items...)
	for b.Loop() {
		if _, err := Fit("x", typ, v); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParseSig(f *testing.F) {
	f.Add("score(items: list<f64>, k: s32) -> list<f64>")
	f.Add("f(p: record {x: f64}) -> (a: bool, b: tuple<s32,u64>)")
	f.Fuzz(func(t *testing.T, text string) {
		sig, err := ParseSig(text)
		if err != nil {
			return
		}
		again, err := ParseSig(sig.String())
		if err != nil || again.String() != sig.String() {
			t.Fatalf("%q: %v", sig, err)
		}
	})
}

// TestBigIntegers checks that whole numbers above 2^63-1 stay what they are.
func TestBigIntegers(t *testing.T) {
	for text, want := range map[string]uint64{"9223372036854775807": 1<<63 - 1, "9223372036854775808": 1 << 63, "18446744073709551615": 1<<64 - 1} {
		v, err := ParseJSON([]byte(text))
		if err != nil || v.Kind() != Int || v.Uint() != want || v.String() != text || v.IsBig() != (want >= 1<<63) || !Equal(v, OfUint(want)) {
			t.Errorf("%s is %v (%v)", text, v, err)
		}
		if v.Float() != float64(want) {
			t.Errorf("%s is %g", text, v.Float())
		}
		for _, kind := range []TypeKind{TypeU64, TypeS64, TypeU32, TypeS32} {
			fitted, err := Fit("x", Type{Kind: kind}, v)
			if fits := kind == TypeU64 || kind == TypeS64 && !v.IsBig(); (err == nil) != fits || fits && fitted.String() != text {
				t.Errorf("%s as %s: %v, %v", text, kind, fitted, err)
			}
		}
	}
	if v, _ := ParseJSON([]byte("18446744073709551616")); v.Kind() != Float {
		t.Errorf("2^64 is %v", v)
	}
	top := OfUint(1<<64 - 1)
	if Equal(top, OfInt(-1)) || top.Digest() == OfInt(-1).Digest() || Equal(top, OfFloat(1<<64)) || !Equal(OfUint(1<<63), OfFloat(1<<63)) {
		t.Error("a big integer equals what it is not, or not what it is")
	}
}

// TestUnordinaryFloats checks that no form of JSON makes null of a float.
func TestUnordinaryFloats(t *testing.T) {
	for name, f := range unordinary {
		v := OfFloat(f)
		for _, text := range []string{v.String(), string(v.Canonical())} {
			if back, err := ParseJSON([]byte(text)); err != nil || !Equal(back, v) {
				t.Errorf("%s is written %s", name, text)
			}
		}
	}
}
