package formula

import (
	"fmt"
	"maps"
	"strconv"
)

// Macros are the commands that a document defines. The nil Macros has none and
// keeps none. It is not safe for concurrent use.
type Macros struct{ defined map[string]macro }

// macro is the expansion of a command.
type macro struct {
	params   int
	fallback []token // of the first, optional argument
	optional bool
	body     []token
	operator bool // \DeclareMathOperator: the body is set upright
	limits   bool // its starred form
}

// NewMacros returns an empty set.
func NewMacros() *Macros { return &Macros{defined: map[string]macro{}} }

// Clone returns a copy that later definitions do not change.
func (m *Macros) Clone() *Macros {
	if m == nil {
		return NewMacros()
	}
	return &Macros{defined: maps.Clone(m.defined)}
}

// Define reads the definitions in a piece of a LaTeX preamble; other commands
// are skipped.
func (m *Macros) Define(preamble string) error {
	p := newParser(preamble, m, nil)
	for {
		t := p.next()
		switch {
		case t.kind == end:
			return nil
		case t.kind == command && definitions[t.text]:
			if err := p.define(t); err != nil {
				return err
			}
		}
	}
}

var definitions = map[string]bool{"newcommand": true, "renewcommand": true, "providecommand": true, "def": true, "gdef": true,
	"let": true, "DeclareMathOperator": true}

// define reads what follows \newcommand, \def, \let or \DeclareMathOperator.
func (p *parser) define(by token) error {
	star := p.skip("*")
	name, err := p.definedName()
	if err != nil {
		return err
	}
	var m macro
	switch by.text {
	case "let":
		p.skip("=")
		t := p.next()
		m.body = []token{t}
		if known, ok := p.macros.defined[t.text]; ok && t.kind == command {
			m = known
		}
	case "def", "gdef":
		for p.skip("#") {
			p.next()
			m.params++
		}
		if m.body, err = p.group(); err != nil {
			return err
		}
	default:
		if m.operator = by.text == "DeclareMathOperator"; m.operator {
			m.limits = star
		} else if err := p.parameters(&m); err != nil {
			return err
		}
		if m.body, err = p.group(); err != nil {
			return err
		}
	}
	if _, known := p.macros.defined[name]; by.text != "providecommand" || !known {
		p.macros.defined[name] = m
	}
	return nil
}

func (p *parser) definedName() (string, error) {
	t := p.next()
	if t.is("{") {
		t = p.next()
		if !p.skip("}") {
			return "", p.errorAt(t, "a definition needs the name of a command")
		}
	}
	if t.kind != command {
		return "", p.errorAt(t, "a definition needs the name of a command")
	}
	return t.text, nil
}

// parameters reads [2][default].
func (p *parser) parameters(m *macro) error {
	count, ok, err := p.bracketed()
	if err != nil || !ok {
		return err
	}
	text := ""
	for _, t := range count {
		text += t.text
	}
	if m.params, err = strconv.Atoi(text); err != nil || m.params < 0 || m.params > 9 {
		return p.errorAt(p.peek(), fmt.Sprintf("%q is not a number of arguments", text))
	}
	m.fallback, m.optional, err = p.bracketed()
	return err
}

// maxExpansions bounds the work of one formula: commands that stand for
// themselves would never end.
const (
	maxExpansions = 1000
	maxTokens     = 20_000
)

// expand puts what a macro stands for in the place of its call.
func (p *parser) expand(call token, m macro) error {
	p.expansions++
	if p.expansions > maxExpansions || len(p.tokens)-p.at+len(m.body) > maxTokens {
		return p.errorAt(call, "\\"+call.text+" stands for itself")
	}
	args := make([][]token, 0, m.params)
	for i := range m.params {
		if i == 0 && m.optional {
			given, ok, err := p.bracketed()
			if err != nil {
				return err
			}
			if !ok {
				given = m.fallback
			}
			args = append(args, given)
			continue
		}
		arg, err := p.group()
		if err != nil {
			return err
		}
		args = append(args, arg)
	}
	var body []token
	for i := 0; i < len(m.body); i++ {
		t := m.body[i]
		if t.is("#") && i+1 < len(m.body) {
			i++
			n, err := strconv.Atoi(m.body[i].text)
			if err != nil || n < 1 || n > len(args) {
				return p.errorAt(call, fmt.Sprintf("\\%s has no argument #%s", call.text, m.body[i].text))
			}
			body = append(body, args[n-1]...)
			continue
		}
		t.offset = call.offset // the author sees the call, not the definition
		body = append(body, t)
	}
	if m.operator {
		op := "operatorname"
		if m.limits {
			op = "operatorname*"
		}
		body = append(append([]token{{command, op, call.offset, false}, {char, "{", call.offset, false}}, body...), token{char, "}", call.offset, false})
	}
	p.tokens = append(body, p.tokens[p.at:]...)
	p.at = 0
	return nil
}
