package clang

import (
	"fmt"
	"strings"

	"wb/internal/value"
)

// ctypes names the types of a signature in C. Records, tuples and results
// become structs named after where they occur: the record that parameter p
// takes is p_t, the elements of a list xs are xs_t, a member m of p is p_m_t,
// and what function f returns is f_t. Equal structs are one type with several
// names.
type ctypes struct {
	text  strings.Builder
	known map[string]string // type as text, to its C name
	named map[string]bool
}

func newCTypes() *ctypes {
	return &ctypes{known: make(map[string]string), named: make(map[string]bool)}
}

// scalarNames are the types that C has.
var scalarNames = map[value.TypeKind]string{
	value.TypeBool: "bool", value.TypeS32: "int32_t", value.TypeS64: "int64_t", value.TypeU32: "uint32_t", value.TypeU64: "uint64_t",
	value.TypeF32: "float", value.TypeF64: "double", value.TypeString: "const char *",
}

// name is the C type of t; where names a struct it needs. Definitions it needs
// are written to c.text first.
func (c *ctypes) name(t value.Type, where string) string {
	if name, ok := scalarNames[t.Kind]; ok {
		return name
	}
	switch t.Kind {
	case value.TypeOption:
		inner := c.name(t.Args[0], where)
		if t.Args[0].Kind == value.TypeString || t.Args[0].Kind == value.TypeList {
			return inner
		}
		return "const " + strings.TrimPrefix(inner, "const ") + " *"
	case value.TypeList:
		return c.list(t, where)
	}
	return c.structure(t, where)
}

// list defines wb_list_T: a pointer and a length.
func (c *ctypes) list(t value.Type, where string) string {
	key := t.String()
	if name := c.known[key]; name != "" {
		c.name(t.Args[0], where) // the element may get another name here
		return name
	}
	element := c.name(t.Args[0], where)
	name := c.fresh("wb_list_" + mangle(t.Args[0], element))
	c.known[key] = name
	fmt.Fprintf(&c.text, "typedef struct { %sptr; size_t len; } %s;\n", declarator(pointerTo(element)), name)
	return name
}

// structure defines a struct, or another name for one that is there.
func (c *ctypes) structure(t value.Type, where string) string {
	key, name := t.String(), cident(where)+"_t"
	if first := c.known[key]; first != "" {
		if !c.named[name] {
			c.named[name] = true
			fmt.Fprintf(&c.text, "typedef %s %s;\n", first, name)
		}
		return first
	}
	var members strings.Builder
	switch t.Kind {
	case value.TypeTuple:
		for i, arg := range t.Args {
			fmt.Fprintf(&members, " %sf%d;", declarator(c.name(arg, fmt.Sprintf("%s_f%d", where, i))), i)
		}
	case value.TypeRecord:
		for _, f := range t.Fields {
			fmt.Fprintf(&members, " %s%s;", declarator(c.name(f.Type, where+"_"+f.Name)), cident(f.Name))
		}
	case value.TypeResult:
		fmt.Fprintf(&members, " bool is_err; union { %sok; %serr; };", declarator(c.name(t.Args[0], where+"_ok")), declarator(c.name(t.Args[1], where+"_err")))
	}
	name = c.fresh(name)
	c.known[key] = name
	fmt.Fprintf(&c.text, "typedef struct {%s } %s;\n", members.String(), name)
	return name
}

// fresh is name, or name with underscores when it is taken.
func (c *ctypes) fresh(name string) string {
	for c.named[name] {
		name += "_"
	}
	c.named[name] = true
	return name
}

// mangle makes a word of an element type for wb_list_…
func mangle(t value.Type, name string) string {
	switch t.Kind {
	case value.TypeBool, value.TypeS32, value.TypeS64, value.TypeU32, value.TypeU64, value.TypeF32, value.TypeF64, value.TypeString:
		return string(t.Kind)
	case value.TypeOption:
		return "option_" + mangle(t.Args[0], strings.TrimSuffix(strings.TrimPrefix(name, "const "), " *"))
	}
	return strings.TrimPrefix(name, "wb_")
}

// pointerTo is a pointer to constant data of a type.
func pointerTo(name string) string {
	switch {
	case strings.HasSuffix(name, "*"):
		return name + "const *"
	case strings.HasPrefix(name, "const "):
		return name + " *"
	}
	return "const " + name + " *"
}

// declarator is a type ready to be followed by a name.
func declarator(name string) string {
	if strings.HasSuffix(name, "*") {
		return name
	}
	return name + " "
}

// cKeywords cannot be names.
var cKeywords = wordSet(`auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
	return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false class new delete this template typename
	operator namespace using public private protected virtual friend explicit export try catch throw and or not xor typeof alignas alignof constexpr nullptr`)

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// cident makes a C name of a name in a signature: a-b is a_b, int is int_.
func cident(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if cKeywords[name] {
		name += "_"
	}
	return name
}
