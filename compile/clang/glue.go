package clang

import (
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

// glue is the generated code around an author's function.
type glue struct {
	before string // types, ahead of the body
	after  string // wb_alloc and wb_call, behind it
}

// glueHeaders are what the generated code needs.
const glueHeaders = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"

// caller writes the call of one function.
type caller struct {
	src   *compile.Source
	sig   *value.Sig
	f     function
	types *ctypes
	cpp   bool
}

// chooseFunction chooses the function a component calls: the one the workbook
// names, else the one the signature names, else the only one there is.
func chooseFunction(src *compile.Source) (function, error) {
	var candidates []function
	for _, f := range functions(src.Body) {
		if f.defined && f.name != "main" {
			candidates = append(candidates, f)
		}
	}
	names := []string{cident(src.Func)}
	if src.Sig != nil {
		names = append(names, cident(src.Sig.Name))
	}
	for _, name := range names {
		if i := slices.IndexFunc(candidates, func(f function) bool { return f.name == name }); i >= 0 {
			return candidates[i], nil
		}
	}
	public := slices.DeleteFunc(slices.Clone(candidates), func(f function) bool { return f.static })
	switch len(public) {
	case 1:
		return public[0], nil
	case 0:
		return function{}, diag.Errorf(src.At(1, 1), "no function to call in this block").WithHint("write one, such as: double half(double x) { return x / 2; }")
	}
	var list []string
	for _, f := range public {
		list = append(list, f.name)
	}
	return function{}, diag.Errorf(src.At(1, 1), "the block defines several functions; wb cannot choose between %s", strings.Join(list, ", ")).
		WithHint("name the block after one, or make the others static")
}

// makeGlue writes the glue for calling f as sig says.
func makeGlue(src *compile.Source, sig *value.Sig, f function, cpp bool) (*glue, error) {
	c := &caller{src: src, sig: sig, f: f, types: newCTypes(), cpp: cpp}
	var args, results []string
	for i, p := range sig.Params {
		args = append(args, fmt.Sprintf("%sp%d;", declarator(c.types.name(p.Type, p.Name)), i))
	}
	for i, r := range sig.Results {
		results = append(results, fmt.Sprintf("%sr%d;", declarator(c.types.name(r.Type, c.resultName(r))), i))
	}
	c.nameResults()
	var call string
	var err error
	if cpp && c.idiomatic() {
		call, err = c.callCPP()
	} else {
		call, err = c.callC()
	}
	if err != nil {
		return nil, err
	}
	linkage := ""
	if cpp {
		linkage = `extern "C" `
	}
	g := &glue{before: glueHeaders + c.types.text.String()}
	g.after = "\n#include <stdlib.h>\n" +
		"struct wb_args { " + strings.Join(args, " ") + " };\n" +
		"struct wb_result { " + strings.Join(results, " ") + " };\n" +
		linkage + "__attribute__((export_name(\"wb_alloc\"))) void *wb_alloc(size_t n) { return malloc(n); }\n" +
		"#pragma clang diagnostic error \"-Wfloat-conversion\"\n" +
		"#pragma clang diagnostic error \"-Wshorten-64-to-32\"\n" +
		"#pragma clang diagnostic error \"-Wincompatible-pointer-types\"\n" +
		"#pragma clang diagnostic error \"-Wint-conversion\"\n" +
		linkage + "__attribute__((export_name(\"wb_call\"))) void wb_call(struct wb_args *a, struct wb_result *r) {\n  (void)a; (void)r;\n" + call + "}\n"
	return g, nil
}

// resultName is the name of a returned struct.
func (c *caller) resultName(r value.Param) string {
	if r.Name == "" {
		return c.sig.Name
	}
	return r.Name
}

// nameResults defines FUNC_t for a function with several named results.
func (c *caller) nameResults() {
	if len(c.sig.Results) > 1 || len(c.sig.Results) == 1 && c.sig.Results[0].Name != "" {
		c.types.structure(value.Type{Kind: value.TypeRecord, Fields: c.sig.Results}, c.sig.Name)
	}
}

// returns is the one type the author's function returns: several results are a
// record.
func (c *caller) returns() (value.Type, bool) {
	switch {
	case len(c.sig.Results) == 0:
		return value.Type{}, false
	case len(c.sig.Results) == 1 && c.sig.Results[0].Name == "":
		return c.sig.Results[0].Type, true
	}
	return value.Type{Kind: value.TypeRecord, Fields: c.sig.Results}, true
}

// callC writes the call in C's manner: lists as pointer and length, strings as
// pointers, an error or a length through a last pointer parameter.
func (c *caller) callC() (string, error) {
	params := c.f.params
	trailing, err := c.trailing()
	if err != nil {
		return "", err
	}
	inputs := len(params) - len(trailing)
	slots, strings_ := 0, 0
	for _, p := range c.sig.Params {
		slots++
		switch kindBelowOption(p.Type) {
		case value.TypeList:
			slots++
		case value.TypeString:
			strings_++
		}
	}
	withLengths := strings_ > 0 && inputs == slots+strings_
	if inputs != slots && !withLengths {
		return "", c.mismatch("%s takes %d parameters, its signature passes %d", c.f.name, len(params), slots+len(trailing))
	}
	var args []string
	next := func() cparam {
		p := params[len(args)]
		return p
	}
	for i, p := range c.sig.Params {
		from := fmt.Sprintf("a->p%d", i)
		switch kind := kindBelowOption(p.Type); kind {
		case value.TypeList:
			element := listElement(p.Type)
			args = append(args, c.pointerArg(element, p.Name, from+".ptr"))
			args = append(args, from+".len")
		case value.TypeString:
			args = append(args, "(char *)"+from)
			if withLengths {
				args = append(args, fmt.Sprintf("%s ? __builtin_strlen(%s) : 0", from, from))
			}
		case value.TypeRecord, value.TypeTuple, value.TypeResult:
			switch {
			case p.Type.Kind == value.TypeOption:
				args = append(args, c.pointerArg(p.Type.Args[0], p.Name, from))
			case next().pointer:
				args = append(args, "&"+from)
			default:
				args = append(args, from)
			}
		default:
			if p.Type.Kind == value.TypeOption {
				args = append(args, c.pointerArg(p.Type.Args[0], p.Name, from))
			} else {
				args = append(args, from)
			}
		}
	}
	return c.store(args, trailing)
}

// pointerArg passes a pointer to data the author may take as const or not.
func (c *caller) pointerArg(element value.Type, where, from string) string {
	name := c.types.name(element, where)
	if element.Kind == value.TypeString && !c.cpp {
		return "(void *)" + from // const char **, char ** and const char *const * are all in use
	}
	return "(" + declarator(name) + "*)" + from
}

// kindBelowOption is the kind of t or of what it is an option of.
func kindBelowOption(t value.Type) value.TypeKind {
	for t.Kind == value.TypeOption {
		t = t.Args[0]
	}
	return t.Kind
}

func listElement(t value.Type) value.Type {
	for t.Kind == value.TypeOption {
		t = t.Args[0]
	}
	return t.Args[0]
}

// out is a last parameter through which the author's function returns.
type out struct {
	kind  string // "len" or "err"
	param cparam
}

// trailing finds the out-parameters: a length when a list is returned as a
// pointer, an error text when result<T,string> is returned as T.
func (c *caller) trailing() ([]out, error) {
	t, some := c.returns()
	if !some {
		return nil, nil
	}
	rest := c.f.params
	var found []out
	take := func(kind string, stars int) bool {
		if len(rest) == 0 || rest[len(rest)-1].stars != stars {
			return false
		}
		found = append([]out{{kind, rest[len(rest)-1]}}, found...)
		rest = rest[:len(rest)-1]
		return true
	}
	pointer := strings.HasSuffix(c.f.result, "*")
	if t.Kind == value.TypeResult && !c.returnsStruct() {
		if t.Args[1].Kind != value.TypeString || !take("err", 2) {
			return nil, c.mismatch("%s must return %s, or %s with const char **err as its last parameter", c.f.name, cident(c.sig.Name)+"_t", strings.TrimSpace(c.types.name(t.Args[0], c.sig.Name)))
		}
		t = t.Args[0]
	}
	if kindBelowOption(t) == value.TypeList && pointer && !take("len", 1) {
		return nil, c.mismatch("%s returns a list as a pointer and needs size_t *len as its last parameter", c.f.name)
	}
	return found, nil
}

// returnsStruct reports whether the author's function returns one of our
// structs rather than a plain C type.
func (c *caller) returnsStruct() bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(c.f.result, "const "), " ")
	return c.types.named[word]
}

// store writes the call and keeps what it returns.
func (c *caller) store(args []string, trailing []out) (string, error) {
	t, some := c.returns()
	var b strings.Builder
	for _, o := range trailing {
		switch o.kind {
		case "len":
			fmt.Fprintf(&b, "  %s wb_len = 0;\n", strings.Join(o.param.words, " "))
			args = append(args, "&wb_len")
		case "err":
			b.WriteString("  const char *wb_err = 0;\n")
			args = append(args, "(void *)&wb_err")
		}
	}
	call := c.f.name + "(" + strings.Join(args, ", ") + ")"
	switch {
	case !some:
		fmt.Fprintf(&b, "  %s;\n", call)
		return b.String(), nil
	case c.f.result == "void":
		return "", c.mismatch("%s returns nothing, its signature returns %s", c.f.name, t)
	case len(c.sig.Results) > 1 || c.sig.Results[0].Name != "":
		dereference := ""
		if strings.HasSuffix(c.f.result, "*") {
			dereference = "*"
		}
		fmt.Fprintf(&b, "  %s_t v = %s%s;\n", cident(c.sig.Name), dereference, call)
		for i, r := range c.sig.Results {
			fmt.Fprintf(&b, "  r->r%d = v.%s;\n", i, cident(r.Name))
		}
		return b.String(), nil
	}
	target := "r->r0"
	if t.Kind == value.TypeResult && len(trailing) > 0 {
		fmt.Fprintf(&b, "  %s v = %s;\n", strings.TrimSpace(c.f.result), call)
		b.WriteString("  r->r0.is_err = wb_err != 0;\n  if (wb_err) { r->r0.err = wb_err; return; }\n")
		call, target, t = "v", "r->r0.ok", t.Args[0]
	}
	switch {
	case kindBelowOption(t) == value.TypeList && strings.HasSuffix(c.f.result, "*"):
		fmt.Fprintf(&b, "  %s.ptr = %s;\n  %s.len = wb_len;\n", target, call, target)
	case (t.Kind == value.TypeRecord || t.Kind == value.TypeTuple || t.Kind == value.TypeResult) && strings.HasSuffix(c.f.result, "*"):
		fmt.Fprintf(&b, "  %s = *%s;\n", target, call)
	default:
		fmt.Fprintf(&b, "  %s = %s;\n", target, call)
	}
	return b.String(), nil
}

// mismatch is an error at the author's function that shows what would fit.
func (c *caller) mismatch(format string, args ...any) error {
	return diag.Errorf(c.src.At(c.f.line, c.f.col), format, args...).WithHint("write it as: " + c.prototype())
}

// prototype is the function as the signature wants it in C.
func (c *caller) prototype() string {
	var params []string
	for _, p := range c.sig.Params {
		name := cident(p.Name)
		switch kind := kindBelowOption(p.Type); {
		case kind == value.TypeList:
			params = append(params, declarator(pointerTo(c.types.name(listElement(p.Type), p.Name)))+name, "size_t "+name+"_len")
		default:
			params = append(params, declarator(c.types.name(p.Type, p.Name))+name)
		}
	}
	result := "void"
	if t, some := c.returns(); some {
		switch {
		case kindBelowOption(t) == value.TypeList:
			result = strings.TrimPrefix(pointerTo(c.types.name(listElement(t), c.sig.Name)), "const ")
			params = append(params, "size_t *len")
		case t.Kind == value.TypeResult && t.Args[1].Kind == value.TypeString:
			result = c.types.name(t.Args[0], c.sig.Name)
			params = append(params, "const char **err")
		default:
			result = c.types.name(t, c.sig.Name)
		}
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return declarator(result) + c.f.name + "(" + strings.Join(params, ", ") + ")"
}
