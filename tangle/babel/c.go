package babel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

// cVariant is a member of the C family.
type cVariant int

const (
	cLang cVariant = iota
	cppLang
	dLang
)

// cFamily writes C, C++ and D: includes and defines, one initialised global per
// variable with its sizes, access to columns by name, and a main function
// around a body that has none.
type cFamily struct{ variant cVariant }

// mainFunction finds a definition of main, however its return type is spelled.
var mainFunction = lazyregexp.New(`(?im)^[ \t]*[intvod]+[ \t\n\r]*main[ \t]*\(.*\)`)

// CSections are the parts of a C or C++ program in their order.
type CSections struct {
	Includes, Defines, Namespaces string
	Variables                     string // values, sizes, access to columns
	Main                          bool   // the body stands in main already, or in none
}

// C lays out a block of C or C++; body has its prologue and epilogue.
func C(language, body string, p *Params) (CSections, error) {
	c := cFamily{cLang}
	if language != "C" {
		c.variant = cppLang
	}
	head, err := c.preamble(p)
	if err != nil {
		return CSections{}, err
	}
	variables, err := c.variables(p)
	return CSections{head[0], head[1], head[2], variables, p.is(":main", "no") || mainFunction.MatchString(body)}, err
}

// MainOpen and MainEnd stand around a body without a main function.
const (
	MainOpen = "int main() {\n"
	MainEnd  = "\nreturn 0;\n}\n"
)

// HasMain reports whether a text defines main.
func HasMain(text string) bool { return mainFunction.MatchString(text) }

func (c cFamily) expand(body string, p *Params) (string, error) {
	var sections []string
	if c.variant == dLang {
		imports, err := c.imports(p)
		if err != nil {
			return "", err
		}
		sections = append(sections, "module mmm;", imports)
	} else {
		head, err := c.preamble(p)
		if err != nil {
			return "", err
		}
		sections = append(sections, head...)
		body = around(body, p)
	}
	variables, err := c.variables(p)
	if err != nil {
		return "", err
	}
	if !p.is(":main", "no") && !mainFunction.MatchString(body) {
		body = MainOpen + body + MainEnd
	}
	return strings.Join(append(sections, variables, body, "\n"), "\n"), nil
}

// variables are four sections: values, sizes of tables, the function that finds
// a column, and column names.
func (c cFamily) variables(p *Params) (string, error) {
	values := make([]string, len(p.Vars))
	sizes := make([]string, len(p.Vars))
	var headers []string
	for i, v := range p.Vars {
		if p.Exact {
			v.Value = withoutRules(v.Value)
		}
		var err error
		if values[i], err = c.assign(p, v); err != nil {
			return "", err
		}
		sizes[i] = tableSizes(v)
		// ob-C writes it for a lone column too, where it cannot compile.
		if v.ColNames != nil && (!p.Exact || isPair(elisp.Car(v.Value))) {
			header, err := c.columnAccess(p, v)
			if err != nil {
				return "", err
			}
			headers = append(headers, header)
		}
	}
	lookup := ""
	if len(headers) > 0 {
		lookup = c.columnLookup()
	}
	return strings.Join([]string{strings.Join(values, "\n"), strings.Join(sizes, "\n"), lookup, strings.Join(headers, "\n")}, "\n"), nil
}

func withoutRules(x elisp.Value) elisp.Value {
	items, proper := elisp.Items(x)
	if !proper || !slices.Contains(items, elisp.Value(elisp.HLine)) {
		return x
	}
	return elisp.List(slices.DeleteFunc(items, func(item elisp.Value) bool { return item == elisp.HLine })...)
}

// preamble is the #include, #define and using lines, one section each.
func (c cFamily) preamble(p *Params) ([]string, error) {
	includes, err := wordsOf(p.arg(":includes"))
	if err != nil {
		return nil, fmt.Errorf(":includes: %w", err)
	}
	for i, name := range includes {
		if strings.HasPrefix(name, "<") {
			includes[i] = "#include " + name
		} else {
			includes[i] = fmt.Sprintf("#include \"%s\"", name)
		}
	}
	defines, err := definesOf(p.arg(":defines"))
	if err != nil {
		return nil, fmt.Errorf(":defines: %w", err)
	}
	for i, define := range defines {
		defines[i] = "#define " + define
	}
	namespaces, err := wordsOf(p.arg(":namespaces"))
	if err != nil {
		return nil, fmt.Errorf(":namespaces: %w", err)
	}
	for i, name := range namespaces {
		namespaces[i] = "using namespace " + name + ";"
	}
	return []string{strings.Join(includes, "\n"), strings.Join(defines, "\n"), strings.Join(namespaces, "\n")}, nil
}

func (c cFamily) imports(p *Params) (string, error) {
	value := p.arg(":imports")
	if elisp.IsNil(value) && p.Property != nil {
		if text, ok := p.Property("imports"); ok {
			value = elisp.String(text)
		}
	}
	names, err := wordsOf(value)
	if err != nil {
		return "", fmt.Errorf(":imports: %w", err)
	}
	names = append(names, "std.stdio", "std.conv")
	for i, name := range names {
		names[i] = "import " + name + ";"
	}
	return strings.Join(names, "\n"), nil
}

// wordsOf splits text at white space; a list gives the text of its elements.
func wordsOf(v elisp.Value) ([]string, error) {
	if s, ok := v.(elisp.String); ok {
		return strings.Fields(string(s)), nil
	}
	items, proper := elisp.Items(v)
	if !proper {
		return nil, fmt.Errorf("expected text or a list, found %s", elisp.Print(v))
	}
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = elisp.Princ(item)
	}
	return words, nil
}

// definesOf pairs the words of text as NAME VALUE; a list's elements are taken
// as they are.
func definesOf(v elisp.Value) ([]string, error) {
	s, ok := v.(elisp.String)
	if !ok {
		if !elisp.IsList(v) {
			return []string{elisp.Princ(v)}, nil
		}
		return wordsOf(v)
	}
	words := strings.Fields(string(s))
	var pairs []string
	for i := 0; i+1 < len(words); i += 2 {
		pairs = append(pairs, words[i]+" "+words[i+1])
	}
	return pairs, nil
}

// scalarKind is the narrowest type that holds every atom of a value.
type scalarKind int

const (
	noKind scalarKind = iota // an empty list
	intKind
	floatKind
	textKind
)

func kindOf(v elisp.Value) scalarKind {
	switch x := v.(type) {
	case elisp.Int, elisp.Big:
		return intKind
	case elisp.Float:
		return floatKind
	case elisp.Vector:
		return widest(x)
	case Data:
		if _, known := truth(x); known {
			return intKind
		}
	}
	if elisp.IsList(v) {
		items, _ := elisp.Items(v)
		return widest(items)
	}
	return textKind
}

func widest(items []elisp.Value) scalarKind {
	kind := noKind
	for _, item := range items {
		kind = max(kind, kindOf(item))
	}
	return kind
}

func (c cFamily) typeName(kind scalarKind) string {
	switch kind {
	case intKind:
		return "int"
	case floatKind:
		return "double"
	case textKind:
		if c.variant == dLang {
			return "string"
		}
		return "const char*"
	}
	return ""
}

// atom writes one element as a literal of the given kind.
func (c cFamily) atom(p *Params, v Var, x elisp.Value, kind scalarKind) (string, error) {
	if _, ok := members(x); ok {
		return "", cannot(v, "an object cannot become a C variable; give the block a :sig: to pass structured data")
	}
	text := elisp.Princ(x)
	if is, known := truth(x); known {
		text = map[bool]string{true: "1", false: "0"}[is]
	} else if p.Exact {
		if elisp.IsList(x) && !elisp.IsNil(x) {
			return "", cannot(v, "a table cell cannot be a list")
		} else if elisp.IsNil(x) {
			text = ""
		}
		text = cmp.Or(number(x, "__builtin_inf()", `__builtin_nan("")`), text)
	}
	_, big := x.(elisp.Big)
	n, whole := x.(elisp.Int)
	switch {
	case kind == textKind && p.Exact:
		return `"` + cEscaped(text) + `"`, nil
	case kind == textKind:
		return `"` + text + `"`, nil
	case kind == intKind && !whole && !big && !p.Exact:
		return "", cannot(v, "%s is not a number", elisp.Print(x))
	case kind == floatKind && p.Exact && rounds(x):
		return "", cannot(v, "%s would be rounded, as there are fractions beside it: pass it as text", text)
	case big && p.Exact:
		return text + "ULL", nil
	case n == math.MinInt64 && p.Exact: // C negates a number that no type holds
		return "(-9223372036854775807LL - 1)", nil
	}
	return text, nil
}

// cEscaped leaves backslashes to the author, as ob-C does, and protects what
// would end the constant early: bare quotes and line ends.
func cEscaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] != '\n':
			b.WriteByte(c)
			i++
			b.WriteByte(text[i])
		case c == '\\', c == '"':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (c cFamily) assign(p *Params, v Var) (string, error) {
	x := v.Value
	if name, ok := x.(elisp.Symbol); ok {
		x = elisp.String(name)
		if runes := []rune(string(name)); len(runes) == 1 {
			x = elisp.Int(runes[0])
		}
	}
	kind := kindOf(x)
	if kind == intKind && p.Exact && some(x, isBig) && some(x, isNegative) {
		return "", cannot(v, "no type of C holds negative numbers and such above 2^63-1: pass them as text")
	}
	if kind == noKind {
		return "", cannot(v, "an empty list has no type in C")
	}
	if p.Exact && isLarge(x) {
		if text, ok, err := c.assignLarge(p, v, kind); ok || err != nil {
			return text, err
		}
	}
	open, end := "{", "}"
	if c.variant == dLang {
		open, end = "[", "]"
	}
	cell := func(item elisp.Value) (string, error) { return c.atom(p, v, item, kind) }
	size, data := "", ""
	var err error
	_, vector := x.(elisp.Vector)
	switch {
	case isPair(x) && elisp.IsList(elisp.Car(x)):
		rows, e := elements(v, x)
		if e != nil {
			return "", e
		}
		columns, _ := elisp.Items(rows[0])
		size = fmt.Sprintf("[%d][%d]", len(rows), len(columns))
		if c.variant == dLang {
			size = fmt.Sprintf("[%d][%d]", len(columns), len(rows))
		}
		data, err = joined(v, x, ",\n", func(row elisp.Value) (string, error) {
			if !elisp.IsList(row) {
				return "", cannot(v, "%s cannot be a row", elisp.Print(row))
			}
			cells, err := joined(v, row, ",", cell)
			return " " + open + cells + end, err
		})
		data = open + "\n" + data + "\n" + end
	case isPair(x) || vector:
		items, e := elements(v, x)
		if e != nil {
			return "", e
		}
		size = fmt.Sprintf("[%d]", len(items))
		data, err = joined(v, x, ",", cell)
		data = open + data + end
	default:
		data, err = cell(x)
	}
	if err != nil {
		return "", err
	}
	if c.variant == dLang {
		return fmt.Sprintf("%s%s %s = %s;", c.typeName(kind), size, v.Name, data), nil
	}
	return fmt.Sprintf("%s %s%s = %s;", c.typeOf(p, x, kind), v.Name, size, data), nil
}

// tableSizes declares the dimensions of a table or list.
func tableSizes(v Var) string {
	if !elisp.IsList(v.Value) {
		return ""
	}
	rows, _ := elisp.Items(v.Value)
	first := elisp.Car(v.Value)
	if !elisp.IsList(first) {
		return fmt.Sprintf("const int %s_cols = %d;", v.Name, len(rows))
	}
	columns, _ := elisp.Items(first)
	return fmt.Sprintf("const int %s_rows = %d;\nconst int %s_cols = %d;", v.Name, len(rows), v.Name, len(columns))
}

// columnLookup is the helper that finds a column by its name, as ob-C spells
// it.
func (c cFamily) columnLookup() string {
	if c.variant == dLang {
		return `int get_column_num (string[] header, string column)
{
  foreach (c, h; header)
    if (h==column)
      return to!int(c);
  return -1;
}
`
	}
	return `
#ifndef _STRING_H
#include <string.h>
#endif
int get_column_num (int nbcols, const char** header, const char* column)
{
  int c;
  for (c=0; c<nbcols; c++)
    if (strcmp(header[c],column)==0)
      return c;
  return -1;
}
`
}

// columnAccess declares a table's column names and a function to read a cell
// by row number and column name.
func (c cFamily) columnAccess(p *Params, v Var) (string, error) {
	columns, err := columnNames(v)
	if err != nil {
		return "", err
	}
	names := make([]string, len(columns))
	for i, name := range columns {
		if names[i], err = c.atom(p, v, name, textKind); err != nil {
			return "", err
		}
	}
	list := strings.Join(names, ",")
	kind := c.typeOf(p, v.Value, kindOf(v.Value))
	if kind == "" {
		kind = "nil" // an empty table: not C, but what ob-C writes
	}
	if c.variant == dLang {
		return fmt.Sprintf("string[%d] %s_header = [%s];\n%s %s_h (size_t row, string col) { return %s[row][get_column_num(%s_header,col)]; }",
			len(names), v.Name, list, kind, v.Name, v.Name, v.Name), nil
	}
	return fmt.Sprintf("const char* %s_header[%d] = {%s};\n%s %s_h (int row, const char* col) { return %s[row][get_column_num(%d,%s_header,col)]; }",
		v.Name, len(names), list, kind, v.Name, v.Name, len(names), v.Name), nil
}

// columnNames lists the names of columns. Text in their place counts as the
// list of its characters, as anywhere in Lisp.
func columnNames(v Var) ([]elisp.Value, error) {
	if s, ok := v.ColNames.(elisp.String); ok {
		var characters []elisp.Value
		for _, r := range string(s) {
			characters = append(characters, elisp.Int(r))
		}
		return characters, nil
	}
	names, proper := elisp.Items(v.ColNames)
	if !proper {
		return nil, cannot(v, ":colnames needs a table, found a plain list")
	}
	return names, nil
}
