package rust

import (
	"strings"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/internal/lazyregexp"
)

// function is a function of a block; it fails when it returns a Result.
type function = cbackend.Function

var (
	functionPattern = lazyregexp.New(`(?m)^(pub(?:\([^)]*\))?\s+)?(?:const\s+|unsafe\s+|extern\s+"C"\s+)*fn\s+(\w+)\s*\(`)
	resultPattern   = lazyregexp.New(`^(\w+::)*Result\s*<`)
)

// functions finds the functions that start a line of their own without
// indentation. What it does not understand it leaves to the compiler.
func functions(body string) []function {
	var found []function
	for _, m := range functionPattern.FindAllStringSubmatchIndex(body, -1) {
		f := function{Name: body[m[4]:m[5]], Public: m[2] >= 0}
		f.Line = 1 + strings.Count(body[:m[4]], "\n")
		f.Col = m[4] - strings.LastIndexByte(body[:m[4]], '\n')
		inside, end := brackets(body, m[1]-1)
		for _, p := range splitCommas(inside) {
			if name, typ, ok := strings.Cut(p, ":"); ok {
				f.Params = append(f.Params, cbackend.Param{Name: strings.TrimPrefix(strings.TrimSpace(name), "mut "), Type: strings.TrimSpace(typ)})
			}
		}
		head, _, _ := strings.Cut(body[end:], "{")
		if _, result, ok := strings.Cut(head, "->"); ok {
			result, _, _ = strings.Cut(result, " where ")
			f.Result = strings.TrimSpace(result)
			f.Fails = resultPattern.MatchString(f.Result)
		}
		found = append(found, f)
	}
	return found
}

// brackets is the text between the bracket at i and its match, and where
// that ends.
func brackets(text string, i int) (inside string, end int) {
	depth := 0
	for j := i; j < len(text); j++ {
		switch text[j] {
		case '(', '[', '{', '<':
			depth++
		case '>':
			if j > 0 && text[j-1] != '-' {
				depth--
			}
		case ')', ']', '}':
			if depth--; depth == 0 {
				return text[i+1 : j], j + 1
			}
		}
	}
	return text[i+1:], len(text)
}

// splitCommas splits at the commas outside of brackets.
func splitCommas(text string) []string {
	var list []string
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(text[start:i]))
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
	return cbackend.Choose(src, functions(src.Body), func(name string) string { return strings.ReplaceAll(name, "-", "_") }, "fn half(x: f64) -> f64 { x / 2.0 }")
}
