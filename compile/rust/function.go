package rust

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
)

// function is a function of a block.
type function struct {
	name      string
	line, col int // of the name, from 1
	public    bool
	params    []param
	result    string // "" for none
}

type param struct{ name, typ string }

// fails reports whether the function returns a Result.
func (f function) fails() bool { return resultPattern.MatchString(f.result) }

var (
	functionPattern = lazyregexp.New(`(?m)^(pub(?:\([^)]*\))?\s+)?(?:const\s+|unsafe\s+|extern\s+"C"\s+)*fn\s+(\w+)\s*\(`)
	resultPattern   = lazyregexp.New(`^(\w+::)*Result\s*<`)
)

// functions finds the functions that start a line of their own without
// indentation. What it does not understand it leaves to the compiler.
func functions(body string) []function {
	var found []function
	for _, m := range functionPattern.FindAllStringSubmatchIndex(body, -1) {
		f := function{name: body[m[4]:m[5]], public: m[2] >= 0}
		f.line = 1 + strings.Count(body[:m[4]], "\n")
		f.col = m[4] - strings.LastIndexByte(body[:m[4]], '\n')
		inside, end := brackets(body, m[1]-1)
		for _, p := range splitCommas(inside) {
			if name, typ, ok := strings.Cut(p, ":"); ok {
				f.params = append(f.params, param{strings.TrimPrefix(strings.TrimSpace(name), "mut "), strings.TrimSpace(typ)})
			}
		}
		head, _, _ := strings.Cut(body[end:], "{")
		if _, result, ok := strings.Cut(head, "->"); ok {
			result, _, _ = strings.Cut(result, " where ")
			f.result = strings.TrimSpace(result)
		}
		found = append(found, f)
	}
	return found
}

// brackets is what stands between the bracket at i and its match, and where
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
	candidates := slices.DeleteFunc(functions(src.Body), func(f function) bool { return f.name == "main" })
	names := []string{src.Func}
	if src.Sig != nil {
		names = append(names, src.Sig.Name)
	}
	for _, name := range names {
		if i := slices.IndexFunc(candidates, func(f function) bool { return f.name == strings.ReplaceAll(name, "-", "_") }); i >= 0 {
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
		return function{}, compile.Errorf(src.At(1, 1), "no function to call in this block").WithHint("write one, such as: fn half(x: f64) -> f64 { x / 2.0 }")
	}
	var list []string
	for _, f := range candidates {
		list = append(list, f.name)
	}
	return function{}, compile.Errorf(src.At(1, 1), "which function is to be called? candidates: %s", strings.Join(list, ", ")).
		WithHint("name the component after it, or make only that one pub")
}
