package abi

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wb/internal/value"
)

// flat is guest memory for tests.
type flat []byte

func (m flat) Size() uint32 { return uint32(len(m)) }

func (m flat) Read(offset, n uint32) ([]byte, bool) {
	if uint64(offset)+uint64(n) > uint64(len(m)) {
		return nil, false
	}
	return m[offset : offset+n], true
}

func parse(t testing.TB, text string) value.Type {
	t.Helper()
	typ, err := value.ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// TestLayout holds what clang says sizeof and _Alignof are for wasm32.
func TestLayout(t *testing.T) {
	for text, want := range map[string]string{
		"bool": "1/1", "s32": "4/4", "u64": "8/8", "f32": "4/4", "f64": "8/8", "string": "4/4",
		"list<f64>": "8/4", "option<f64>": "4/4", "option<string>": "4/4", "option<list<s32>>": "8/4",
		"record {a: bool, b: f64, c: bool}":             "24/8",
		"record {a: bool, b: bool, c: s32}":             "8/4",
		"record {}":                                     "0/1",
		"tuple<bool, s32, bool>":                        "12/4",
		"result<f64, string>":                           "16/8",
		"result<bool, bool>":                            "2/1",
		"result<record {a: s64, b: bool}, s32>":         "24/8",
		"record {r: record {a: bool, b: s32}, c: bool}": "12/4",
	} {
		l := layoutOf(parse(t, text))
		if got := fmt.Sprintf("%d/%d", l.size, l.align); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// roundTrip lays values out as arguments and reads the same memory back as
// results of the same types.
func roundTrip(sig *value.Sig, args []value.Value) ([]value.Value, error) {
	f, err := lower(sig, args)
	if err != nil {
		return nil, err
	}
	const base = 4096
	f.relocate(base)
	memory := append(make(flat, base), f.bytes...)
	back := &value.Sig{Name: sig.Name, Results: sig.Params}
	v, err := lift(memory, back, base)
	if err != nil {
		return nil, err
	}
	got := make([]value.Value, len(args))
	for i, p := range sig.Params {
		got[i], _ = v.Get(p.Name)
	}
	return got, nil
}

func TestRoundTrip(t *testing.T) {
	for text, json := range map[string]string{
		"bool": `true`, "s32": `-5`, "u32": `4294967295`, "s64": `-9223372036854775808`, "f32": `0.5`, "f64": `-1e300`,
		"string": `"héllo \"x\""`, "list<s32>": `[1,2,3]`, "list<string>": `["","a"]`, "list<list<f64>>": `[[1.5],[],[2.0,3.0]]`,
		"option<s64>": `7`, "option<string>": `null`, "option<list<bool>>": `[]`, "list<option<s32>>": `[1,null,3]`,
		"result<f64, string>": `{"err":"no"}`, "tuple<bool, f64, string>": `[true,2.5,"x"]`,
		"list<record {n: string, v: option<f64>, t: tuple<s32, bool>}>": `[{"n":"a","v":null,"t":[1,true]},{"n":"b","v":2.0,"t":[-1,false]}]`,
		"option<option<s32>>": `3`,
	} {
		typ := parse(t, text)
		v, err := value.ParseJSON([]byte(json))
		if err != nil {
			t.Fatal(err)
		}
		sig := &value.Sig{Name: "f", Params: []value.Param{{Name: "pad", Type: parse(t, "bool")}, {Name: "x", Type: typ}}}
		got, err := roundTrip(sig, []value.Value{value.OfBool(true), v})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got[1].String() != v.String() {
			t.Errorf("%s: got %s, want %s", text, got[1], v)
		}
	}
}

// randomType and randomValue make pairs that fit.
func randomType(r *rand.Rand, depth int) value.Type {
	scalars := []value.TypeKind{value.TypeBool, value.TypeS32, value.TypeS64, value.TypeU32, value.TypeU64, value.TypeF32, value.TypeF64, value.TypeString}
	if depth == 0 {
		return value.Type{Kind: scalars[r.IntN(len(scalars))]}
	}
	sub := func() value.Type { return randomType(r, r.IntN(depth)) }
	switch r.IntN(6) {
	case 0:
		return value.Type{Kind: value.TypeList, Args: []value.Type{sub()}}
	case 1: // an option of an option cannot tell its nulls apart
		if inner := sub(); inner.Kind != value.TypeOption {
			return value.Type{Kind: value.TypeOption, Args: []value.Type{inner}}
		}
		return sub()
	case 2:
		return value.Type{Kind: value.TypeResult, Args: []value.Type{sub(), sub()}}
	case 3:
		return value.Type{Kind: value.TypeTuple, Args: []value.Type{sub(), sub(), sub()}}
	case 4:
		t := value.Type{Kind: value.TypeRecord}
		for i := range r.IntN(5) {
			t.Fields = append(t.Fields, value.Param{Name: fmt.Sprintf("f%d", i), Type: sub()})
		}
		return t
	}
	return value.Type{Kind: scalars[r.IntN(len(scalars))]}
}

func randomValue(r *rand.Rand, t value.Type) value.Value {
	switch t.Kind {
	case value.TypeBool:
		return value.OfBool(r.IntN(2) == 1)
	case value.TypeS32:
		return value.OfInt(int64(int32(r.Uint32())))
	case value.TypeU32:
		return value.OfInt(int64(r.Uint32()))
	case value.TypeS64:
		return value.OfInt(int64(r.Uint64()))
	case value.TypeU64:
		return value.OfInt(int64(r.Uint64() >> 1))
	case value.TypeF32:
		return value.OfFloat(float64(float32(r.NormFloat64())))
	case value.TypeF64:
		return value.OfFloat(r.NormFloat64())
	case value.TypeString:
		return value.OfString(strings.Repeat("é", r.IntN(4)))
	case value.TypeList:
		items := make([]value.Value, r.IntN(4))
		for i := range items {
			items[i] = randomValue(r, t.Args[0])
		}
		return value.OfList(items...)
	case value.TypeOption:
		if r.IntN(2) == 0 {
			return value.Nil()
		}
		return randomValue(r, t.Args[0])
	case value.TypeResult:
		if r.IntN(2) == 0 {
			return value.OfObject(value.Field{Name: "err", Value: randomValue(r, t.Args[1])})
		}
		return value.OfObject(value.Field{Name: "ok", Value: randomValue(r, t.Args[0])})
	case value.TypeTuple:
		items := make([]value.Value, len(t.Args))
		for i := range items {
			items[i] = randomValue(r, t.Args[i])
		}
		return value.OfList(items...)
	}
	fields := make([]value.Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = value.Field{Name: f.Name, Value: randomValue(r, f.Type)}
	}
	return value.OfObject(fields...)
}

func TestRandomRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var sig value.Sig
		var args []value.Value
		for i := range 1 + r.IntN(4) {
			typ := randomType(r, 3)
			sig.Params = append(sig.Params, value.Param{Name: fmt.Sprintf("p%d", i), Type: typ})
			args = append(args, randomValue(r, typ))
		}
		got, err := roundTrip(&sig, args)
		for i := range args {
			if err != nil || !value.Equal(got[min(i, len(got)-1)], args[i]) {
				t.Fatalf("%s: got %v, want %v (%v)", sig.String(), got, args, err)
			}
		}
	}
}

func TestNULIsRefused(t *testing.T) {
	sig := &value.Sig{Name: "f", Params: []value.Param{{Name: "s", Type: parse(t, "string")}}}
	if _, err := lower(sig, []value.Value{value.OfString("a\x00b")}); err == nil || err.Error() != "s: the text contains a NUL byte, which ends a C string" {
		t.Errorf("got %v", err)
	}
}

// FuzzLift reads arbitrary memory as arbitrary types: no panic, no value
// larger than the budget allows.
func FuzzLift(f *testing.F) {
	f.Add([]byte("\x08\x00\x00\x00\x02\x00\x00\x00abcdefgh\x00"), uint64(7))
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xffffffff00000008), uint64(1))
	f.Fuzz(func(t *testing.T, memory []byte, seed uint64) {
		typ := randomType(rand.New(rand.NewPCG(seed, 0)), 3)
		sig := &value.Sig{Name: "f", Results: []value.Param{{Type: typ}}}
		if v, err := lift(flat(memory), sig, 0); err == nil && v.IsNull() && typ.Kind != value.TypeOption {
			t.Fatalf("%s gave null", typ)
		}
	})
}
