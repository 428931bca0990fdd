package zig

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// function is a function at the top level of a body; it fails when it returns an
// error union.
type function = cbackend.Function

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
		f := function{Name: text[m[4]:m[5]], Line: 1 + strings.Count(body[:name], "\n"), Col: 1 + column(body, name)}
		f.Public = m[2] >= 0 && slices.Contains([]string{"pub", "export"}, text[m[2]:m[3]])
		inside, end := brackets(text, m[1]-1)
		for _, p := range splitCommas(inside) {
			name, typ, ok := strings.Cut(p, ":")
			if ok {
				f.Params = append(f.Params, cbackend.Param{Name: strings.TrimPrefix(strings.TrimSpace(name), "comptime "), Type: strings.TrimSpace(typ)})
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
		f.Result = strings.TrimSpace(result)
		f.Fails = strings.Contains(f.Result, "!")
		found = append(found, f)
	}
	return found
}

// brackets is the text between the bracket at i and its match, and where
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
	return cbackend.Choose(src, functions(src.Body), compile.LooseName, "fn half(x: f64) f64 { return x / 2; }")
}

// inferType is the type in a signature that a Zig type stands for.
func inferType(text string) (value.Type, bool) {
	if t, ok := cbackend.InferScalar(text); ok {
		return t, true
	}
	if text == textType || text == "[:0]const u8" {
		return value.Type{Kind: value.TypeString}, true
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
func signature(src *compile.Source, f function) (*value.Sig, error) {
	result := f.Result[strings.LastIndexByte(f.Result, '!')+1:]
	if result == "void" {
		result = ""
	}
	return f.Signature(src, result, inferType)
}
