package cbackend

import (
	"slices"

	"wb/compile"
	"wb/compile/abi"
	"wb/internal/diag"
	"wb/internal/value"
)

// Function is a function of a block, as far as its declaration tells.
type Function struct {
	Name      string
	Line, Col int // of the name, from 1
	Public    bool
	Params    []Param
	Result    string // as written, "" for none
	Fails     bool   // it may return an error in place of a result
}

// Param is one of its parameters, as written.
type Param struct{ Name, Type string }

// Choose finds the function of a block that a component calls (see
// [compile.Source.Choose]).
func Choose(src *compile.Source, functions []Function, spell func(name string) string, example string) (Function, error) {
	functions = slices.DeleteFunc(functions, func(f Function) bool { return f.Name == "main" })
	list := make([]compile.Callable, len(functions))
	for i, f := range functions {
		list[i] = compile.Callable{Name: f.Name, Public: f.Public}
	}
	i, err := src.Choose(list, spell, example, "name the component after one, or make only one pub")
	if err != nil {
		return Function{}, err
	}
	return functions[i], nil
}

// Scalars are the types of single words.
var Scalars = map[value.TypeKind]string{
	value.TypeBool: "bool", value.TypeS32: "i32", value.TypeU32: "u32", value.TypeS64: "i64", value.TypeU64: "u64", value.TypeF32: "f32", value.TypeF64: "f64",
}

// InferScalar is the type in a signature that a type of the language stands for.
func InferScalar(typ string) (value.Type, bool) {
	for kind, name := range Scalars {
		if name == typ {
			return value.Type{Kind: kind}, true
		}
	}
	switch typ {
	case "usize":
		return value.Type{Kind: value.TypeU32}, true
	case "isize":
		return value.Type{Kind: value.TypeS32}, true
	}
	return value.Type{}, false
}

// Signature reads a signature off the declaration, for components without
// :sig:. Infer reads a type as the author wrote it; result is what the function
// returns when it does not fail, "" for nothing.
func (f Function) Signature(src *compile.Source, result string, infer func(typ string) (value.Type, bool)) (*value.Sig, error) {
	fail := func(what string) error {
		return diag.Errorf(src.At(f.Line, f.Col), "cannot tell what %s means in %s", what, f.Name).
			WithHint("declare its signature with :sig:, such as " + f.Name + "(xs: list<f64>) -> f64")
	}
	sig := &value.Sig{Name: f.Name}
	for i, p := range f.Params {
		t, ok := infer(p.Type)
		if !ok {
			return nil, fail("parameter " + p.Name + ": " + p.Type)
		}
		name := p.Name
		if i < len(src.Params) {
			name = src.Params[i]
		}
		sig.Params = append(sig.Params, value.Param{Name: name, Type: t})
	}
	if result == "" {
		return sig, nil
	}
	t, ok := infer(result)
	if !ok {
		return nil, fail("the result " + f.Result)
	}
	sig.Results = []value.Param{{Type: t}}
	return sig, nil
}

// Check reports where a signature asks for another function than this one.
// Failing is the return type of a function that can fail; prototype is how the
// signature wants the function.
func (f Function) Check(src *compile.Source, sig *value.Sig, failing, prototype string) error {
	pos := src.At(f.Line, f.Col)
	switch {
	case len(f.Params) != len(sig.Params):
		return diag.Errorf(pos, "%s takes %d parameters, its signature has %d", f.Name, len(f.Params), len(sig.Params)).WithHint("write it as: " + prototype)
	case abi.DeclaresError(sig) && !f.Fails:
		return diag.Errorf(pos, "%s must return %s, as its signature returns %s", f.Name, failing, sig.Results[0].Type).WithHint("write it as: " + prototype)
	}
	return nil
}

// Called is the signature at the level of the call, which can fail when the
// function can.
func (f Function) Called(sig *value.Sig) *value.Sig {
	if f.Fails && !abi.DeclaresError(sig) {
		return abi.Failing(sig)
	}
	return sig
}
