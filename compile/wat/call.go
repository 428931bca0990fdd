package wat

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/abi"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// choose finds the function that is called: the one :sig: or the component
// names, main, or the only one.
func choose(src *compile.Source, funcs []export) (export, error) {
	names := []string{src.Func, "main"}
	if src.Sig != nil {
		names = append([]string{src.Sig.Name}, names...)
	}
	for _, name := range names {
		if i := slices.IndexFunc(funcs, func(e export) bool { return e.name == name }); i >= 0 && name != "" {
			return funcs[i], nil
		}
	}
	switch len(funcs) {
	case 1:
		return funcs[0], nil
	case 0:
		return export{}, diag.Errorf(src.At(1, 1), "the module exports no function").WithHint(`(func (export "name") …)`)
	}
	var list []string
	for _, f := range funcs {
		list = append(list, f.name)
	}
	return export{}, diag.Errorf(src.At(1, 1), "the module exports several functions, %s; name one with :func", strings.Join(list, ", "))
}

// typeNames are the types of a signature that a wasm type can hold, the first
// being what it is without a signature.
var typeNames = map[sandbox.ValueType][]value.TypeKind{
	sandbox.I32: {value.TypeS32, value.TypeU32, value.TypeBool},
	sandbox.I64: {value.TypeS64, value.TypeU64},
	sandbox.F32: {value.TypeF32},
	sandbox.F64: {value.TypeF64},
}

var wasmNames = map[sandbox.ValueType]string{sandbox.I32: "i32", sandbox.I64: "i64", sandbox.F32: "f32", sandbox.F64: "f64"}

// signature is the block's :sig:, held against the function, or one made from
// the function's own types.
func signature(src *compile.Source, f export) (*value.Sig, error) {
	params, results := paramNames(src, f), src.Outs
	if src.Sig != nil {
		if err := agree(src, f, src.Sig); err != nil {
			return nil, err
		}
		return src.Sig, nil
	}
	if src.Shape == compile.ShapeComponent && len(src.Params) != len(f.params) {
		return nil, diag.Errorf(src.At(1, 1), "%s takes %d parameters, the component has %d inputs", f.name, len(f.params), len(src.Params))
	}
	if src.Shape == compile.ShapeBabel && len(src.Vars) != len(f.params) {
		return nil, diag.Errorf(src.At(1, 1), "%s takes %d parameters, the block has %d variables", f.name, len(f.params), len(src.Vars))
	}
	sig := &value.Sig{Name: f.name}
	for i, t := range f.params {
		kinds := typeNames[t]
		if kinds == nil {
			return nil, diag.Errorf(src.At(1, 1), "parameter %d of %s is not a number", i+1, f.name)
		}
		sig.Params = append(sig.Params, value.Param{Name: params[i], Type: value.Type{Kind: kinds[0]}})
	}
	for i, t := range f.results {
		kinds := typeNames[t]
		if kinds == nil {
			return nil, diag.Errorf(src.At(1, 1), "result %d of %s is not a number", i+1, f.name)
		}
		name := ""
		if len(f.results) > 1 {
			name = fmt.Sprintf("r%d", i+1)
			if len(results) == len(f.results) {
				name = results[i]
			}
		}
		sig.Results = append(sig.Results, value.Param{Name: name, Type: value.Type{Kind: kinds[0]}})
	}
	return sig, nil
}

// paramNames are the names of the inputs or variables, as far as there are any.
func paramNames(src *compile.Source, f export) []string {
	names := slices.Clone(src.Params)
	if src.Shape == compile.ShapeBabel {
		names = nil
		for _, v := range src.Vars {
			names = append(names, v.Name)
		}
	}
	for len(names) < len(f.params) {
		names = append(names, fmt.Sprintf("p%d", len(names)+1))
	}
	return names
}

// agree reports where a signature asks for something else than the function
// has.
func agree(src *compile.Source, f export, sig *value.Sig) error {
	if len(sig.Params) != len(f.params) || len(sig.Results) != len(f.results) {
		return diag.Errorf(src.At(1, 1), "%s has %d parameters and %d results, :sig: has %d and %d", f.name, len(f.params), len(f.results), len(sig.Params), len(sig.Results))
	}
	check := func(what string, p value.Param, t sandbox.ValueType) error {
		switch {
		case slices.Contains(typeNames[t], p.Type.Kind):
			return nil
		case !scalar(p.Type):
			return diag.Errorf(src.At(1, 1), ":sig: %s %s: a WebAssembly function takes and returns numbers, not %s", what, p.Name, p.Type).
				WithHint("bool s32 u32 s64 u64 f32 f64; for bytes use the kernel shape")
		}
		return diag.Errorf(src.At(1, 1), ":sig: %s %s is %s, the function has %s", what, p.Name, p.Type, wasmNames[t])
	}
	for i, p := range sig.Params {
		if err := check("parameter", p, f.params[i]); err != nil {
			return err
		}
	}
	for i, p := range sig.Results {
		if err := check("result", p, f.results[i]); err != nil {
			return err
		}
	}
	return nil
}

func scalar(t value.Type) bool {
	for _, kinds := range typeNames {
		if slices.Contains(kinds, t.Kind) {
			return true
		}
	}
	return false
}

// call starts the module and calls the chosen function.
func (l *lane) call(ctx context.Context, module *sandbox.Module, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	sig, err := value.ParseSig(art.Meta[metaSig])
	if err != nil {
		return nil, err
	}
	inputs := job.Inputs
	if art.Shape == compile.ShapeBabel {
		vars, err := value.ParseJSON([]byte(art.Meta[metaVars]))
		if err != nil {
			return nil, err
		}
		inputs = vars.Fields()
	}
	args, err := abi.Arguments(sig, inputs)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	in, err := l.env.Engine.Start(ctx, job.Command(module, []string{"block"}, compile.Tee(&stdout, job.Stdout), compile.Tee(&stderr, job.Stderr)))
	if err != nil {
		return nil, err
	}
	defer in.Close(ctx)
	words := make([]uint64, len(args))
	for i, a := range args {
		words[i] = lower(a, sig.Params[i].Type.Kind)
	}
	got, err := in.Call(ctx, art.Meta[metaFunc], words...)
	out := &compile.Outcome{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Usage: in.Usage()}
	if err != nil {
		return trapped(out, job, &stderr, err)
	}
	out.Value = results(sig, got, art.Shape)
	return out, nil
}

// results are the function's results: a record in component shape, a list
// in babel shape, unless it is one value.
func results(sig *value.Sig, words []uint64, shape compile.Shape) value.Value {
	var list []value.Value
	var fields []value.Field
	for i, p := range sig.Results {
		v := lift(words[i], p.Type.Kind)
		list = append(list, v)
		fields = append(fields, value.Field{Name: p.Name, Value: v})
	}
	switch {
	case len(list) == 0:
		return value.Nil()
	case len(list) == 1:
		return list[0]
	case shape == compile.ShapeBabel:
		return value.OfList(list...)
	}
	return value.OfObject(fields...)
}

// lower is a value as the engine takes it.
func lower(v value.Value, kind value.TypeKind) uint64 {
	switch kind {
	case value.TypeBool:
		if v.Bool() {
			return 1
		}
		return 0
	case value.TypeF32:
		return uint64(math.Float32bits(float32(v.Float())))
	case value.TypeF64:
		return math.Float64bits(v.Float())
	case value.TypeS32, value.TypeU32:
		return uint64(uint32(v.Int()))
	}
	return v.Uint()
}

// lift is the inverse of lower.
func lift(w uint64, kind value.TypeKind) value.Value {
	switch kind {
	case value.TypeBool:
		return value.OfBool(uint32(w) != 0)
	case value.TypeF32:
		return value.OfFloat(float64(math.Float32frombits(uint32(w))))
	case value.TypeF64:
		return value.OfFloat(math.Float64frombits(w))
	case value.TypeS32:
		return value.OfInt(int64(int32(w)))
	case value.TypeU32:
		return value.OfInt(int64(uint32(w)))
	case value.TypeU64:
		return value.OfUint(w)
	}
	return value.OfInt(int64(w))
}
