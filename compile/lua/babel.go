package lua

import (
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// surroundings are the lines before and after the body in babel shape, in
// ob-lua's order.
func surroundings(src *compile.Source) (before, after string) {
	if src.Shape != compile.ShapeBabel {
		return "", ""
	}
	for _, name := range []string{"preamble", "prologue"} {
		if text, ok := src.Arg(name); ok {
			before += compile.Unquoted(text) + "\n"
		}
	}
	for _, v := range src.Vars {
		before += v.Name + "=" + literal(v.Value, false) + "\n"
	}
	if text, ok := src.Arg("return"); ok && !src.Results.Has("output") {
		after += "\nreturn " + compile.Unquoted(text)
	}
	if text, ok := src.Arg("epilogue"); ok {
		after += "\n" + compile.Unquoted(text)
	}
	return before, after
}

// literal writes a value as Lua (org-babel-lua-var-to-lua). Like there, a list
// of one plain item is that item, and inside a table a list of a name and one
// value is a field; rules between rows are None, a variable nobody sets.
func literal(v value.Value, inside bool) string {
	switch v.Kind() {
	case value.HLine:
		return "None"
	case value.Null:
		return "{}"
	case value.String:
		return quote(v.Text())
	case value.List:
		return list(v.Items(), inside)
	case value.Object:
		fields := make([]string, len(v.Fields()))
		for i, f := range v.Fields() {
			fields[i] = key(f.Name) + "=" + literal(f.Value, true)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return v.String()
}

func list(items []value.Value, inside bool) string {
	plain := len(items) > 0 && items[0].Kind() != value.List && items[0].Kind() != value.Null
	if len(items) == 1 && plain {
		return literal(items[0], inside)
	}
	if inside && len(items) == 2 && items[0].Kind() == value.String {
		return key(items[0].Text()) + "=" + list(items[1:], true)
	}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = literal(item, true)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var name = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

var reserved = lazyregexp.New(`^(and|break|do|else|elseif|end|false|for|function|goto|if|in|local|nil|not|or|repeat|return|then|true|until|while)$`)

// key is the left side of a field.
func key(text string) string {
	if name.MatchString(text) && !reserved.MatchString(text) {
		return text
	}
	return "[" + quote(text) + "]"
}

// quote writes a string on one line.
func quote(text string) string { return compile.Quote(text, `"\`, `\%03d`) }

// readValue is what Emacs makes of what the block returned; tables stay tables.
func (u *unit) readValue(a *answer) (value.Value, error) {
	switch {
	case u.Results.Has("discard"):
		return value.Nil(), nil
	case u.Results.AsText():
		return value.OfString(a.Text), nil
	case a.N == 1 && a.JSON != "":
		v, err := value.ParseJSON([]byte(a.JSON))
		if err == nil && v.Kind() == value.List {
			return ruled(v), nil
		}
		return value.OfString(a.Text), err
	case a.N == 1:
		return compile.ReadScalar(a.Text), nil
	}
	return value.OfString(a.Text), nil
}

// ruled makes rules of the nulls between a table's rows (org-babel-lua-None-to).
func ruled(v value.Value) value.Value {
	items := append([]value.Value(nil), v.Items()...)
	rows := false
	for _, item := range items {
		rows = rows || item.Kind() == value.List
	}
	for i, item := range items {
		if rows && item.IsNull() {
			items[i] = value.Rule()
		}
	}
	return value.OfList(items...)
}
