package babel

import (
	"fmt"
	"strings"

	"wb/tangle/elisp"
)

// The scripting languages: one assignment per variable, lists written as the
// language's own literals.

func assignPython(v Var) (string, error) {
	text, err := pythonValue(v, v.Value)
	return v.Name + "=" + text, err
}

func pythonValue(v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return pythonValue(v, item) })
		return "[" + inner + "]", err
	}
	if x == elisp.HLine {
		return "None", nil
	}
	if s, ok := x.(elisp.String); ok && strings.ContainsAny(string(s), "\n\r") {
		return `""` + elisp.Print(x) + `""`, nil
	}
	return elisp.Print(x), nil
}

func assignRuby(v Var) (string, error) {
	text, err := rubyValue(v, v.Value)
	return v.Name + "=" + text, err
}

func rubyValue(v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", \n", func(item elisp.Value) (string, error) { return rubyValue(v, item) })
		return "[" + inner + "]", err
	}
	if x == elisp.HLine {
		return "nil", nil
	}
	return elisp.Print(x), nil
}

func assignJS(v Var) (string, error) {
	text, err := jsValue(v, v.Value)
	return fmt.Sprintf("var %s=%s;", v.Name, text), err
}

func jsValue(v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return jsValue(v, item) })
		return "[" + inner + "]", err
	}
	return strings.ReplaceAll(elisp.Print(x), "\n", `\n`), nil
}

func assignPerl(v Var) (string, error) {
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

func assignLua(v Var) (string, error) {
	text, err := luaValue(v, v.Value)
	return v.Name + "=" + text, err
}

// luaValue follows ob-lua's idea of tables: a list of one is its element, a
// pair of a string and a value is a field.
func luaValue(v Var, x elisp.Value) (string, error) {
	if elisp.IsList(x) {
		items, err := elements(v, x)
		if err != nil {
			return "", err
		}
		if len(items) == 1 && !elisp.IsList(items[0]) {
			return luaValue(v, items[0])
		}
		if len(items) == 2 && !elisp.IsList(items[0]) {
			key, ok := items[0].(elisp.String)
			if !ok {
				return "", cannot(v, "a row of two needs a string first in lua, found %s", elisp.Print(items[0]))
			}
			value, err := luaValue(v, elisp.Cdr(x))
			return string(key) + "=" + value, err
		}
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return luaValue(v, item) })
		return "{" + inner + "}", err
	}
	if x == elisp.HLine {
		return "None", nil
	}
	if s, ok := x.(elisp.String); ok && strings.ContainsAny(string(s), "\n\r") {
		return "[=[" + string(s) + "]=]", nil
	}
	return elisp.Print(x), nil
}

func assignHaskell(v Var) (string, error) {
	text, err := bracketed(v, v.Value, "[", ", ", "]")
	return fmt.Sprintf("let %s = %s", v.Name, text), err
}

func assignOCaml(v Var) (string, error) {
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

func assignOctave(v Var) (string, error) {
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

func assignEshell(v Var) (string, error) {
	return fmt.Sprintf("(ignore (setq %s %s))", v.Name, elisp.Print(v.Value)), nil
}

func assignPlantUML(v Var) (string, error) {
	s, ok := v.Value.(elisp.String)
	if !ok {
		return "", cannot(v, "plantuml takes only text, found %s", elisp.Print(v.Value))
	}
	return fmt.Sprintf("!define %s %s", v.Name, strings.ReplaceAll(string(s), `"`, "")), nil
}

func assignProcessing(v Var) (string, error) {
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
