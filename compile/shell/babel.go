package shell

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/value"
)

// expand lays out a block as ob-shell does: prologue, variables, body,
// epilogue; an explicit :results value adds the exit status as last line. skip
// is how many lines stand before the body.
func expand(src *compile.Source) (script string, skip int) {
	var head strings.Builder
	if text, ok := src.Arg("prologue"); ok {
		head.WriteString(unquote(text) + "\n")
	}
	for _, v := range src.Vars {
		head.WriteString(assignment(src, v) + "\n")
	}
	script = head.String() + src.Body
	if text, ok := src.Arg("epilogue"); ok {
		script = strings.TrimSuffix(script, "\n") + "\n" + unquote(text)
	}
	if src.Result("value") {
		script = strings.TrimSuffix(script, "\n") + "\necho $?\n"
	}
	return script, strings.Count(head.String(), "\n")
}

// assignment gives a variable its value. Where bash was asked for by name,
// lists are arrays and tables associative arrays by their first column;
// elsewhere rows are lines and cells stand between tabs (or :separator).
func assignment(src *compile.Source, v compile.Var) string {
	items := v.Value.Items()
	if strings.ToLower(src.Lang) != "bash" || v.Value.Kind() != value.List || len(items) == 0 {
		return v.Name + "=" + quote(text(src, v.Value))
	}
	if first := firstRow(items); first.Kind() != value.List || len(first.Items()) == 1 {
		var words []string
		for _, item := range items {
			if item.Kind() == value.List && len(item.Items()) == 1 {
				item = item.Items()[0]
			}
			words = append(words, quote(text(src, item)))
		}
		return fmt.Sprintf("unset %[1]s\ndeclare -a %[1]s=( %[2]s )", v.Name, strings.Join(words, " "))
	}
	lines := []string{"unset " + v.Name, "declare -A " + v.Name}
	for _, row := range items {
		if cells := row.Items(); len(cells) > 0 {
			lines = append(lines, fmt.Sprintf("%s[%s]=%s", v.Name, quote(text(src, cells[0])), quote(text(src, value.OfList(cells[1:]...)))))
		}
	}
	return strings.Join(lines, "\n")
}

func firstRow(items []value.Value) value.Value {
	for _, item := range items {
		if item.Kind() != value.HLine {
			return item
		}
	}
	return value.Nil()
}

// text is a value as org-babel-sh-var-to-string writes it: a table as lines of
// cells, a list as lines.
func text(src *compile.Source, v value.Value) string {
	if v.Kind() != value.List {
		return scalar(v)
	}
	sep := "\t"
	if s, ok := src.Arg("separator"); ok {
		sep = unquote(s)
	}
	var lines []string
	for _, item := range v.Items() {
		switch item.Kind() {
		case value.HLine:
			if hlines, _ := src.Arg("hlines"); hlines == "yes" {
				lines = append(lines, "hline")
			}
		case value.List:
			var cells []string
			for _, cell := range item.Items() {
				cells = append(cells, scalar(cell))
			}
			lines = append(lines, strings.Join(cells, sep))
		default:
			lines = append(lines, scalar(item))
		}
	}
	return strings.Join(lines, "\n")
}

// scalar writes a value as format's %S does, strings as they are.
func scalar(v value.Value) string {
	switch v.Kind() {
	case value.String:
		return v.Text()
	case value.Null:
		return "nil"
	case value.Bool:
		if v.Bool() {
			return "t"
		}
		return "nil"
	case value.HLine:
		return "hline"
	}
	return v.String()
}

// quote makes one shell word of text.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'" }

// unquote takes the quotes of a Lisp string off a header argument.
func unquote(arg string) string {
	if words, isList := compile.List(arg); !isList && len(words) == 1 {
		return words[0]
	}
	return arg
}
