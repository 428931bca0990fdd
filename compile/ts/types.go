package ts

import (
	"encoding/json"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// typeOf is the type a variable gets for its value. Rows of a table whose
// columns differ in type are tuples: [string, number][].
func typeOf(v value.Value) string {
	switch v.Kind() {
	case value.Bool:
		return "boolean"
	case value.Int:
		if n := v.Int(); n > 1<<53 || n < -1<<53 {
			return "bigint"
		}
		return "number"
	case value.Float:
		return "number"
	case value.String, value.HLine:
		return "string"
	case value.Null:
		return "any[]" // elisp's nil, the empty list
	case value.List:
		return listType(v.Items())
	case value.Object:
		return recordType(v.Fields(), jsonType)
	}
	return "any"
}

// jsonType is typeOf for what JSON.parse makes.
func jsonType(v value.Value) string {
	if v.Kind() == value.Null {
		return "null"
	}
	return typeOf(v)
}

func recordType(fields []value.Field, of func(value.Value) string) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = member(f.Name) + ": " + of(f.Value)
	}
	return "{ " + strings.Join(parts, "; ") + " }"
}

// listType is the type of a list: of a table by columns, else of its items.
func listType(items []value.Value) string {
	if len(items) == 0 {
		return "any[]"
	}
	if row := rowType(items); row != "" {
		return row + "[]"
	}
	var kinds []string
	for _, item := range items {
		kinds = add(kinds, typeOf(item))
	}
	return arrayOf(kinds)
}

// rowType is the tuple all rows of a table are, "" when they are of one type,
// of unequal length or no rows.
func rowType(rows []value.Value) string {
	width := -1
	var columns [][]string
	for _, row := range rows {
		if row.Kind() != value.List {
			return ""
		}
		cells := row.Items()
		if width < 0 {
			width, columns = len(cells), make([][]string, len(cells))
		}
		if len(cells) != width {
			return ""
		}
		for i, cell := range cells {
			columns[i] = add(columns[i], typeOf(cell))
		}
	}
	types := make([]string, width)
	var all []string
	for i, column := range columns {
		types[i] = strings.Join(column, " | ")
		all = add(all, types[i])
	}
	if width < 1 || len(all) == 1 {
		return ""
	}
	return "[" + strings.Join(types, ", ") + "]"
}

func add(set []string, s string) []string {
	if slices.Contains(set, s) {
		return set
	}
	return append(set, s)
}

func arrayOf(kinds []string) string {
	if len(kinds) == 1 && !strings.Contains(kinds[0], " | ") {
		return kinds[0] + "[]"
	}
	return "(" + strings.Join(kinds, " | ") + ")[]"
}

var identifier = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func member(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	quoted, _ := json.Marshal(name)
	return string(quoted)
}

// prelude declares what callType mentions.
const prelude = "type Awaitable<T> = T | Promise<T>;"

// callType is the type a component's function must be assignable to: it takes
// the parameters of sig and returns its results, at once or as a promise. outs
// are the component's outputs.
func callType(sig *value.Sig, outs []string) string {
	params := make([]string, len(sig.Params))
	for i, p := range sig.Params {
		params[i] = parameter(p.Name, i) + ": " + sigType(p.Type)
	}
	return "(" + strings.Join(params, ", ") + ") => Awaitable<" + resultType(sig, outs) + ">"
}

// resultType is the type the function may return: a lone output as it is or as the
// only member of an object.
func resultType(sig *value.Sig, outs []string) string {
	switch {
	case len(sig.Results) == 0:
		return "unknown"
	case len(sig.Results) > 1 || sig.Results[0].Name != "":
		record := fieldsType(sig.Results)
		if len(sig.Results) == 1 {
			return sigType(sig.Results[0].Type) + " | " + record
		}
		return record
	}
	t := sigType(sig.Results[0].Type)
	if len(outs) == 1 {
		t += " | { " + member(outs[0]) + ": " + t + " }"
	}
	return t
}

func fieldsType(fields []value.Param) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		optional := ""
		if f.Type.Kind == value.TypeOption {
			optional = "?"
		}
		parts[i] = member(f.Name) + optional + ": " + sigType(f.Type)
	}
	return "{ " + strings.Join(parts, "; ") + " }"
}

// parameter is a parameter's name as TypeScript can have it.
func parameter(name string, i int) string {
	name = strings.ReplaceAll(name, "-", "_")
	if !identifier.MatchString(name) || reserved[name] {
		return "arg" + string(rune('0'+i%10))
	}
	return name
}

var reserved = map[string]bool{"in": true, "new": true, "class": true, "default": true, "delete": true, "do": true, "else": true, "enum": true,
	"export": true, "for": true, "function": true, "if": true, "import": true, "null": true, "return": true, "switch": true, "this": true,
	"true": true, "false": true, "typeof": true, "var": true, "void": true, "while": true, "with": true, "case": true, "const": true}

// sigType is a type of :sig: in TypeScript.
func sigType(t value.Type) string {
	switch t.Kind {
	case value.TypeBool:
		return "boolean"
	case value.TypeString:
		return "string"
	case value.TypeList:
		return suffixed(sigType(t.Args[0])) + "[]"
	case value.TypeOption:
		return sigType(t.Args[0]) + " | null"
	case value.TypeResult:
		return "{ ok: " + argument(t, 0) + " } | { err: " + argument(t, 1) + " }"
	case value.TypeTuple:
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = sigType(a)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case value.TypeRecord:
		return fieldsType(t.Fields)
	}
	return "number"
}

func argument(t value.Type, i int) string {
	if i < len(t.Args) {
		return sigType(t.Args[i])
	}
	return "unknown"
}

func suffixed(t string) string {
	if strings.Contains(t, " | ") && !strings.HasPrefix(t, "[") {
		return "(" + t + ")"
	}
	return t
}
