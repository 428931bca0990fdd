package ruby

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/value"
)

// surroundings are the lines before and after the body, in ob-ruby's order.
func surroundings(src *compile.Source) (before, after string) {
	if text, ok := src.Arg("prologue"); ok {
		before += compile.Unquoted(text) + "\n"
	}
	for _, v := range src.Vars {
		before += v.Name + "=" + literal(v.Value) + "\n"
	}
	if text, ok := src.Arg("epilogue"); ok {
		after += "\n" + compile.Unquoted(text)
	}
	return before, after
}

// literal writes a value as Ruby (org-babel-ruby-var-to-ruby); a rule is nil.
func literal(v value.Value) string {
	switch v.Kind() {
	case value.HLine:
		return "nil"
	case value.Null:
		return "[]"
	case value.String:
		return quoted(v.Text())
	case value.List:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = literal(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case value.Object:
		fields := make([]string, len(v.Fields()))
		for i, f := range v.Fields() {
			fields[i] = quoted(f.Name) + " => " + literal(f.Value)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	}
	return v.String()
}

// quoted writes a string on one line.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte(`"\#`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c == 127:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (u *unit) wantsValue() bool { return !u.Results.Has("output") }

// printed is the value of a program that is its output.
func (u *unit) printed(shape compile.Shape, text string) value.Value {
	switch {
	case shape != compile.ShapeBabel:
		return value.OfString(text)
	case u.wantsValue(): // it failed, or ended itself, before it returned
		return value.Nil()
	}
	return u.Results.ReadScalar(text)
}

// readValue is what Emacs makes of what the block returned.
func (u *unit) readValue(a *answer) (value.Value, error) {
	switch {
	case u.Results.Has("discard"):
		return value.Nil(), nil
	case u.Results.Has("pp") || u.Results.AsText():
		return value.OfString(a.Text), nil
	case a.Raw != nil:
		v, err := value.ParseJSON(a.Raw)
		if err != nil {
			return value.Value{}, err
		}
		items := append([]value.Value(nil), v.Items()...)
		for i, item := range items {
			if item.IsNull() { // org-babel-ruby-nil-to
				items[i] = value.Rule()
			}
		}
		return value.OfList(items...), nil
	}
	return compile.ReadScalar(a.Text), nil
}
