package preset

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// form is a piece of Lisp as it is written.
type form struct {
	kind kind
	text string // of a symbol or a string
	num  int
	kids []form
	tail *form // behind the dot of a pair
}

type kind uint8

const (
	symbol kind = iota
	str
	num
	list
	quote    // 'x and `x
	computed // what only evaluation could tell: ,x
)

// is reports whether the form is a symbol of that name.
func (f form) is(name string) bool { return f.kind == symbol && f.text == name }

// head is the symbol that a list begins with.
func (f form) head() string {
	if f.kind == list && len(f.kids) > 0 && f.kids[0].kind == symbol {
		return f.kids[0].text
	}
	return ""
}

// mostDepth bounds nesting, so that no file exhausts the stack.
const mostDepth = 300

// readForms reads the forms of a file. What cannot be read ends the form it
// stands in; reading goes on where the next one begins at the start of a line.
func readForms(src string) (forms []form, errs []error) {
	r := &reader{src: src}
	for {
		r.blank()
		if r.at >= len(src) {
			return forms, errs
		}
		start := r.at
		f, err := r.form(0)
		if err == nil {
			forms = append(forms, f)
			continue
		}
		errs = append(errs, fmt.Errorf("line %d: %w", 1+strings.Count(src[:start], "\n"), err))
		next := strings.Index(src[start+1:], "\n(")
		if next < 0 {
			return forms, errs
		}
		r.at = start + 1 + next + 1
	}
}

type reader struct {
	src string
	at  int
}

func (r *reader) blank() {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case strings.IndexByte(" \t\r\n\f", c) >= 0:
			r.at++
		case c == ';':
			if end := strings.IndexByte(r.src[r.at:], '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.src)
			}
		default:
			return
		}
	}
}

func (r *reader) form(depth int) (form, error) {
	r.blank()
	if depth > mostDepth {
		return form{}, fmt.Errorf("nested too deeply")
	}
	if r.at >= len(r.src) {
		return form{}, fmt.Errorf("a form does not end")
	}
	switch c := r.src[r.at]; c {
	case '(', '[':
		r.at++
		return r.list(depth)
	case ')', ']':
		return form{}, fmt.Errorf("unexpected %c", c)
	case '\'', '`', ',':
		r.at++
		if c == ',' && r.at < len(r.src) && r.src[r.at] == '@' {
			r.at++
		}
		inner, err := r.form(depth + 1)
		if c == ',' {
			return form{kind: computed}, err
		}
		return form{kind: quote, kids: []form{inner}}, err
	case '"':
		return r.text()
	case '?':
		return r.character()
	case '#':
		return r.hash(depth)
	}
	return r.atom()
}

func (r *reader) list(depth int) (form, error) {
	out := form{kind: list}
	for {
		r.blank()
		if r.at >= len(r.src) {
			return out, fmt.Errorf("a list does not end")
		}
		if c := r.src[r.at]; c == ')' || c == ']' {
			r.at++
			return out, nil
		}
		f, err := r.form(depth + 1)
		if err != nil {
			return out, err
		}
		if f.is(".") && len(out.kids) > 0 {
			tail, err := r.form(depth + 1)
			if err != nil {
				return out, err
			}
			if tail.kind == list { // (a . (b c)) is (a b c)
				out.kids, out.tail = append(out.kids, tail.kids...), tail.tail
			} else {
				out.tail = &tail
			}
			continue
		}
		out.kids = append(out.kids, f)
	}
}

// hash reads #'x as x, and what else begins with # as something computed.
func (r *reader) hash(depth int) (form, error) {
	r.at++
	if r.at < len(r.src) && r.src[r.at] == '\'' {
		r.at++
		return r.form(depth + 1)
	}
	for r.at < len(r.src) && strings.IndexByte(" \t\r\n()[]\"", r.src[r.at]) < 0 {
		r.at++
	}
	if r.at < len(r.src) && (r.src[r.at] == '(' || r.src[r.at] == '[') {
		_, err := r.form(depth + 1)
		return form{kind: computed}, err
	}
	return form{kind: computed}, nil
}

func (r *reader) text() (form, error) {
	var b strings.Builder
	for r.at++; r.at < len(r.src); r.at++ {
		switch c := r.src[r.at]; c {
		case '"':
			r.at++
			return form{kind: str, text: b.String()}, nil
		case '\\':
			if r.at++; r.at < len(r.src) {
				b.WriteString(unescape(r.src[r.at]))
			}
		default:
			b.WriteByte(c)
		}
	}
	return form{}, fmt.Errorf("a string does not end")
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '\n', ' ':
		return ""
	}
	return string(rune(c))
}

func (r *reader) character() (form, error) {
	r.at++
	if r.at < len(r.src) && r.src[r.at] == '\\' {
		r.at++
	}
	c, size := utf8.DecodeRuneInString(r.src[r.at:])
	if size == 0 {
		return form{}, fmt.Errorf("a character is missing")
	}
	r.at += size
	return form{kind: num, num: int(c)}, nil
}

func (r *reader) atom() (form, error) {
	start := r.at
	for r.at < len(r.src) && strings.IndexByte(" \t\r\n\f()[]\"';`,", r.src[r.at]) < 0 {
		if r.src[r.at] == '\\' {
			r.at++
		}
		r.at++
	}
	r.at = min(r.at, len(r.src))
	text := r.src[start:r.at]
	if text == "" {
		r.at++
		return form{}, fmt.Errorf("unexpected %q", r.src[start])
	}
	if n, err := strconv.Atoi(text); err == nil {
		return form{kind: num, num: n}, nil
	}
	return form{kind: symbol, text: text}, nil
}
