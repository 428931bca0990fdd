package babel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"wb/internal/value"
	"wb/tangle/elisp"
)

// Data is a value that Lisp has no form for: a truth value other than nil and t,
// or an object.
type Data struct{ value.Value }

// Of is a notebook's value as expansions take it, with nothing lost.
func Of(v value.Value) elisp.Value {
	switch v.Kind() {
	case value.Bool, value.Object:
		return Data{v}
	case value.List:
		items := make([]elisp.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = Of(item)
		}
		return elisp.List(items...)
	}
	return elisp.FromValue(v)
}

// Arg is the value that org-babel reads from the text of a header argument.
func Arg(text string) elisp.Value {
	if text == "" {
		return elisp.Nil
	}
	v, err := elisp.ReadCell(text, &elisp.Env{})
	if err != nil {
		return elisp.String(text)
	}
	return v
}

// truth reports whether x is a truth value, and which.
func truth(x elisp.Value) (is, known bool) {
	d, ok := x.(Data)
	return ok && d.Bool(), ok && d.Kind() == value.Bool
}

// members are the fields of an object.
func members(x elisp.Value) ([]value.Field, bool) {
	d, ok := x.(Data)
	return d.Fields(), ok && d.Kind() == value.Object
}

// object writes an object, each field by field.
func object(fields []value.Field, open, end string, field func(name string, x elisp.Value) (string, error)) (string, error) {
	texts := make([]string, len(fields))
	for i, f := range fields {
		var err error
		if texts[i], err = field(f.Name, Of(f.Value)); err != nil {
			return "", err
		}
	}
	return open + strings.Join(texts, ", ") + end, nil
}

// number writes a number as most languages do; infinite and undefined ones have
// names of their own. It is "" for what is not a number.
func number(x elisp.Value, infinite, undefined string) string {
	switch x := x.(type) {
	case elisp.Int:
		return strconv.FormatInt(int64(x), 10)
	case elisp.Big:
		return strconv.FormatUint(uint64(x), 10)
	case elisp.Float:
		switch f := float64(x); {
		case math.IsNaN(f):
			return undefined
		case math.IsInf(f, 1):
			return infinite
		case math.IsInf(f, -1):
			return "-" + infinite
		}
		return elisp.Print(x)
	}
	return ""
}

// Quote writes a text as a string in double quotes, on one line: a backslash
// stands before the special characters, and others that cannot be seen are
// written in the format control, such as `\x%02x`.
func Quote(text, special, control string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case strings.IndexByte(special, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c == 127:
			fmt.Fprintf(&b, control, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
