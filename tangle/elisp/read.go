package elisp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep lists may nest in text and in evaluation.
const maxDepth = 400

// Read reads the first expression of src. Text after it is ignored, as Emacs's
// read does.
func Read(src string) (Value, error) {
	v, _, err := ReadPrefix(src)
	return v, err
}

// ReadPrefix reads the first expression of src and says how many bytes it took.
func ReadPrefix(src string) (v Value, n int, err error) {
	r := reader{src: src}
	v, e := r.value(0)
	if e != nil {
		return nil, r.pos, e
	}
	return v, r.pos, nil
}

// reader is a recursive-descent parser over one text.
type reader struct {
	src    string
	pos    int
	places map[*Cons]int // where each list began; nil when not needed
}

func (r *reader) failf(at int, format string, args ...any) *Error {
	return &Error{Offset: at, Msg: fmt.Sprintf(format, args...)}
}

// skip passes blanks and ; comments.
func (r *reader) skip() {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c <= ' ':
			r.pos++
		case c == ';':
			if eol := strings.IndexByte(r.src[r.pos:], '\n'); eol >= 0 {
				r.pos += eol + 1
			} else {
				r.pos = len(r.src)
			}
		default:
			return
		}
	}
}

func (r *reader) value(depth int) (Value, *Error) {
	r.skip()
	if depth > maxDepth {
		return nil, r.failf(r.pos, "lists nest deeper than %d", maxDepth)
	}
	if r.pos == len(r.src) {
		return nil, r.failf(r.pos, "the expression ends too early")
	}
	at := r.pos
	switch c := r.src[r.pos]; c {
	case '(':
		return r.list(depth)
	case '[':
		return r.vector(depth)
	case ')', ']':
		return nil, r.failf(at, "%q closes nothing", c)
	case '"':
		return r.stringLiteral()
	case '\'':
		r.pos++
		return r.wrapped("quote", at, depth)
	case '`':
		r.pos++
		return r.wrapped("`", at, depth)
	case ',':
		r.pos++
		if strings.HasPrefix(r.src[r.pos:], "@") {
			r.pos++
			return r.wrapped(",@", at, depth)
		}
		return r.wrapped(",", at, depth)
	case '?':
		return r.character()
	case '#':
		return r.hash(depth)
	}
	return r.atom()
}

// wrapped reads the expression behind a prefix such as ' and names it.
func (r *reader) wrapped(name Symbol, at, depth int) (Value, *Error) {
	v, err := r.value(depth + 1)
	if err != nil {
		return nil, err
	}
	return r.place(List(name, v), at), nil
}

func (r *reader) place(v Value, at int) Value {
	if pair, ok := v.(*Cons); ok && r.places != nil {
		r.places[pair] = at
	}
	return v
}

func (r *reader) list(depth int) (Value, *Error) {
	at := r.pos
	r.pos++
	var items []Value
	var tail Value = Nil
	for {
		r.skip()
		if r.pos == len(r.src) {
			return nil, r.failf(at, "the list is never closed")
		}
		if r.src[r.pos] == ')' {
			r.pos++
			break
		}
		if len(items) > 0 && r.dot() {
			var err *Error
			if tail, err = r.value(depth + 1); err != nil {
				return nil, err
			}
			r.skip()
			if r.pos == len(r.src) || r.src[r.pos] != ')' {
				return nil, r.failf(r.pos, "one expression must stand after the dot")
			}
			r.pos++
			break
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	list := tail
	for i := len(items) - 1; i >= 0; i-- {
		list = &Cons{items[i], list}
	}
	return r.place(list, at), nil
}

// dot passes the dot of a dotted pair if one stands here.
func (r *reader) dot() bool {
	rest := r.src[r.pos:]
	if rest[0] != '.' || len(rest) > 1 && !strings.ContainsRune(" \t\n\r\f\"';([`,", rune(rest[1])) {
		return false
	}
	r.pos++
	return true
}

func (r *reader) vector(depth int) (Value, *Error) {
	at := r.pos
	r.pos++
	items := Vector{}
	for {
		r.skip()
		if r.pos == len(r.src) {
			return nil, r.failf(at, "the vector is never closed")
		}
		if r.src[r.pos] == ']' {
			r.pos++
			return items, nil
		}
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
}

func (r *reader) hash(depth int) (Value, *Error) {
	at := r.pos
	rest := r.src[at+1:]
	switch {
	case strings.HasPrefix(rest, "'"):
		r.pos += 2
		return r.wrapped("function", at, depth)
	case strings.HasPrefix(rest, "#"):
		r.pos += 2
		return Symbol(""), nil
	case rest != "" && strings.ContainsRune("oOxXbB", rune(rest[0])):
		r.pos += 2
		digits := r.token()
		base := map[byte]int{'o': 8, 'x': 16, 'b': 2}[rest[0]|0x20]
		n, err := strconv.ParseInt(digits, base, 64)
		if err != nil {
			return nil, r.failf(at, "#%c%s is not a number in base %d", rest[0], digits, base)
		}
		return Int(n), nil
	case strings.HasPrefix(rest, ":"):
		r.pos += 2
		return Symbol(r.token()), nil
	}
	return nil, r.failf(at, "this kind of literal is not supported: #%s", abbreviate(rest))
}

// token takes the characters up to the next delimiter, resolving backslashes.
func (r *reader) token() string {
	var b strings.Builder
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		if c <= ' ' || strings.IndexByte("\"';()[]`,", c) >= 0 {
			break
		}
		if c == '\\' {
			r.pos++
			if r.pos == len(r.src) {
				break
			}
			_, size := utf8.DecodeRuneInString(r.src[r.pos:])
			b.WriteString(r.src[r.pos : r.pos+size])
			r.pos += size
			continue
		}
		b.WriteByte(c)
		r.pos++
	}
	return b.String()
}

func (r *reader) atom() (Value, *Error) {
	at := r.pos
	name := r.token()
	if !strings.Contains(r.src[at:r.pos], `\`) {
		if n, ok := parseNumber(name); ok {
			return n, nil
		}
		if integerSyntax.MatchString(name) {
			return nil, r.failf(at, "%s does not fit in 64 bits", abbreviate(name))
		}
	}
	return Symbol(name), nil
}

// escapes are the one-letter escapes common to strings and characters.
var escapes = map[byte]rune{
	'a': 7, 'b': 8, 't': '\t', 'n': '\n', 'v': 11, 'f': 12, 'r': '\r', 'e': 27, 'd': 127, 's': ' ',
}

func (r *reader) character() (Value, *Error) {
	at := r.pos
	r.pos++
	if r.pos == len(r.src) {
		return nil, r.failf(at, "a character must follow the question mark")
	}
	if r.src[r.pos] != '\\' {
		c, size := utf8.DecodeRuneInString(r.src[r.pos:])
		r.pos += size
		return Int(c), nil
	}
	c, ok, err := r.escape()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, r.failf(at, "a character must follow the backslash")
	}
	return Int(c), nil
}

// escape reads a backslash and what follows; ok is false for the escapes that
// stand for nothing (backslash-newline and backslash-space in strings).
func (r *reader) escape() (c rune, ok bool, err *Error) {
	at := r.pos
	r.pos++
	if r.pos == len(r.src) {
		return 0, false, r.failf(at, "the expression ends inside an escape")
	}
	letter := r.src[r.pos]
	switch {
	case letter == '\n':
		r.pos++
		return 0, false, nil
	case letter == 'u' || letter == 'U' || letter == 'x':
		r.pos++
		digits := map[byte]int{'u': 4, 'U': 8, 'x': 6}[letter]
		n := 0
		for n < digits && r.pos+n < len(r.src) && strings.IndexByte("0123456789abcdefABCDEF", r.src[r.pos+n]) >= 0 {
			n++
		}
		code, e := strconv.ParseInt(r.src[r.pos:r.pos+n], 16, 32)
		if e != nil || letter != 'x' && n != digits {
			return 0, false, r.failf(at, `\%c needs hexadecimal digits`, letter)
		}
		r.pos += n
		return rune(code), true, nil
	case letter >= '0' && letter <= '7':
		n := 1
		for n < 3 && r.pos+n < len(r.src) && r.src[r.pos+n] >= '0' && r.src[r.pos+n] <= '7' {
			n++
		}
		code, _ := strconv.ParseInt(r.src[r.pos:r.pos+n], 8, 32)
		r.pos += n
		return rune(code), true, nil
	case (letter == 'C' || letter == 'M' || letter == 'S') && strings.HasPrefix(r.src[r.pos+1:], "-") || letter == '^':
		return 0, false, r.failf(at, "control and meta characters are not supported")
	}
	c, size := utf8.DecodeRuneInString(r.src[r.pos:])
	r.pos += size
	if named, is := escapes[letter]; is {
		return named, true, nil
	}
	return c, true, nil
}

func (r *reader) stringLiteral() (Value, *Error) {
	at := r.pos
	r.pos++
	var b strings.Builder
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; c {
		case '"':
			r.pos++
			return String(b.String()), nil
		case '\\':
			if strings.HasPrefix(r.src[r.pos+1:], " ") { // ignored, unlike \s
				r.pos += 2
				continue
			}
			char, ok, err := r.escape()
			if err != nil {
				return nil, err
			}
			if ok {
				b.WriteRune(char)
			}
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
	return nil, r.failf(at, "the string is never closed")
}
