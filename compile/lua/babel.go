package lua

import (
	"wb/compile"
	"wb/internal/value"
)

// surroundings are the lines before and after the body: :preamble and :return
// are ob-lua's own.
func surroundings(src *compile.Source) (before, after string, err error) {
	before, after, err = src.Surround("lua")
	if err != nil || src.Shape != compile.ShapeBabel {
		return "", "", err
	}
	if text, ok := src.Arg("preamble"); ok {
		before = compile.Unquoted(text) + "\n" + before
	}
	if text, ok := src.Arg("return"); ok && !src.Results.Has("output") {
		after = "\nreturn " + compile.Unquoted(text) + after
	}
	return before, after, nil
}

// readValue reads the block's result as Emacs would; tables stay tables.
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
