package babel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/tangle/elisp"
)

// The scripting languages: one assignment per variable, lists written as the
// language's own literals.

func assignPython(p *Params, v Var) (string, error) {
	if text, ok := jsonText(p, v.Value, "null", math.MaxInt64); ok && p.Keep != nil {
		return v.Name + "=" + p.Keep(v.Name, text), nil
	}
	text, err := pythonValue(p, v, v.Value)
	return v.Name + "=" + text, err
}

func pythonValue(p *Params, v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return pythonValue(p, v, item) })
		return "[" + inner + "]", err
	}
	if x == elisp.HLine {
		return "None", nil
	}
	if s, ok := x.(elisp.String); ok && strings.ContainsAny(string(s), "\n\r") {
		return `""` + elisp.Print(x) + `""`, nil
	}
	if !p.Exact {
		return elisp.Print(x), nil
	}
	if is, known := truth(x); known {
		return map[bool]string{true: "True", false: "False"}[is], nil
	}
	if fields, ok := members(x); ok {
		return object(fields, "{", "}", func(name string, x elisp.Value) (string, error) {
			text, err := pythonValue(p, v, x)
			key, _ := pythonValue(p, v, elisp.String(name))
			return key + ": " + text, err
		})
	}
	return cmp.Or(number(x, "float('inf')", "float('nan')"), elisp.Print(x)), nil
}

func assignRuby(p *Params, v Var) (string, error) {
	if text, ok := jsonText(p, v.Value, "null", math.MaxInt64); ok && p.Keep != nil {
		return v.Name + "=" + p.Keep(v.Name, text), nil
	}
	text, err := rubyValue(p, v, v.Value)
	return v.Name + "=" + text, err
}

func rubyValue(p *Params, v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", \n", func(item elisp.Value) (string, error) { return rubyValue(p, v, item) })
		return "[" + inner + "]", err
	}
	if x == elisp.HLine {
		return "nil", nil
	}
	if !p.Exact {
		return elisp.Print(x), nil
	}
	if s, ok := x.(elisp.String); ok {
		return rubyText(string(s)), nil
	}
	if fields, ok := members(x); ok {
		return object(fields, "{", "}", func(name string, x elisp.Value) (string, error) {
			text, err := rubyValue(p, v, x)
			return rubyText(name) + " => " + text, err
		})
	}
	return cmp.Or(number(x, "Float::INFINITY", "Float::NAN"), elisp.Print(x)), nil
}

func rubyText(text string) string { return Quote(text, `"\#`, `\x%02x`) }

func assignJS(p *Params, v Var) (string, error) {
	if text, ok := jsonText(p, v.Value, `"hline"`, maxSafe); ok && p.Keep != nil {
		return "var " + v.Name + "=" + p.Keep(v.Name, text) + ";", nil
	}
	text, err := jsValue(p, v, v.Value)
	return fmt.Sprintf("var %s=%s;", v.Name, text), err
}

// maxSafe is the largest whole number up to which a double holds all.
const maxSafe = 1 << 53

func jsValue(p *Params, v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return jsValue(p, v, item) })
		return "[" + inner + "]", err
	}
	if !p.Exact {
		return strings.ReplaceAll(elisp.Print(x), "\n", `\n`), nil
	}
	switch x := x.(type) {
	case elisp.String:
		return value.OfString(string(x)).String(), nil
	case elisp.Symbol:
		return value.OfString(string(x)).String(), nil
	case elisp.Int:
		if x > maxSafe || x < -maxSafe {
			return elisp.Print(x) + "n", nil
		}
	case elisp.Big:
		return elisp.Print(x) + "n", nil
	}
	if _, ok := members(x); ok {
		return "JSON.parse(" + value.OfString(x.String()).String() + ")", nil
	}
	return cmp.Or(number(x, "Infinity", "NaN"), elisp.Print(x)), nil
}

func assignPerl(_ *Params, v Var) (string, error) {
	text, err := perlValue(v, v.Value, 0)
	if elisp.IsList(v.Value) {
		text = "\n" + text
	}
	return "my $" + v.Name + "=" + text + ";\n", err
}

func perlValue(v Var, x elisp.Value, level int) (string, error) {
	indent := strings.Repeat("  ", level)
	text := "q(" + elisp.Princ(x) + ")"
	if elisp.IsList(x) {
		inner, err := joined(v, x, "", func(item elisp.Value) (string, error) { return perlValue(v, item, level+1) })
		if err != nil {
			return "", err
		}
		text = "[\n" + inner + indent + "]"
	}
	if level > 0 {
		text += ",\n"
	}
	return indent + text, nil
}

func assignLua(p *Params, v Var) (string, error) {
	if text, ok := jsonText(p, v.Value, "", math.MaxInt64); ok && !luaFields(v.Value) {
		return v.Name + `=require("wb.json").decode(` + SingleQuoted(text) + ")", nil
	}
	text, err := luaValue(p, v, v.Value, !p.Exact)
	return v.Name + "=" + text, err
}

// luaFields reports whether a list inside x is not a list in Lua.
func luaFields(x elisp.Value) bool {
	items, _ := elisp.Items(x)
	return slices.ContainsFunc(items, func(item elisp.Value) bool {
		inner, _ := elisp.Items(item)
		return len(inner) == 1 || len(inner) == 2 || luaFields(item)
	})
}

// luaValue follows ob-lua's idea of tables: a list of one is its element, a
// pair of a string and a value is a field. Where values count, such a pair is
// one only inside a table, and the string may be any.
func luaValue(p *Params, v Var, x elisp.Value, inside bool) (string, error) {
	if elisp.IsList(x) {
		items, err := elements(v, x)
		if err != nil {
			return "", err
		}
		if len(items) == 1 && !elisp.IsList(items[0]) {
			return luaValue(p, v, items[0], inside)
		}
		if len(items) == 2 && !elisp.IsList(items[0]) && inside {
			key, ok := items[0].(elisp.String)
			if ok {
				value, err := luaValue(p, v, elisp.Cdr(x), true)
				return luaKey(p, string(key)) + "=" + value, err
			}
			if !p.Exact {
				return "", cannot(v, "a row of two needs a string first in lua, found %s", elisp.Print(items[0]))
			}
		}
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return luaValue(p, v, item, true) })
		return "{" + inner + "}", err
	}
	if x == elisp.HLine {
		return "None", nil
	}
	s, isText := x.(elisp.String)
	_, big := x.(elisp.Big)
	switch {
	case big && p.Exact:
		return "", cannot(v, "%s is more than Lua's integers hold (2^63-1): pass it as text", elisp.Print(x))
	case x == elisp.Int(math.MinInt64) && p.Exact: // Lua negates a number that it has rounded
		return "math.mininteger", nil
	case isText && p.Exact:
		return luaText(string(s)), nil
	case isText && strings.ContainsAny(string(s), "\n\r"):
		return "[=[" + string(s) + "]=]", nil
	case !p.Exact:
		return elisp.Print(x), nil
	}
	if fields, ok := members(x); ok {
		return object(fields, "{", "}", func(name string, x elisp.Value) (string, error) {
			text, err := luaValue(p, v, x, true)
			return luaKey(p, name) + "=" + text, err
		})
	}
	return cmp.Or(number(x, "(1/0)", "(0/0)"), elisp.Print(x)), nil
}

func luaText(text string) string { return Quote(text, `"\`, `\%03d`) }

var (
	luaName     = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	luaReserved = lazyregexp.New(`^(and|break|do|else|elseif|end|false|for|function|goto|if|in|local|nil|not|or|repeat|return|then|true|until|while)$`)
)

// luaKey is the left side of a field.
func luaKey(p *Params, text string) string {
	if !p.Exact || luaName.MatchString(text) && !luaReserved.MatchString(text) {
		return text
	}
	return "[" + luaText(text) + "]"
}

func assignHaskell(_ *Params, v Var) (string, error) {
	text, err := bracketed(v, v.Value, "[", ", ", "]")
	return fmt.Sprintf("let %s = %s", v.Name, text), err
}

func assignOCaml(_ *Params, v Var) (string, error) {
	text, err := bracketed(v, v.Value, "[|", "; ", "|]")
	return fmt.Sprintf("let %s = %s;;", v.Name, text), err
}

// bracketed prints atoms as Lisp does and lists between brackets.
func bracketed(v Var, x elisp.Value, open, separator, end string) (string, error) {
	if !elisp.IsList(x) {
		return elisp.Print(x), nil
	}
	inner, err := joined(v, x, separator, func(item elisp.Value) (string, error) {
		return bracketed(v, item, open, separator, end)
	})
	return open + inner + end, err
}

func assignOctave(_ *Params, v Var) (string, error) {
	text, err := octaveValue(v, v.Value)
	return fmt.Sprintf("%s=%s;", v.Name, text), err
}

func octaveValue(v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		separator := ","
		if elisp.IsList(elisp.Car(x)) {
			separator = "; "
		}
		inner, err := joined(v, x, separator, func(item elisp.Value) (string, error) { return octaveValue(v, item) })
		return "[" + inner + "]", err
	}
	if s, ok := x.(elisp.String); ok {
		return "'" + string(s) + "'", nil
	}
	return elisp.Princ(x), nil
}

func assignEshell(_ *Params, v Var) (string, error) {
	return fmt.Sprintf("(ignore (setq %s %s))", v.Name, elisp.Print(v.Value)), nil
}

func assignPlantUML(_ *Params, v Var) (string, error) {
	s, ok := v.Value.(elisp.String)
	if !ok {
		return "", cannot(v, "plantuml takes only text, found %s", elisp.Print(v.Value))
	}
	return fmt.Sprintf("!define %s %s", v.Name, strings.ReplaceAll(string(s), `"`, "")), nil
}

func assignProcessing(_ *Params, v Var) (string, error) {
	value := v.Value
	if name, ok := value.(elisp.Symbol); ok {
		value = elisp.String(name)
	}
	switch x := value.(type) {
	case elisp.Int:
		return fmt.Sprintf("int %s=%s;", v.Name, elisp.Print(x)), nil
	case elisp.Float:
		return fmt.Sprintf("float %s=%s;", v.Name, elisp.Print(x)), nil
	case elisp.String:
		return fmt.Sprintf("String %s=\"%s\";", v.Name, string(x)), nil
	}
	kind := processingType(value)
	cell := func(item elisp.Value) (string, error) {
		if kind == "String" {
			return `"` + elisp.Princ(item) + `"`, nil
		}
		return elisp.Princ(item), nil
	}
	if !elisp.IsList(elisp.Car(value)) {
		inner, err := joined(v, value, ", ", cell)
		return fmt.Sprintf("%s[] %s={%s};", kind, v.Name, inner), err
	}
	inner, err := joined(v, value, ",", func(row elisp.Value) (string, error) {
		cells, err := joined(v, row, ", ", cell)
		return "{" + cells + "}", err
	})
	return fmt.Sprintf("%s[][] %s={%s};", kind, v.Name, inner), err
}

// processingType is String as soon as one element is text, float as soon as
// one is a float.
func processingType(list elisp.Value) string {
	switch widestAtom(list) {
	case textKind:
		return "String"
	case floatKind:
		return "float"
	}
	return "int"
}

// widestAtom is the widest kind among numbers and strings; symbols do not count.
func widestAtom(list elisp.Value) scalarKind {
	kind := intKind
	items, _ := elisp.Items(list)
	for _, item := range items {
		switch item.(type) {
		case *elisp.Cons:
			kind = max(kind, widestAtom(item))
		case elisp.String:
			kind = textKind
		case elisp.Float:
			kind = max(kind, floatKind)
		}
	}
	return kind
}
