package elisp

import (
	"strings"
	"unicode"
)

// ReadCell turns the text of a header argument, a table cell or a result into
// a value as org-babel does: a number if it is nothing but a number; the value
// of the form if it starts like Lisp, with one of ( ' ` [ ; the string if it is
// one string literal; else the text itself.
//
// With env nil no Lisp is evaluated: that is how table cells are read.
func ReadCell(text string, env *Env) (Value, error) {
	if strings.TrimFunc(text, unicode.IsSpace) == "" {
		return String(text), nil
	}
	if n, ok := ParseNumber(text); ok {
		return n, nil
	}
	if env != nil && strings.IndexByte("('`[", text[0]) >= 0 {
		return Eval(text, env)
	}
	if env != nil && text == "*this*" { // the variable for :post, unset elsewhere
		return Nil, nil
	}
	if s, ok := soleString(text); ok {
		return s, nil
	}
	return String(text), nil
}

// soleString reads text that is one string literal and nothing else.
func soleString(text string) (String, bool) {
	trimmed := strings.TrimFunc(text, unicode.IsSpace)
	if len(trimmed) < 2 || trimmed[0] != '"' || trimmed[len(trimmed)-1] != '"' {
		return "", false
	}
	v, n, err := ReadPrefix(trimmed)
	s, isString := v.(String)
	return s, err == nil && isString && n == len(trimmed)
}
