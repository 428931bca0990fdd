package golang

import (
	"fmt"
	"strings"

	"wb/compile/abi"
	"wb/internal/diag"
	"wb/internal/value"
)

// glue writes the code between the host and the author's function: it reads
// arguments from memory as package abi lays them out, calls, and writes the
// result there.
type glue struct {
	b   *block
	sig *value.Sig
	f   function
	err error // the first type that does not fit
}

// glueRuntime is the runtime of the glue: memory for both sides, and the types that need more
// than a load or a store. What the host still reads is kept from the collector.
const glueRuntime = `
var wbKept [][]uint64

func wbRoom(n uint32) uint32 {
	room := make([]uint64, n/8+1)
	wbKept = append(wbKept, room)
	return uint32(uintptr(unsafe.Pointer(&room[0])))
}

//go:wasmexport wb_alloc
func wbAlloc(n uint32) uint32 { return wbRoom(n) }

func wbAt[T any](p uint32) *T { return (*T)(unsafe.Pointer(uintptr(p))) }

func wbText(p uint32) string {
	n := 0
	for *wbAt[byte](p + uint32(n)) != 0 {
		n++
	}
	return string(unsafe.Slice(wbAt[byte](p), n))
}

func wbPutText(at uint32, s string) {
	p := wbRoom(uint32(len(s)) + 1)
	for i := range len(s) {
		if s[i] == 0 {
			panic("the returned text contains a NUL byte, which ends a text here")
		}
		*wbAt[byte](p + uint32(i)) = s[i]
	}
	*wbAt[uint32](at) = p
}

func wbList[E any](at, size uint32, get func(p uint32) E) []E {
	p, n := *wbAt[uint32](at), *wbAt[uint32](at + 4)
	list := make([]E, n)
	for i := range list {
		list[i] = get(p + uint32(i)*size)
	}
	return list
}

func wbPutList[E any](at, size uint32, list []E, put func(p uint32, v E)) {
	p := wbRoom(uint32(len(list)) * size)
	for i, v := range list {
		put(p+uint32(i)*size, v)
	}
	*wbAt[uint32](at), *wbAt[uint32](at + 4) = p, uint32(len(list))
}

func wbOption[T any](at uint32, get func(p uint32) T) *T {
	p := *wbAt[uint32](at)
	if p == 0 {
		return nil
	}
	v := get(p)
	return &v
}

func wbPutOption[T any](at, size uint32, v *T, put func(p uint32, v T)) {
	p := uint32(0)
	if v != nil {
		p = wbRoom(size)
		put(p, *v)
	}
	*wbAt[uint32](at) = p
}

func wbFit[To, From ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](v From, name string) To {
	if to := To(v); From(to) == v && (to < 0) == (v < 0) {
		return to
	}
	panic("the returned value does not fit " + name)
}
`

// makeGlue writes the glue for calling f as sig says. Its wb_call leaves
// result<R, string> when the function can fail, which is what failing makes of
// the results.
func makeGlue(b *block, sig *value.Sig, f function) (string, error) {
	g := &glue{b: b, sig: sig, f: f}
	if len(f.params) != len(sig.Params) {
		return "", g.mismatch("%s takes %d parameters, its signature has %d", f.name, len(f.params), len(sig.Params))
	}
	var code strings.Builder
	fmt.Fprintf(&code, "package %s\n\nimport \"unsafe\"\n%s\n//go:wasmexport wb_call\nfunc wbCall(args, result uint32) {\n\t_ = args\n\t_ = result\n", b.pkg, glueRuntime)
	types := make([]value.Type, len(sig.Params))
	for i, p := range sig.Params {
		types[i] = p.Type
	}
	args := make([]string, len(types))
	for i, offset := range abi.Offsets(types) {
		args[i] = fmt.Sprintf("a%d", i)
		fmt.Fprintf(&code, "\tvar a%d %s = %s\n", i, f.params[i].typ.text, g.get(f.params[i].typ, types[i], fmt.Sprintf("args+%d", offset), sig.Params[i].Name))
	}
	if f.variadic {
		args[len(args)-1] += "..."
	}
	code.WriteString(g.call("	", f.name+"("+strings.Join(args, ", ")+")"))
	code.WriteString("}\n")
	return code.String(), g.err
}

// call writes the call and stores what it returns.
func (g *glue) call(indent, call string) string {
	var names []string
	for i := range g.f.results {
		names = append(names, fmt.Sprintf("r%d", i))
	}
	var b strings.Builder
	results, at := g.sig.Results, "result"
	if g.f.fails {
		names = append(names, "err")
		whole := abi.Failing(g.sig).Results[0].Type
		if abi.DeclaresError(g.sig) {
			whole = g.sig.Results[0].Type
			if whole.Args[1].Kind != value.TypeString {
				g.fail("%s returns an error, so its signature's result must be result<…, string>", g.f.name)
			}
			results = []value.Param{{Type: whole.Args[0]}}
		}
		offset := abi.UnionOffset(whole)
		fmt.Fprintf(&b, "%s%s := %s\n", indent, strings.Join(names, ", "), call)
		fmt.Fprintf(&b, "%sif err != nil {\n%s\t*wbAt[bool](result) = true\n%s\twbPutText(result+%d, err.Error())\n%s\treturn\n%s}\n", indent, indent, indent, offset, indent, indent)
		fmt.Fprintf(&b, "%s*wbAt[bool](result) = false\n", indent)
		at = fmt.Sprintf("result+%d", offset)
	} else if len(names) > 0 {
		fmt.Fprintf(&b, "%s%s := %s\n", indent, strings.Join(names, ", "), call)
	} else {
		fmt.Fprintf(&b, "%s%s\n", indent, call)
	}
	switch {
	case abi.DeclaresError(g.sig) && !g.f.fails:
		g.fail("%s must return an error as its last result, as its signature returns %s", g.f.name, g.sig.Results[0].Type)
	case len(results) == 0:
		for _, n := range names {
			fmt.Fprintf(&b, "%s_ = %s\n", indent, n)
		}
	case len(results) == 1 && results[0].Name == "":
		if len(g.f.results) != 1 {
			if results[0].Type.Kind == value.TypeTuple && len(results[0].Type.Args) == len(g.f.results) {
				b.WriteString(g.members(indent, results[0].Type.Args, at, "result"))
				break
			}
			g.fail("%s returns %d values, its signature %s", g.f.name, len(g.f.results), results[0].Type)
			break
		}
		b.WriteString(g.put(indent, g.f.results[0], results[0].Type, at, "r0", "the result"))
	default:
		types := make([]value.Type, len(results))
		for i, r := range results {
			types[i] = r.Type
		}
		if len(g.f.results) == 1 && g.f.results[0].kind == "struct" {
			b.WriteString(g.put(indent, g.f.results[0], value.Type{Kind: value.TypeRecord, Fields: results}, at, "r0", "the result"))
			break
		}
		if len(g.f.results) != len(results) {
			g.fail("%s returns %d values, its signature %d", g.f.name, len(g.f.results), len(results))
			break
		}
		b.WriteString(g.members(indent, types, at, "result"))
	}
	return b.String()
}

// members stores several results as the members of one struct.
func (g *glue) members(indent string, types []value.Type, at, where string) string {
	var b strings.Builder
	for i, offset := range abi.Offsets(types) {
		b.WriteString(g.put(indent, g.f.results[i], types[i], fmt.Sprintf("%s+%d", at, offset), fmt.Sprintf("r%d", i), where))
	}
	return b.String()
}

// words are the Go types that hold every value of a signature's type, and the
// type as which it lies in memory.
var words = map[value.TypeKind]struct {
	memory string
	wide   string
}{
	value.TypeBool: {"bool", "bool"},
	value.TypeS32:  {"int32", "int32 int64 int"},
	value.TypeU32:  {"uint32", "uint32 uint64 uint int64 int"},
	value.TypeS64:  {"int64", "int64 int"},
	value.TypeU64:  {"uint64", "uint64 uint"},
	value.TypeF32:  {"float32", "float32 float64"},
	value.TypeF64:  {"float64", "float64"},
}

// integers are the Go types whose values may be checked to fit.
const integers = " int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 "

func holds(list, kind string) bool { return strings.Contains(" "+list+" ", " "+kind+" ") }

// get is an expression for the value of type t at an address.
func (g *glue) get(typ goType, t value.Type, at, where string) string {
	if w, ok := words[t.Kind]; ok {
		if !holds(w.wide, typ.kind) {
			return g.unfit(typ, t, where)
		}
		return fmt.Sprintf("%s(*wbAt[%s](%s))", typ.text, w.memory, at)
	}
	switch t.Kind {
	case value.TypeString:
		if typ.kind == "string" || typ.kind == "slice" && typ.elem.kind == "uint8" {
			return fmt.Sprintf("%s(wbText(*wbAt[uint32](%s)))", typ.text, at)
		}
	case value.TypeList:
		if typ.kind == "slice" {
			return fmt.Sprintf("wbList(%s, %d, func(p uint32) %s { return %s })", at, abi.Size(t.Args[0]), typ.elem.text, g.get(*typ.elem, t.Args[0], "p", where))
		}
	case value.TypeOption:
		if typ.kind != "pointer" {
			break
		}
		inner := t.Args[0]
		switch inner.Kind {
		case value.TypeString: // the pointer to the text is the option
			return fmt.Sprintf("wbOption(%s, func(p uint32) %s { return %s(wbText(p)) })", at, typ.elem.text, typ.elem.text)
		case value.TypeList:
			return fmt.Sprintf("wbOption(%s, func(uint32) %s { return %s })", at, typ.elem.text, g.get(*typ.elem, inner, at, where))
		}
		return fmt.Sprintf("wbOption(%s, func(p uint32) %s { return %s })", at, typ.elem.text, g.get(*typ.elem, inner, "p", where))
	case value.TypeTuple:
		if list, ok := tupleTypes(typ, len(t.Args)); ok {
			items := make([]string, len(t.Args))
			for i, offset := range abi.Offsets(t.Args) {
				items[i] = g.get(list[i], t.Args[i], fmt.Sprintf("%s+%d", at, offset), where)
			}
			return typ.text + "{" + strings.Join(items, ", ") + "}"
		}
	case value.TypeRecord:
		pointer := ""
		if typ.kind == "pointer" && typ.elem.kind == "struct" {
			pointer, typ = "&", *typ.elem
		}
		if typ.kind != "struct" {
			break
		}
		var members []string
		for i, offset := range abi.Offsets(abi.Types(t.Fields)) {
			f, ok := typ.field(t.Fields[i].Name)
			if !ok {
				g.fail("%s has no field for the member %s of %s", typ.text, t.Fields[i].Name, where)
				continue
			}
			members = append(members, f.name+": "+g.get(f.typ, t.Fields[i].Type, fmt.Sprintf("%s+%d", at, offset), where+"."+t.Fields[i].Name))
		}
		return pointer + typ.text + "{" + strings.Join(members, ", ") + "}"
	}
	return g.unfit(typ, t, where)
}

// put are statements that store an expression at an address.
func (g *glue) put(indent string, typ goType, t value.Type, at, v, where string) string {
	if w, ok := words[t.Kind]; ok {
		store := fmt.Sprintf("%s*wbAt[%s](%s) = ", indent, w.memory, at)
		switch {
		case typ.kind == w.memory || t.Kind == value.TypeF64 && typ.kind == "float32":
			return store + fmt.Sprintf("%s(%s)\n", w.memory, v)
		case strings.Contains(integers, " "+typ.kind+" ") && strings.Contains(integers, " "+w.memory+" "):
			return store + fmt.Sprintf("wbFit[%s](%s, %q)\n", w.memory, v, where+": "+string(t.Kind))
		}
		g.unfit(typ, t, where)
		return ""
	}
	switch t.Kind {
	case value.TypeString:
		if typ.kind == "string" || typ.kind == "slice" && typ.elem.kind == "uint8" {
			return fmt.Sprintf("%swbPutText(%s, string(%s))\n", indent, at, v)
		}
	case value.TypeList:
		if typ.kind == "array" {
			typ.kind, v = "slice", v+"[:]"
		}
		if typ.kind == "slice" {
			return fmt.Sprintf("%swbPutList(%s, %d, %s, func(p uint32, v %s) {\n%s%s})\n", indent, at, abi.Size(t.Args[0]), v, typ.elem.text,
				g.put(indent+"\t", *typ.elem, t.Args[0], "p", "v", where), indent)
		}
	case value.TypeOption:
		if typ.kind == "slice" && t.Args[0].Kind == value.TypeList {
			return fmt.Sprintf("%sif %s != nil {\n%s%s} else {\n%s\t*wbAt[uint32](%s) = 0\n%s}\n", indent, v, g.put(indent+"\t", typ, t.Args[0], at, v, where), indent, indent, at, indent)
		}
		if typ.kind != "pointer" {
			break
		}
		if inner := t.Args[0].Kind; inner == value.TypeString || inner == value.TypeList {
			return fmt.Sprintf("%sif %s != nil {\n%s%s} else {\n%s\t*wbAt[uint32](%s) = 0\n%s}\n", indent, v, g.put(indent+"\t", *typ.elem, t.Args[0], at, "*"+v, where), indent, indent, at, indent)
		}
		return fmt.Sprintf("%swbPutOption(%s, %d, %s, func(p uint32, v %s) {\n%s%s})\n", indent, at, abi.Size(t.Args[0]), v, typ.elem.text,
			g.put(indent+"\t", *typ.elem, t.Args[0], "p", "v", where), indent)
	case value.TypeTuple:
		if list, ok := tupleTypes(typ, len(t.Args)); ok {
			var b strings.Builder
			for i, offset := range abi.Offsets(t.Args) {
				item := fmt.Sprintf("%s[%d]", v, i)
				if typ.kind == "struct" {
					item = v + "." + typ.fields[i].name
				}
				b.WriteString(g.put(indent, list[i], t.Args[i], fmt.Sprintf("%s+%d", at, offset), item, where))
			}
			return b.String()
		}
	case value.TypeRecord:
		if typ.kind == "pointer" && typ.elem.kind == "struct" {
			typ = *typ.elem
		}
		if typ.kind != "struct" {
			break
		}
		var b strings.Builder
		for i, offset := range abi.Offsets(abi.Types(t.Fields)) {
			f, ok := typ.field(t.Fields[i].Name)
			if !ok {
				g.fail("%s has no field for the member %s of %s", typ.text, t.Fields[i].Name, where)
				continue
			}
			b.WriteString(g.put(indent, f.typ, t.Fields[i].Type, fmt.Sprintf("%s+%d", at, offset), v+"."+f.name, where+"."+f.name))
		}
		return b.String()
	}
	g.unfit(typ, t, where)
	return ""
}

// tupleTypes are the types of a struct's fields or an array's elements, when
// there are n.
func tupleTypes(typ goType, n int) ([]goType, bool) {
	switch typ.kind {
	case "struct":
		var list []goType
		for _, f := range typ.fields {
			list = append(list, f.typ)
		}
		return list, len(list) == n
	case "array":
		list := make([]goType, n)
		for i := range list {
			list[i] = *typ.elem
		}
		return list, true
	}
	return nil, false
}

func (g *glue) unfit(typ goType, t value.Type, where string) string {
	g.fail("%s: %s does not hold %s", where, typ.text, t)
	return "0"
}

func (g *glue) fail(format string, args ...any) {
	if g.err == nil {
		g.err = g.mismatch(format, args...)
	}
}

// mismatch is an error at the author's function that shows what would fit.
func (g *glue) mismatch(format string, args ...any) error {
	return diag.Errorf(g.b.at(g.f.line, g.f.col), format, args...).WithHint("write it as: " + prototype(g.f.name, g.sig))
}

// prototype is the function as the signature wants it in Go.
func prototype(name string, sig *value.Sig) string {
	var params, results []string
	for _, p := range sig.Params {
		params = append(params, identifier(p.Name)+" "+goName(p.Type))
	}
	for _, r := range sig.Results {
		if r.Type.Kind == value.TypeResult {
			results = append(results, goName(r.Type.Args[0]), "error")
			continue
		}
		results = append(results, strings.TrimSpace(identifier(r.Name)+" "+goName(r.Type)))
	}
	text := "func " + name + "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		if sig.Results[0].Name == "" {
			return text + " " + results[0]
		}
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// goName is the Go type of a signature's type.
func goName(t value.Type) string {
	if w, ok := words[t.Kind]; ok {
		return w.memory
	}
	switch t.Kind {
	case value.TypeList:
		return "[]" + goName(t.Args[0])
	case value.TypeOption:
		return "*" + goName(t.Args[0])
	case value.TypeTuple:
		var members []string
		for i, a := range t.Args {
			members = append(members, fmt.Sprintf("f%d %s", i, goName(a)))
		}
		return "struct{ " + strings.Join(members, "; ") + " }"
	case value.TypeRecord:
		var members []string
		for _, f := range t.Fields {
			members = append(members, identifier(f.Name)+" "+goName(f.Type))
		}
		return "struct{ " + strings.Join(members, "; ") + " }"
	case value.TypeResult:
		return "struct{ ok " + goName(t.Args[0]) + "; err " + goName(t.Args[1]) + " }"
	}
	return "string"
}
