package jcs

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"wb/proof/fault"
)

// Parse reads one JSON text (RFC 8259) that leaves no reading open (RFC 7493).
// Errors are [fault.Error]s that name the byte.
func Parse(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, fault.New(fault.JSONEncoding, "not UTF-8")
	}
	p := &parser{text: text}
	p.space()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(text) {
		return nil, p.invalid("text after the value")
	}
	return v, nil
}

type parser struct {
	text []byte
	at   int
}

func (p *parser) fail(code fault.Code, format string, args ...any) error {
	return fault.New(code, "byte %d: %s", p.at, fmt.Sprintf(format, args...))
}

func (p *parser) invalid(format string, args ...any) error {
	return p.fail(fault.JSONInvalid, format, args...)
}

// peek is the next byte, 0 at the end; no JSON has a NUL outside strings, nor
// raw in one.
func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for c := p.peek(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = p.peek() {
		p.at++
	}
}

func (p *parser) value(depth int) (any, error) {
	if depth > MaxDepth {
		return nil, p.fail(fault.JSONDepth, "nested deeper than %d", MaxDepth)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for word, v := range map[string]any{"true": true, "false": false, "null": nil} {
		if len(p.text)-p.at >= len(word) && string(p.text[p.at:p.at+len(word)]) == word {
			p.at += len(word)
			return v, nil
		}
	}
	return nil, p.invalid("expected a value")
}

func (p *parser) array(depth int) (any, error) {
	out := []any{}
	p.at++
	p.space()
	if p.peek() == ']' {
		p.at++
		return out, nil
	}
	for {
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return out, nil
		default:
			return nil, p.invalid("expected , or ]")
		}
	}
}

func (p *parser) object(depth int) (any, error) {
	out := map[string]any{}
	p.at++
	p.space()
	if p.peek() == '}' {
		p.at++
		return out, nil
	}
	for {
		p.space()
		if p.peek() != '"' {
			return nil, p.invalid("expected a member's name")
		}
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, p.fail(fault.JSONDuplicateKey, "member %q a second time", name)
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.invalid("expected :")
		}
		p.at++
		p.space()
		if out[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return out, nil
		default:
			return nil, p.invalid("expected , or }")
		}
	}
}

// number reads RFC 8259's grammar. A number that overflows, or an integer that
// a double would round, is refused: two readers would see two values.
func (p *parser) number() (any, error) {
	start := p.at
	digits := func() int {
		from := p.at
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.at++
		}
		return p.at - from
	}
	if p.peek() == '-' {
		p.at++
	}
	zero := p.peek() == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return nil, p.invalid("bad number")
	}
	integer := true
	if p.peek() == '.' {
		p.at++
		integer = false
		if digits() == 0 {
			return nil, p.invalid("bad number")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		integer = false
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if digits() == 0 {
			return nil, p.invalid("bad number")
		}
	}
	f, err := strconv.ParseFloat(string(p.text[start:p.at]), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, p.fail(fault.JSONNumber, "number too large")
	}
	if literal := string(p.text[start:p.at]); integer && literal != "-0" {
		if same, err := appendNumber(nil, f); err != nil || string(same) != literal {
			return nil, p.fail(fault.JSONNumber, "a double would round this integer")
		}
	}
	return f, nil
}

var unescaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) str() (string, error) {
	p.at++
	var out []byte
	for {
		if p.at >= len(p.text) {
			return "", p.invalid("string without end")
		}
		c := p.text[p.at]
		switch {
		case c == '"':
			p.at++
			return string(out), nil
		case c < 0x20:
			return "", p.invalid("control character in a string")
		case c != '\\':
			out = append(out, c)
			p.at++
			continue
		}
		p.at++
		c = p.peek()
		if plain, ok := unescaped[c]; ok {
			out = append(out, plain)
			p.at++
			continue
		}
		if c != 'u' {
			return "", p.invalid("unknown escape")
		}
		r, err := p.escapedRune()
		if err != nil {
			return "", err
		}
		out = utf8.AppendRune(out, r)
	}
}

// escapedRune reads from the u of \uXXXX, and a second escape when the first
// is half of a pair.
func (p *parser) escapedRune() (rune, error) {
	unit, err := p.unit()
	if err != nil || !utf16.IsSurrogate(unit) {
		return unit, err
	}
	if p.peek() != '\\' || p.at+1 >= len(p.text) || p.text[p.at+1] != 'u' {
		return 0, p.fail(fault.JSONEncoding, "half of a surrogate pair")
	}
	p.at++
	low, err := p.unit()
	if err != nil {
		return 0, err
	}
	r := utf16.DecodeRune(unit, low)
	if r == utf8.RuneError {
		return 0, p.fail(fault.JSONEncoding, "half of a surrogate pair")
	}
	return r, nil
}

func (p *parser) unit() (rune, error) {
	p.at++
	if p.at+4 > len(p.text) {
		return 0, p.invalid("string without end")
	}
	var unit rune
	for _, c := range p.text[p.at : p.at+4] {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			return 0, p.invalid("bad \\u escape")
		}
	}
	p.at += 4
	return unit, nil
}
