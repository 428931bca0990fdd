package python

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// readEscaped reads Python's text for a list, tuple, string or number the way
// org-babel does (org-babel-script-escape): brackets become parentheses, commas
// blanks and quotes double quotes, and what is then a Lisp form is read.
func readEscaped(text string) value.Value {
	bracketed := len(text) >= 2 && strings.Contains("[] {} ()", text[:1]+text[len(text)-1:])
	quoted := len(text) > 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0]
	if !bracketed && !quoted {
		return readPlain(text)
	}
	form, err := lispForm(text)
	if err != nil {
		return value.OfString(text) // Emacs gives up with an error here
	}
	r := &lispReader{text: form}
	v, err := r.read()
	switch {
	case err != nil && bracketed:
		return value.OfString("'" + form)
	case err != nil:
		return value.OfString(form)
	case quoted:
		if r.blanks(); r.at < len(form) { // several strings
			return value.OfString(form)
		}
	}
	return v
}

// readPlain is org-babel-read for text that is not a list.
func readPlain(text string) value.Value {
	if text != "" && strings.ContainsRune("('`[", rune(text[0])) {
		return value.OfString(text) // Emacs would evaluate it as Lisp
	}
	return compile.ReadCell(text)
}

var (
	errBackslash    = errors.New("backslash outside a string")
	errUnterminated = errors.New("string without end")
)

// lispForm is org-babel--script-escape-inner.
func lispForm(text string) (string, error) {
	var out strings.Builder
	var inSingle, inDouble, backslash bool
	for _, c := range text {
		inside := inSingle || inDouble
		switch {
		case backslash:
			backslash = false
			switch {
			case inSingle && c == '\'':
				out.WriteRune(c)
			case c == '"' && inSingle:
				out.WriteString(`\\\"`)
			case c == '"':
				out.WriteString(`\"`)
			case c == '\\':
				out.WriteString(`\\`)
			default:
				out.WriteString(`\\`)
				out.WriteRune(c)
			}
		case !inside && (c == '[' || c == '{'):
			out.WriteByte('(')
		case !inside && (c == ']' || c == '}'):
			out.WriteByte(')')
		case !inside && c == ',':
			out.WriteByte(' ')
		case c == '\'' && !inDouble:
			inSingle = !inSingle
			out.WriteByte('"')
		case c == '"' && inSingle:
			out.WriteString(`\"`)
		case c == '"':
			inDouble = !inDouble
			out.WriteByte('"')
		case c == '\\' && !inside:
			return "", errBackslash
		case c == '\\':
			backslash = true
		default:
			out.WriteRune(c)
		}
	}
	if inSingle || inDouble {
		return "", errUnterminated
	}
	return out.String(), nil
}

// lispReader reads the Lisp that lispForm writes: lists, strings, numbers and
// symbols. Symbols become text, nil an empty value.
type lispReader struct {
	text  string
	at    int
	depth int
}

var errLisp = errors.New("not a Lisp form")

const maxDepth = 1600 // max-lisp-eval-depth

func (r *lispReader) read() (value.Value, error) {
	r.blanks()
	if r.at >= len(r.text) {
		return value.Value{}, errLisp
	}
	switch c := r.text[r.at]; c {
	case '(':
		return r.list()
	case ')', '#', '`', ';', '\'':
		return value.Value{}, errLisp
	case '"':
		return r.string()
	case '?':
		return r.character()
	}
	return r.atom()
}

func (r *lispReader) blanks() {
	for r.at < len(r.text) && (r.text[r.at] <= ' ' || strings.HasPrefix(r.text[r.at:], "\u00a0")) {
		if r.text[r.at] > ' ' {
			r.at++
		}
		r.at++
	}
}

func (r *lispReader) list() (value.Value, error) {
	if r.depth++; r.depth > maxDepth {
		return value.Value{}, errLisp
	}
	defer func() { r.depth-- }()
	r.at++
	items := []value.Value{}
	for {
		r.blanks()
		if r.at >= len(r.text) {
			return value.Value{}, errLisp
		}
		if r.text[r.at] == ')' {
			r.at++
			if len(items) == 0 {
				return value.Nil(), nil
			}
			return value.OfList(items...), nil
		}
		item, err := r.read()
		if err != nil {
			return value.Value{}, err
		}
		items = append(items, item)
	}
}

func (r *lispReader) string() (value.Value, error) {
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case '"':
			r.at++
			return value.OfString(b.String()), nil
		case '\\':
			if r.at++; r.at < len(r.text) {
				b.WriteByte(r.text[r.at])
			}
		default:
			b.WriteByte(c)
		}
	}
	return value.Value{}, errLisp
}

// character reads ?x, which is a number.
func (r *lispReader) character() (value.Value, error) {
	rest := []rune(r.text[r.at+1:])
	if len(rest) == 0 || len(rest) > 1 && !strings.ContainsRune(" \n\t()\"'`,;[]?", rest[1]) {
		return value.Value{}, errLisp
	}
	r.at += 1 + len(string(rest[0]))
	return value.OfInt(int64(rest[0])), nil
}

var (
	lispInt   = lazyregexp.New(`^[-+]?[0-9]+\.?$`)
	lispFloat = lazyregexp.New(`^[-+]?([0-9]*\.[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.?[eE][-+]?[0-9]+)$`)
)

// atom reads a number or a symbol.
func (r *lispReader) atom() (value.Value, error) {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] > ' ' && !strings.ContainsRune("\"';()[]`,#", rune(r.text[r.at])) || r.at > start && r.at < len(r.text) && r.text[r.at] == '#' {
		r.at++
	}
	word := r.text[start:r.at]
	switch {
	case word == "" || word == ".":
		return value.Value{}, errLisp
	case lispInt.MatchString(word):
		if i, err := strconv.ParseInt(strings.TrimSuffix(word, "."), 10, 64); err == nil {
			return value.OfInt(i), nil
		}
		return value.OfString(strings.TrimPrefix(strings.TrimSuffix(word, "."), "+")), nil
	case lispFloat.MatchString(word):
		f, err := strconv.ParseFloat(word, 64)
		if err != nil && !math.IsInf(f, 0) {
			return value.Value{}, errLisp
		}
		return value.OfFloat(f), nil
	case word == "nil":
		return value.Nil(), nil
	case word == "None" && r.depth == 1: // org-babel-python-None-to
		return value.Rule(), nil
	}
	return value.OfString(word), nil
}
