package clang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// Expand is the program org-babel compiles for src: includes, defines,
// namespaces, variables and the body, wrapped in main when it has none. It is
// what tangling writes and, apart from #line directives, what Build compiles.
func Expand(src *compile.Source) (string, error) {
	u, err := babelUnit(src)
	if err != nil {
		return "", err
	}
	return u.plain(), nil
}

// wrapOpen begins the main that ob-C puts around a body.
const wrapOpen = "int main() {\n"

// babelUnit lays out src as ob-C does (org-babel-C-expand-C): every section is
// there even when it is empty, since Emacs writes its line all the same.
func babelUnit(src *compile.Source) (*unit, error) {
	variables, err := variableSections(src)
	if err != nil {
		return nil, err
	}
	u := &unit{}
	u.add(originIncludes, strings.Join(includeLines(src), "\n")+"\n")
	u.add(originDefines, strings.Join(defineLines(src), "\n")+"\n")
	u.add(originNamespaces, strings.Join(namespaceLines(src), "\n")+"\n")
	u.add(originVars, variables)
	body := bodyWithLogues(src)
	if argOr(src, "main", "") != "no" && !hasMain(body.plain()) {
		u.add(originGlue, wrapOpen)
		u.append(body)
		u.add(originGlue, "\nreturn 0;\n}\n\n\n")
		return u, nil
	}
	u.append(body)
	u.add(originGlue, "\n\n")
	return u, nil
}

// hoistedUnit is babelUnit with the functions that a body without main defines,
// and its #include lines, moved ahead of main. gcc allows functions inside of
// functions, and people write such bodies; clang does not. It is nil when there
// is nothing to move.
func hoistedUnit(src *compile.Source) (*unit, error) {
	if argOr(src, "main", "") == "no" || hasMain(bodyWithLogues(src).plain()) {
		return nil, nil
	}
	moved := &unit{}
	rest := []byte(src.Body)
	move := func(start, end int) {
		moved.parts = append(moved.parts, part{from: originBody, text: src.Body[start:end] + "\n", line: 1 + strings.Count(src.Body[:start], "\n")})
		for i := start; i < end; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
	}
	for _, m := range includeLine.FindAllStringIndex(src.Body, -1) {
		move(m[0], m[1])
	}
	found := false
	for _, f := range functions(src.Body) {
		if f.defined {
			move(f.start, f.end)
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	inner := *src
	inner.Body = string(rest)
	u, err := babelUnit(&inner)
	if err != nil {
		return nil, err
	}
	for i, p := range u.parts {
		if p.text == wrapOpen {
			u.parts = slices.Insert(u.parts, i, moved.parts...)
			break
		}
	}
	return u, nil
}

// bodyWithLogues is the body between :prologue and :epilogue.
func bodyWithLogues(src *compile.Source) *unit {
	u := &unit{}
	if text, ok := src.Arg("prologue"); ok {
		u.add(originPrologue, compile.Unquoted(text)+"\n")
	}
	u.add(originBody, src.Body)
	if text, ok := src.Arg("epilogue"); ok {
		u.add(originEpilogue, "\n"+compile.Unquoted(text)+"\n")
	}
	return u
}

// mainPattern is how ob-C recognises a main function, whatever the case.
var mainPattern = lazyregexp.New(`(?mi)^[ \t]*[intvod]+[ \t\n\r]*main[ \t]*\(.*\)`)

func hasMain(text string) bool { return mainPattern.MatchString(text) }

// includeLines reads :includes, a list or words; a word in angle brackets is a
// system header.
func includeLines(src *compile.Source) []string {
	var lines []string
	for _, header := range listArg(src, "includes") {
		if !strings.HasPrefix(header, "<") {
			header = `"` + header + `"`
		}
		lines = append(lines, "#include "+header)
	}
	return lines
}

// defineLines reads :defines: a list of "NAME value" or words that alternate
// between names and values. A name without a value is defined empty.
func defineLines(src *compile.Source) []string {
	arg, ok := src.Arg("defines")
	if !ok || strings.TrimSpace(arg) == "" {
		return nil
	}
	items, isList := compile.List(arg)
	if !isList {
		words := strings.Fields(items[0])
		items = nil
		for i := 0; i < len(words); i += 2 {
			items = append(items, strings.Join(words[i:min(i+2, len(words))], " "))
		}
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = "#define " + item
	}
	return lines
}

func namespaceLines(src *compile.Source) []string {
	var lines []string
	for _, name := range listArg(src, "namespaces") {
		lines = append(lines, "using namespace "+name+";")
	}
	return lines
}

// variableSections writes four sections as ob-C does: variables, table sizes,
// the helper that finds a column by name, and table headers.
func variableSections(src *compile.Source) (string, error) {
	var vars, sizes, headers []string
	for _, v := range src.Vars {
		v.Value = v.Value.WithoutRules()
		declared, err := declare(v)
		if err != nil {
			return "", diag.Errorf(src.At(1, 1), "variable %s: %v", v.Name, err)
		}
		vars = append(vars, declared)
		sizes = append(sizes, dimensions(v))
		// ob-C writes it for a lone column too, where it cannot compile.
		if len(v.ColNames) > 0 && v.Value.IsTable() {
			headers = append(headers, columnAccess(v))
		}
	}
	helper := ""
	if len(headers) > 0 {
		helper = columnHelper
	}
	return strings.Join([]string{strings.Join(vars, "\n"), strings.Join(sizes, "\n"), helper, strings.Join(headers, "\n")}, "\n") + "\n", nil
}

// base is the C type that holds every datum of a variable.
type base string

const (
	baseInt    base = "int"
	baseDouble base = "double"
	baseString base = "const char*"
)

// baseOf is int when all data are integers, double when all are numbers, else
// string; "" for an empty list.
func baseOf(v value.Value) base {
	switch v.Kind() {
	case value.Int, value.Bool:
		return baseInt
	case value.Float:
		return baseDouble
	case value.List:
		var common base
		for _, item := range v.Items() {
			switch b := baseOf(item); {
			case b == baseString || common == "":
				common = b
			case b == baseDouble && common == baseInt:
				common = b
			}
		}
		return common
	}
	return baseString
}

// declare writes one variable with its value.
func declare(v compile.Var) (string, error) {
	if isEmpty(v.Value) { // elisp's nil is a symbol too, and ob-C prints its name
		return fmt.Sprintf("const char* %s = \"nil\";", v.Name), nil
	}
	b := baseOf(v.Value)
	if v.Value.Kind() != value.List {
		text, err := literal(v.Value, b)
		return fmt.Sprintf("%s %s = %s;", b, v.Name, text), err
	}
	rows := v.Value.Items()
	if rows[0].Kind() != value.List {
		text, err := literals(rows, b)
		return fmt.Sprintf("%s %s[%d] = {%s};", b, v.Name, len(rows), text), err
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		if row.Kind() != value.List {
			return "", fmt.Errorf("row %d of the table is not a row", i+1)
		}
		text, err := literals(row.Items(), b)
		if err != nil {
			return "", err
		}
		lines[i] = " {" + text + "}"
	}
	return fmt.Sprintf("%s %s[%d][%d] = {\n%s\n};", b, v.Name, len(rows), len(rows[0].Items()), strings.Join(lines, ",\n")), nil
}

func isEmpty(v value.Value) bool {
	return v.IsNull() || v.Kind() == value.List && len(v.Items()) == 0
}

func kindName(v value.Value) string {
	switch v.Kind() {
	case value.Object:
		return "an object"
	case value.BlobRef:
		return "a file"
	}
	return "this value"
}

func literals(items []value.Value, b base) (string, error) {
	texts := make([]string, len(items))
	for i, item := range items {
		text, err := literal(item, b)
		if err != nil {
			return "", err
		}
		texts[i] = text
	}
	return strings.Join(texts, ","), nil
}

// literal writes one datum as a constant of type b.
func literal(v value.Value, b base) (string, error) {
	switch v.Kind() {
	case value.Bool, value.Int, value.Float, value.String, value.Null:
	case value.List:
		return "", fmt.Errorf("a table cell cannot be a list")
	default:
		return "", fmt.Errorf("%s cannot become a C variable; give the block a :sig: to pass structured data", kindName(v))
	}
	text := scalarText(v)
	if b == baseString {
		return `"` + escape(text) + `"`, nil
	}
	return text, nil
}

// scalarText prints a datum as Emacs does.
func scalarText(v value.Value) string {
	switch v.Kind() {
	case value.Bool:
		if v.Bool() {
			return "1"
		}
		return "0"
	case value.Int:
		return strconv.FormatInt(v.Int(), 10)
	case value.Float:
		return emacsFloat(v.Float())
	}
	return v.Text()
}

// emacsFloat prints a double as number-to-string does: the fewest digits, at
// least 15 tried, that read back the same, and always a point or an exponent.
func emacsFloat(f float64) string {
	for digits := 15; ; digits++ {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		if back, _ := strconv.ParseFloat(text, 64); back == f || digits >= 17 {
			if !strings.ContainsAny(text, ".en") {
				text += ".0"
			}
			return text
		}
	}
}

// escape leaves backslashes to the author, as ob-C does, and protects what
// would end the constant early: bare quotes and line ends.
func escape(text string) string {
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

// dimensions writes the constants NAME_rows and NAME_cols of tables and lists.
func dimensions(v compile.Var) string {
	switch {
	case isEmpty(v.Value):
		return fmt.Sprintf("const int %s_rows = 0;\nconst int %s_cols = 0;", v.Name, v.Name)
	case v.Value.Kind() != value.List:
		return ""
	}
	rows := v.Value.Items()
	if rows[0].Kind() == value.List {
		return fmt.Sprintf("const int %s_rows = %d;\nconst int %s_cols = %d;", v.Name, len(rows), v.Name, len(rows[0].Items()))
	}
	return fmt.Sprintf("const int %s_cols = %d;", v.Name, len(rows))
}

// columnHelper finds a column by its name; tables with names use it. Its name
// and parameters are those of ob-C, since bodies may call it.
const columnHelper = `
#include <string.h>
int get_column_num(int nbcols, const char **header, const char *column)
{
  for (int i = 0; i < nbcols; i++) {
    if (strcmp(header[i], column) == 0) return i;
  }
  return -1;
}
`

// columnAccess writes the names of a table's columns and the function NAME_h
// that reads a cell by row number and column name.
func columnAccess(v compile.Var) string {
	quoted := make([]string, len(v.ColNames))
	for i, name := range v.ColNames {
		quoted[i] = `"` + escape(name) + `"`
	}
	return fmt.Sprintf("const char* %[1]s_header[%[2]d] = {%[3]s};\n%[4]s %[1]s_h (int row, const char* col) { return %[1]s[row][get_column_num(%[2]d,%[1]s_header,col)]; }",
		v.Name, len(quoted), strings.Join(quoted, ","), baseOf(v.Value))
}

// listArg reads a header argument that is a list or words.
func listArg(src *compile.Source, name string) []string {
	arg, ok := src.Arg(name)
	if !ok || strings.TrimSpace(arg) == "" {
		return nil
	}
	items, isList := compile.List(arg)
	if isList {
		return items
	}
	return strings.Fields(items[0])
}

func argOr(src *compile.Source, name, absent string) string {
	if arg, ok := src.Arg(name); ok {
		return arg
	}
	return absent
}
