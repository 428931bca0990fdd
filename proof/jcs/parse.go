package jcs

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"wb/internal/lazyregexp"
	"wb/proof/fault"
)

// Parse reads one JSON text (RFC 8259) that leaves no reading open (RFC 7493).
// Errors are [fault.Error]s that name the byte.
func Parse(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, fault.New(fault.JSONEncoding, "not UTF-8")
	}
	p := &parser{text: text, d: jsontext.NewDecoder(bytes.NewBuffer(text))}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.d.PeekKind() != 0 {
		return nil, p.fail(fault.JSONInvalid, "text after the value")
	} else if _, err := p.d.ReadToken(); err != io.EOF {
		return nil, p.wrong(err)
	}
	return v, nil
}

type parser struct {
	text []byte
	d    *jsontext.Decoder
}

func (p *parser) fail(code fault.Code, message string) error {
	return fault.New(code, "byte %d: %s", p.d.InputOffset(), message)
}

// wrong is the failure of a text that the decoder refused.
func (p *parser) wrong(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case !errors.As(err, &syntax):
		return p.fail(fault.JSONInvalid, "expected a value")
	case syntax.Err == jsontext.ErrDuplicateName:
		return p.fail(fault.JSONDuplicateKey, "member "+strconv.Quote(syntax.JSONPointer.LastToken())+" a second time")
	case halfPair.Match(p.text[syntax.ByteOffset:]) && bytes.Contains(p.text[p.d.InputOffset():syntax.ByteOffset], []byte{'"'}):
		return fault.New(fault.JSONEncoding, "byte %d: half of a surrogate pair", syntax.ByteOffset)
	}
	return fault.New(fault.JSONInvalid, "byte %d: %v", syntax.ByteOffset, syntax.Err)
}

// halfPair begins with the escape of half a surrogate pair; what follows is no
// broken escape.
var halfPair = lazyregexp.New(`^\\u[dD][89a-fA-F][0-9a-fA-F]{2}(\\?$|[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})`)

func (p *parser) value() (any, error) {
	if p.d.StackDepth() > MaxDepth {
		return nil, p.fail(fault.JSONDepth, "nested deeper than "+strconv.Itoa(MaxDepth))
	}
	token, err := p.d.ReadToken()
	if err != nil {
		return nil, p.wrong(err)
	}
	switch token.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return token.String(), nil
	case '0':
		return p.number(token.String())
	case 'n':
		return nil, nil
	}
	return token.Bool(), nil
}

// end reads the token that ends an array or object.
func (p *parser) end() error {
	if _, err := p.d.ReadToken(); err != nil {
		return p.wrong(err)
	}
	return nil
}

func (p *parser) array() (any, error) {
	out := []any{}
	for p.d.PeekKind() != ']' {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, p.end()
}

func (p *parser) object() (any, error) {
	out := map[string]any{}
	for p.d.PeekKind() != '}' {
		token, err := p.d.ReadToken()
		if err != nil {
			return nil, p.wrong(err)
		}
		name := token.String()
		if out[name], err = p.value(); err != nil {
			return nil, err
		}
	}
	return out, p.end()
}

// number refuses one that overflows, and an integer that a double would round: two
// readers would see two values.
func (p *parser) number(literal string) (any, error) {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return nil, p.fail(fault.JSONNumber, "number too large")
	}
	if !strings.ContainsAny(literal, ".eE") && literal != "-0" && string(appendNumber(nil, f)) != literal {
		return nil, p.fail(fault.JSONNumber, "a double would round this integer")
	}
	return f, nil
}
