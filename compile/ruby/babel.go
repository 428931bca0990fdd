package ruby

import (
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// surroundings are the lines before and after the body in babel shape, in
// ob-ruby's order.
func surroundings(src *compile.Source) (before, after string) {
	if src.Shape != compile.ShapeBabel {
		return "", ""
	}
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
func quoted(text string) string { return compile.Quote(text, `"\#`, `\x%02x`) }

// readValue is what Emacs makes of what the block returned.
func (u *unit) readValue(a *answer) (value.Value, error) {
	switch {
	case u.Results.Has("discard"):
		return value.Nil(), nil
	case u.Results.AsText():
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
