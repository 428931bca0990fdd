package zig

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/value"
)

// function is a function at the top level of a body.
type function struct {
	name      string
	line, col int // of the name, from 1
	public    bool
	params    []param
	result    string // as written
}

type param struct{ name, typ string }

// fails reports whether the function returns an error union.
func (f function) fails() bool { return strings.Contains(f.result, "!") }

var functionPattern = lazyregexp.New(`^(?:(pub|export|inline|noinline)\s+)*fn\s+(\w+)\s*\(`)

// functions finds the functions of a body. What it does not understand it
// leaves to the compiler.
func functions(body string) []function {
	var found []function
	for _, p := range ahead(body) {
		text := body[p[0]:p[1]]
		m := functionPattern.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		name := p[0] + m[4]
		f := function{name: text[m[4]:m[5]], line: 1 + strings.Count(body[:name], "\n"), col: 1 + column(body, name)}
		f.public = m[2] >= 0 && slices.Contains([]string{"pub", "export"}, text[m[2]:m[3]])
		inside, end := brackets(text, m[1]-1)
		for _, p := range splitCommas(inside) {
			name, typ, ok := strings.Cut(p, ":")
			if ok {
				f.params = append(f.params, param{strings.TrimPrefix(strings.TrimSpace(name), "comptime "), strings.TrimSpace(typ)})
			}
		}
		result := text[end:]
		for open, depth := 0, 0; open < len(result); open++ {
			if result[open] == '{' && depth == 0 && !typeBefore.MatchString(result[:open]) {
				result = result[:open]
			} else if result[open] == '{' {
				depth++
			} else if result[open] == '}' {
				depth--
			}
		}
		f.result = strings.TrimSpace(result)
		found = append(found, f)
	}
	return found
}

// brackets is what stands between the bracket at i and its match, and where
// that ends.
func brackets(text string, i int) (inside string, end int) {
	depth := 0
	for j := i; j < len(text); {
		if n := skip(text[j:]); n > 0 {
			j += n
			continue
		}
		switch text[j] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return text[i+1 : j], j + 1
			}
		}
		j++
	}
	return text[i+1:], len(text)
}

func splitCommas(text string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, text[start:i])
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// chooseFunction finds the function that a component calls.
func chooseFunction(src *compile.Source) (function, error) {
	candidates := slices.DeleteFunc(functions(src.Body), func(f function) bool { return f.name == "main" })
	names := []string{src.Func}
	if src.Sig != nil {
		names = append(names, src.Sig.Name)
	}
	for _, name := range names {
		if i := slices.IndexFunc(candidates, func(f function) bool { return loose(f.name) == loose(name) }); i >= 0 {
			return candidates[i], nil
		}
	}
	if public := slices.DeleteFunc(slices.Clone(candidates), func(f function) bool { return !f.public }); len(public) > 0 {
		candidates = public
	}
	switch len(candidates) {
	case 1:
		return candidates[0], nil
	case 0:
		return function{}, compile.Errorf(src.At(1, 1), "no function to call in this block").WithHint("write one, such as: fn half(x: f64) f64 { return x / 2; }")
	}
	var list []string
	for _, f := range candidates {
		list = append(list, f.name)
	}
	return function{}, compile.Errorf(src.At(1, 1), "which function is to be called? candidates: %s", strings.Join(list, ", ")).
		WithHint("name the component after it, or make only that one pub")
}

// loose is a name without what tells score_items and scoreItems apart.
func loose(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// inferable are the Zig types that a signature can be read off.
var inferable = map[string]value.TypeKind{
	"bool": value.TypeBool, "i32": value.TypeS32, "u32": value.TypeU32, "i64": value.TypeS64, "u64": value.TypeU64, "usize": value.TypeU32,
	"isize": value.TypeS32, "f32": value.TypeF32, "f64": value.TypeF64, "[]const u8": value.TypeString, "[:0]const u8": value.TypeString,
}

func inferType(text string) (value.Type, bool) {
	if kind, ok := inferable[text]; ok {
		return value.Type{Kind: kind}, true
	}
	for prefix, kind := range map[string]value.TypeKind{"?": value.TypeOption, "[]const ": value.TypeList, "[]": value.TypeList} {
		if inner, ok := strings.CutPrefix(text, prefix); ok && (prefix != "[]" || !strings.HasPrefix(inner, "const ")) {
			t, ok := inferType(strings.TrimSpace(inner))
			return value.Type{Kind: kind, Args: []value.Type{t}}, ok
		}
	}
	return value.Type{}, false
}

// signature reads a signature off a declaration, for components without :sig:.
func (f function) signature(src *compile.Source) (*value.Sig, error) {
	fail := func(what string) error {
		return compile.Errorf(src.At(f.line, f.col), "cannot tell what %s means in %s", what, f.name).
			WithHint("say how it is called with :sig:, such as " + f.name + "(xs: list<f64>) -> f64")
	}
	sig := &value.Sig{Name: f.name}
	for i, p := range f.params {
		t, ok := inferType(p.typ)
		if !ok {
			return nil, fail("parameter " + p.name + ": " + p.typ)
		}
		name := p.name
		if i < len(src.Params) {
			name = src.Params[i]
		}
		sig.Params = append(sig.Params, value.Param{Name: name, Type: t})
	}
	result := f.result[strings.LastIndexByte(f.result, '!')+1:]
	if result == "void" {
		return sig, nil
	}
	t, ok := inferType(result)
	if !ok {
		return nil, fail("the result " + f.result)
	}
	sig.Results = []value.Param{{Type: t}}
	return sig, nil
}
