package clang

import (
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

// infer reads a signature off a function's declaration, for components without
// :sig:. It knows numbers, strings and lists of them; anything else is an
// error that asks for :sig:.
func infer(src *compile.Source, f function) (*value.Sig, error) {
	fail := func(what string) error {
		return diag.Errorf(src.At(f.line, f.col), "cannot tell what %s means in %s", what, f.name).
			WithHint("declare its signature with :sig:, such as " + f.name + "(xs: list<f64>) -> f64")
	}
	sig := &value.Sig{Name: f.name}
	params := f.params
	returned, ok := resultType(f)
	if !ok {
		return nil, fail("the result " + f.result)
	}
	if returned.Kind == value.TypeList && strings.HasSuffix(f.result, "*") { // T *f(…, size_t *len)
		if len(params) == 0 || params[len(params)-1].stars != 1 {
			return nil, fail("the result " + f.result)
		}
		params = params[:len(params)-1]
	}
	if f.variadic {
		return nil, fail("...")
	}
	for i := 0; i < len(params); i++ {
		p := params[i]
		t, ok := scalarType(p.words)
		switch {
		case p.stars == 0 && ok:
		case p.stars == 0:
			if t, ok = containerType(p.words); !ok {
				return nil, fail("parameter " + p.text)
			}
		case isChar(p.words) && p.stars == 1:
			t = value.Type{Kind: value.TypeString}
		case i+1 < len(params) && isLength(params[i+1]) && (ok && p.stars == 1 || isChar(p.words) && p.stars == 2):
			if isChar(p.words) {
				t = value.Type{Kind: value.TypeString}
			}
			t = value.Type{Kind: value.TypeList, Args: []value.Type{t}}
			i++
		default:
			return nil, fail("parameter " + p.text)
		}
		name := p.name
		if n := len(sig.Params); n < len(src.Params) {
			name = src.Params[n]
		}
		if name == "" {
			return nil, fail("a parameter without a name")
		}
		sig.Params = append(sig.Params, value.Param{Name: name, Type: t})
	}
	if returned.Kind != "" {
		sig.Results = []value.Param{{Type: returned}}
	}
	if len(src.Params) > 0 && len(src.Params) != len(sig.Params) {
		return nil, diag.Errorf(src.At(f.line, f.col), "%s takes %d inputs, :in: names %d", f.name, len(sig.Params), len(src.Params))
	}
	return sig, nil
}

// resultType reads a return type; Kind "" is void.
func resultType(f function) (value.Type, bool) {
	words := parameter(clex(f.result + " x")).words
	stars := strings.Count(f.result, "*")
	if stars == 0 && len(words) == 1 && words[0] == "void" {
		return value.Type{}, true
	}
	if isChar(words) && stars == 1 {
		return value.Type{Kind: value.TypeString}, true
	}
	t, ok := scalarType(words)
	switch {
	case ok && stars == 0:
		return t, true
	case ok && stars == 1:
		return value.Type{Kind: value.TypeList, Args: []value.Type{t}}, true
	case isChar(words) && stars == 2:
		return value.Type{Kind: value.TypeList, Args: []value.Type{{Kind: value.TypeString}}}, true
	case stars == 0:
		return containerType(words)
	}
	return value.Type{}, false
}

// scalarType knows the number types of C by their words, in any order.
func scalarType(words []string) (value.Type, bool) {
	if len(words) > 1 && words[0] == "std" {
		words = words[1:]
	}
	var long, unsigned int
	kind := value.TypeKind("")
	for _, w := range words {
		switch w {
		case "long":
			long++
		case "unsigned":
			unsigned++
		case "signed", "int", "short":
		case "bool", "_Bool":
			kind = value.TypeBool
		case "float":
			kind = value.TypeF32
		case "double":
			kind = value.TypeF64
		case "int32_t", "ptrdiff_t", "ssize_t", "int16_t", "int8_t":
			kind = value.TypeS32
		case "uint32_t", "size_t", "uint16_t", "uint8_t":
			kind = value.TypeU32
		case "int64_t":
			kind = value.TypeS64
		case "uint64_t":
			kind = value.TypeU64
		default:
			return value.Type{}, false
		}
	}
	switch {
	case len(words) == 0 || kind == value.TypeF64 && long > 0:
		return value.Type{}, false
	case kind != "":
	case long == 2 && unsigned > 0:
		kind = value.TypeU64
	case long == 2:
		kind = value.TypeS64
	case unsigned > 0:
		kind = value.TypeU32
	default:
		kind = value.TypeS32
	}
	return value.Type{Kind: kind}, true
}

// containerType knows std::string, std::string_view, std::vector and
// std::optional.
func containerType(words []string) (value.Type, bool) {
	if len(words) > 1 && words[0] == "std" {
		words = words[1:]
	}
	if len(words) == 0 {
		return value.Type{}, false
	}
	switch words[0] {
	case "string", "string_view":
		return value.Type{Kind: value.TypeString}, len(words) == 1
	case "vector", "span", "optional":
		kind := value.TypeList
		if words[0] == "optional" {
			kind = value.TypeOption
		}
		inner, ok := scalarType(words[1:])
		if !ok {
			inner, ok = containerType(words[1:])
		}
		return value.Type{Kind: kind, Args: []value.Type{inner}}, ok
	}
	return value.Type{}, false
}

func isChar(words []string) bool { return len(words) == 1 && words[0] == "char" }

// isLength reports whether a parameter can be the length of the list before it.
func isLength(p cparam) bool {
	t, ok := scalarType(p.words)
	return ok && p.stars == 0 && (t.Kind == value.TypeS32 || t.Kind == value.TypeU32)
}
