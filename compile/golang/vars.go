package golang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// declarations writes the file that declares :var variables, one a line;
// "" when there are none. Where ob-go knows only numbers and strings, lists
// and tables are slices here.
func declarations(pkg string, vars []compile.Var) (string, error) {
	if len(vars) == 0 {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("package " + pkg + `; import "unsafe"` + "\n")
	for _, v := range vars {
		text, err := declare(v)
		if err != nil {
			return "", fmt.Errorf("variable %s: %v", v.Name, err)
		}
		b.WriteString(text + "\n")
		if len(v.ColNames) > 0 {
			names := make([]string, len(v.ColNames))
			for i, n := range v.ColNames {
				names[i] = strconv.Quote(n)
			}
			fmt.Fprintf(&b, "var %s_header = []string{%s}\n", identifier(v.Name), strings.Join(names, ", "))
		}
	}
	b.WriteString(unpackers)
	return b.String(), nil
}

// identifier makes a Go name of a variable's name.
func identifier(name string) string { return strings.ReplaceAll(name, "-", "_") }

func declare(v compile.Var) (string, error) {
	given := v.Value.WithoutRules()
	t := typeOf(given)
	if t == "" {
		return fmt.Sprintf("var %s []string", identifier(v.Name)), nil
	}
	write := literal
	if packable(given, t) {
		write = packed
	}
	text, err := write(given, t)
	return fmt.Sprintf("var %s = %s", identifier(v.Name), text), err
}

// typeOf is the Go type of a value: int, float64, bool, string, map[string]any,
// slices of those; "" for what is empty. A slice of different things is one of
// strings, as org's tables have it, unless objects are among them.
func typeOf(v value.Value) string {
	switch v.Kind() {
	case value.Null, value.HLine:
		return ""
	case value.Bool:
		return "bool"
	case value.Int:
		if v.IsBig() {
			return "uint64"
		}
		return "int"
	case value.Float:
		return "float64"
	case value.Object:
		return "map[string]any"
	case value.List:
		common := ""
		for _, item := range v.Items() {
			common = join(common, typeOf(item))
		}
		if common == "" {
			return ""
		}
		return "[]" + common
	}
	return "string"
}

// join is a type that values of both types fit.
func join(a, b string) string {
	switch {
	case a == b || b == "":
		return a
	case a == "":
		return b
	case a == "int" && b == "float64" || a == "float64" && b == "int":
		return "float64"
	case strings.HasPrefix(a, "[]") && strings.HasPrefix(b, "[]"):
		return "[]" + join(a[2:], b[2:])
	case scalarType(a) && scalarType(b):
		return "string"
	}
	return "any"
}

func scalarType(t string) bool {
	return t == "int" || t == "uint64" || t == "float64" || t == "bool" || t == "string"
}

// literal writes a value as an expression of type t.
func literal(v value.Value, t string) (string, error) {
	element, isSlice := strings.CutPrefix(t, "[]")
	switch {
	case v.Kind() == value.BlobRef:
		return "", fmt.Errorf("a file cannot become a Go variable")
	case t == "float64" && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return fmt.Sprintf("wbFloat(%#x)", math.Float64bits(v.Float())), nil
	case t == "float64" && v.Rounds():
		return "", fmt.Errorf("%s would be rounded among fractions: pass it as text", v)
	case v.IsNull() && t == "string":
		return `""`, nil
	case v.IsNull() && scalarType(t):
		return "", fmt.Errorf("an empty cell among values of type %s", t)
	case v.IsNull():
		return "nil", nil
	case isSlice:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			text, err := literal(item, element)
			if err != nil {
				return "", err
			}
			items[i] = text
		}
		return t + "{" + strings.Join(items, ", ") + "}", nil
	case v.Kind() == value.Object:
		members := make([]string, len(v.Fields()))
		for i, f := range v.Fields() {
			text, err := dynamic(f.Value)
			if err != nil {
				return "", err
			}
			members[i] = strconv.Quote(f.Name) + ": " + text
		}
		return "map[string]any{" + strings.Join(members, ", ") + "}", nil
	case t == "string":
		return strconv.Quote(scalarText(v)), nil
	case t == "any":
		return dynamic(v)
	}
	return t + "(" + scalarText(v) + ")", nil
}

// dynamic writes a value of its own type.
func dynamic(v value.Value) (string, error) {
	t := typeOf(v)
	if t == "" {
		return "nil", nil
	}
	return literal(v, t)
}

// scalarText is a datum as text.
func scalarText(v value.Value) string {
	switch v.Kind() {
	case value.Bool:
		return strconv.FormatBool(v.Bool())
	case value.Int, value.Float:
		return v.String()
	}
	return v.Text()
}
