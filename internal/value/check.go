package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"wb/internal/clip"
)

// TypeError is a value that does not fit its type. Path leads to it from the
// argument: "items[3].name".
type TypeError struct {
	Path    string
	Want    Type
	Got     Value
	Problem string // what is wrong, when it is not just the kind of value
}

func (e *TypeError) Error() string {
	text := e.Problem
	if text == "" {
		text = fmt.Sprintf("expected %s, got %s", e.Want, clip.Bytes(e.Got.String(), 60))
	}
	if e.Path == "" {
		return text
	}
	return e.Path + ": " + text
}

// at puts a step before the path.
func (e *TypeError) at(step string) *TypeError {
	e.Path = step + e.Path
	return e
}

// Fit checks v against t and returns it as t wants it: an integer becomes a
// float where a float is wanted, and a whole float an integer where an integer
// is; members of a record come in the order of the type. Nothing else is
// converted. The error is a *TypeError whose path starts with name.
func Fit(name string, t Type, v Value) (Value, error) {
	fitted, err := fit(t, v)
	if err != nil {
		return Value{}, err.at(name)
	}
	return fitted, nil
}

func fit(t Type, v Value) (Value, *TypeError) {
	switch t.Kind {
	case TypeBool:
		if v.kind == Bool {
			return v, nil
		}
	case TypeS32, TypeS64, TypeU32, TypeU64:
		if i, ok := fitInt(t.Kind, v); ok {
			return i, nil
		}
	case TypeF32:
		if v.isNumber() {
			return OfFloat(float64(float32(v.Float()))), nil
		}
	case TypeF64:
		if v.isNumber() {
			return OfFloat(v.Float()), nil
		}
	case TypeString:
		if v.kind == String {
			return v, nil
		}
	case TypeOption:
		if v.kind == Null {
			return v, nil
		}
		return fit(t.Args[0], v)
	case TypeList:
		if v.kind == List {
			return fitItems(v, func(int) Type { return t.Args[0] })
		}
	case TypeTuple:
		if v.kind == List && len(v.Items()) == len(t.Args) {
			return fitItems(v, func(i int) Type { return t.Args[i] })
		}
	case TypeResult:
		if fields := v.Fields(); len(fields) == 1 {
			for i, side := range []string{"ok", "err"} {
				if fields[0].Name == side {
					return fitMember(side, t.Args[i], fields[0].Value)
				}
			}
		}
	case TypeRecord:
		if v.kind == Object {
			return fitRecord(t, v)
		}
	}
	return Value{}, &TypeError{Want: t, Got: v}
}

// fitInt reads v as an integer of the kind.
func fitInt(kind TypeKind, v Value) (Value, bool) {
	switch f := v.Float(); {
	case v.kind == Float && f == math.Trunc(f) && math.Abs(f) < 1<<53:
		v = OfInt(v.Int())
	case v.kind != Int:
		return Value{}, false
	}
	i := v.Int()
	switch kind {
	case TypeS32:
		return v, i >= math.MinInt32 && i <= math.MaxInt32
	case TypeU32:
		return v, i >= 0 && i <= math.MaxUint32
	case TypeU64:
		return v, i >= 0
	}
	return v, !v.big
}

func fitItems(v Value, want func(i int) Type) (Value, *TypeError) {
	items := make([]Value, len(v.Items()))
	for i, item := range v.Items() {
		fitted, err := fit(want(i), item)
		if err != nil {
			return Value{}, err.at("[" + strconv.Itoa(i) + "]")
		}
		items[i] = fitted
	}
	return OfList(items...), nil
}

// fitMember makes an object with one member.
func fitMember(name string, t Type, v Value) (Value, *TypeError) {
	fitted, err := fit(t, v)
	if err != nil {
		return Value{}, err.at("." + name)
	}
	return OfObject(Field{name, fitted}), nil
}

// fitRecord orders the members as the type does; an option may be missing,
// and a member the type does not have is an error.
func fitRecord(t Type, v Value) (Value, *TypeError) {
	fields := make([]Field, len(t.Fields))
	for i, f := range t.Fields {
		member, ok := v.Get(f.Name)
		if !ok && f.Type.Kind != TypeOption {
			return Value{}, &TypeError{Want: t, Got: v, Problem: "member " + f.Name + " is missing"}
		}
		fitted, err := fit(f.Type, member)
		if err != nil {
			return Value{}, err.at("." + f.Name)
		}
		fields[i] = Field{f.Name, fitted}
	}
	for _, f := range v.Fields() {
		if !slices.ContainsFunc(t.Fields, func(p Param) bool { return p.Name == f.Name }) {
			return Value{}, &TypeError{Want: t, Got: v, Problem: fmt.Sprintf("%s has no member %s", t, f.Name)}
		}
	}
	return OfObject(fields...), nil
}

// FitResult is [Fit] for what the function returned: the lone result, an
// object with the named results, or null when there are none.
func (s *Sig) FitResult(v Value) (Value, error) {
	switch {
	case len(s.Results) == 0 && v.kind == Null:
		return v, nil
	case len(s.Results) == 0:
		return Value{}, &TypeError{Path: "result", Got: v, Problem: s.Name + " returns nothing, got " + clip.Bytes(v.String(), 60)}
	case len(s.Results) == 1 && s.Results[0].Name == "":
		return Fit("result", s.Results[0].Type, v)
	}
	return Fit("result", Type{Kind: TypeRecord, Fields: s.Results}, v)
}
