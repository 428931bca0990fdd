package value

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// TypeError is a value that does not fit its type. Path leads to it from the
// argument: "items[3].name".
type TypeError struct {
	Path string
	Want Type
	Got  Value
}

func (e *TypeError) Error() string {
	got := clip(e.Got.String(), 60)
	if e.Path == "" {
		return fmt.Sprintf("expected %s, got %s", e.Want, got)
	}
	return fmt.Sprintf("%s: expected %s, got %s", e.Path, e.Want, got)
}

// clip shortens text for a message without cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Fit checks v against t and returns it as t wants it: an integer becomes a
// float where a float is wanted, and a whole float an integer where an integer
// is. Nothing else is converted. The error is a *TypeError whose path starts
// with name.
func Fit(name string, t Type, v Value) (Value, error) {
	bad := func() (Value, error) { return Value{}, &TypeError{Path: name, Want: t, Got: v} }
	switch t.Kind {
	case TypeBool:
		if v.kind != Bool {
			return bad()
		}
		return v, nil
	case TypeS32, TypeS64, TypeU32, TypeU64:
		if i, ok := fitInt(t.Kind, v); ok {
			return OfInt(i), nil
		}
		return bad()
	case TypeF32, TypeF64:
		if !v.isNumber() {
			return bad()
		}
		if t.Kind == TypeF32 {
			return OfFloat(float64(float32(v.Float()))), nil
		}
		return OfFloat(v.Float()), nil
	case TypeString:
		if v.kind != String {
			return bad()
		}
		return v, nil
	case TypeOption:
		if v.kind == Null {
			return v, nil
		}
		return Fit(name, t.Args[0], v)
	case TypeList, TypeTuple:
		return fitItems(name, t, v)
	case TypeResult:
		for i, side := range []string{"ok", "err"} {
			if inner, ok := v.Get(side); ok && len(v.Fields()) == 1 {
				fitted, err := Fit(name+"."+side, t.Args[i], inner)
				return OfObject(Field{side, fitted}), err
			}
		}
		return bad()
	case TypeRecord:
		return fitRecord(name, t, v)
	}
	return bad()
}

// fitInt reads v as an integer of the kind. u64 values above the signed range
// do not occur: JSON integers are read into 64 signed bits.
func fitInt(kind TypeKind, v Value) (int64, bool) {
	i := v.Int()
	switch {
	case v.kind == Float && v.Float() == math.Trunc(v.Float()) && math.Abs(v.Float()) < 1<<53:
		i = int64(v.Float())
	case v.kind != Int:
		return 0, false
	}
	switch kind {
	case TypeS32:
		return i, i >= math.MinInt32 && i <= math.MaxInt32
	case TypeU32:
		return i, i >= 0 && i <= math.MaxUint32
	case TypeU64:
		return i, i >= 0
	}
	return i, true
}

func fitItems(name string, t Type, v Value) (Value, error) {
	if v.kind != List || t.Kind == TypeTuple && len(v.Items()) != len(t.Args) {
		return Value{}, &TypeError{Path: name, Want: t, Got: v}
	}
	items := make([]Value, len(v.Items()))
	for i, item := range v.Items() {
		want := t.Args[0]
		if t.Kind == TypeTuple {
			want = t.Args[i]
		}
		fitted, err := Fit(fmt.Sprintf("%s[%d]", name, i), want, item)
		if err != nil {
			return Value{}, err
		}
		items[i] = fitted
	}
	return OfList(items...), nil
}

// fitRecord orders the members as the type does; an option may be missing,
// and a member the type does not have is an error.
func fitRecord(name string, t Type, v Value) (Value, error) {
	if v.kind != Object {
		return Value{}, &TypeError{Path: name, Want: t, Got: v}
	}
	known := map[string]bool{}
	fields := make([]Field, len(t.Fields))
	for i, f := range t.Fields {
		known[f.Name] = true
		member, ok := v.Get(f.Name)
		if !ok && f.Type.Kind != TypeOption {
			return Value{}, fmt.Errorf("%s: member %s is missing", orValue(name), f.Name)
		}
		fitted, err := Fit(name+"."+f.Name, f.Type, member)
		if err != nil {
			return Value{}, err
		}
		fields[i] = Field{f.Name, fitted}
	}
	for _, f := range v.Fields() {
		if !known[f.Name] {
			return Value{}, fmt.Errorf("%s: %s has no member %s", orValue(name), t, f.Name)
		}
	}
	return OfObject(fields...), nil
}

func orValue(name string) string {
	if name == "" {
		return "value"
	}
	return name
}
