package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads tokens and makes elements of them, by recursive descent.
type parser struct {
	tokens     []token
	at         int
	size       int // of the formula
	macros     *Macros
	numbers    *Numbering
	display    bool
	expansions int
	depth      int

	alphabet alphabet // what letters look like here
	tag, id  string   // of the one numbered row
	first    string   // the first number
	label    string   // of the row being read
	rowTag   string
	noTag    bool
}

func newParser(tex string, macros *Macros, numbers *Numbering) *parser {
	if macros == nil {
		macros = NewMacros()
	}
	return &parser{tokens: lex(tex), size: len(tex), macros: macros, numbers: numbers}
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: end, offset: p.size}
}

func (p *parser) next() token {
	t := p.peek()
	if p.at < len(p.tokens) {
		p.at++
	}
	return t
}

// skip takes a character if it comes next.
func (p *parser) skip(text string) bool {
	if p.peek().is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) errorAt(t token, message string) *Error {
	return &Error{Offset: t.offset, Message: message}
}

// group reads the tokens of one argument: {…} without its braces, or one token.
func (p *parser) group() ([]token, error) {
	open := p.next()
	switch {
	case open.kind == end:
		return nil, p.errorAt(open, "an argument is missing")
	case open.is("}"), open.is("&"), open.isCommand("end"), open.isCommand("right"), open.isCommand("\\"):
		return nil, p.errorAt(open, "an argument is missing before "+map[bool]string{true: "\\"}[open.kind == command]+open.text)
	case !open.is("{"):
		return []token{open}, nil
	}
	from := p.at
	for depth := 1; ; {
		t := p.next()
		switch {
		case t.kind == end:
			return nil, p.errorAt(open, "{ is not closed")
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth--; depth == 0 {
				return p.tokens[from : p.at-1 : p.at-1], nil
			}
		}
	}
}

// bracketed reads the tokens of an optional argument [ … ].
func (p *parser) bracketed() ([]token, bool, error) {
	open := p.peek()
	if !p.skip("[") {
		return nil, false, nil
	}
	from := p.at
	for depth := 0; ; {
		t := p.next()
		switch {
		case t.kind == end:
			return nil, false, p.errorAt(open, "[ is not closed")
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case t.is("]") && depth == 0:
			return p.tokens[from : p.at-1 : p.at-1], true, nil
		}
	}
}

// text reads an argument as it stands, for names and lengths.
func (p *parser) text() (string, error) {
	tokens, err := p.group()
	if err != nil {
		return "", err
	}
	return plain(tokens), nil
}

// plain is the text of tokens with their spaces.
func plain(tokens []token) string {
	var out strings.Builder
	for i, t := range tokens {
		if t.spaced && (i > 0 || out.Len() > 0) {
			out.WriteByte(' ')
		}
		switch {
		case t.kind == command && len(t.text) == 1 && !isLetter(t.text[0]):
			out.WriteString(t.text) // \% is %
		case t.kind == command:
			if s, ok := textCommands[t.text]; ok {
				out.WriteString(s)
			} else {
				out.WriteString("\\" + t.text)
			}
		case t.text == "~":
			out.WriteString("\u00a0")
		case t.text != "{" && t.text != "}":
			out.WriteString(t.text)
		}
	}
	return out.String()
}

var textCommands = map[string]string{"textbackslash": `\`, "ldots": "…", "dots": "…", "quad": "\u2003", "ss": "ß", "o": "ø", "ae": "æ"}

// inside parses tokens as a formula of its own, in the same surroundings.
func (p *parser) inside(tokens []token) ([]*element, error) {
	sub := *p
	sub.tokens, sub.at = tokens, 0
	if len(tokens) > 0 {
		last := tokens[len(tokens)-1]
		sub.size = last.offset + len(last.text)
	}
	body, err := sub.formula()
	p.expansions, p.label, p.rowTag, p.noTag, p.tag, p.id = sub.expansions, sub.label, sub.rowTag, sub.noTag, sub.tag, sub.id
	p.first = sub.first
	return body, err
}

// argument parses one argument as one element.
func (p *parser) argument() (*element, error) {
	tokens, err := p.group()
	if err != nil {
		return nil, err
	}
	body, err := p.inside(tokens)
	if err != nil {
		return nil, err
	}
	return row(body), nil
}

// formula parses everything that is left.
func (p *parser) formula() ([]*element, error) {
	body, err := p.list(func(t token) bool { return t.kind == end })
	if err != nil {
		return nil, err
	}
	return body, nil
}

// maxDepth bounds nesting, and so the stack.
const maxDepth = 200

// list parses up to a token that stop accepts, which stays.
func (p *parser) list(stop func(token) bool) ([]*element, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.errorAt(p.peek(), "the formula is nested too deeply")
	}
	outer := p.alphabet
	defer func() { p.depth--; p.alphabet = outer }()
	var all []*element
	for {
		t := p.peek()
		switch {
		case stop(t):
			return all, nil
		case t.kind == end:
			return nil, p.errorAt(t, "the formula ends too early")
		case t.is("}"):
			return nil, p.errorAt(t, "} closes nothing")
		case t.is("&"):
			return nil, p.errorAt(t, "& stands outside a matrix or an aligned environment")
		case t.isCommand("over"), t.isCommand("choose"), t.isCommand("atop"):
			p.next()
			below, err := p.list(stop)
			if err != nil {
				return nil, err
			}
			return []*element{stacked(t.text, row(all), row(below))}, nil
		}
		if t.kind == command {
			if m, ok := p.macros.defined[t.text]; ok {
				p.next()
				if err := p.expand(t, m); err != nil {
					return nil, err
				}
				continue
			}
			if style, ok := styleSwitches[t.text]; ok {
				p.next()
				rest, err := p.list(stop)
				if err != nil {
					return nil, err
				}
				return append(all, node("mstyle", rest...).with(style)), nil
			}
			if a, ok := alphabetSwitches[t.text]; ok {
				p.next()
				p.alphabet = a
				continue
			}
		}
		e, err := p.atom()
		if err != nil {
			return nil, err
		}
		if e == nil {
			continue
		}
		function := e.function
		if e, err = p.scripts(e); err != nil {
			return nil, err
		}
		if function && len(all) > 0 && !unspaced[all[len(all)-1].name] {
			all = append(all, space("0.1667em"))
		}
		all = append(all, e)
		if function && p.beforeOperand(stop) {
			all = append(all, space("0.1667em"))
		}
	}
}

// unspaced are elements behind which the name of a function needs no space.
var unspaced = map[string]bool{"mo": true, "mspace": true}

// beforeOperand reports whether a letter, a number or the like comes next,
// which the name of a function stands off from.
func (p *parser) beforeOperand(stop func(token) bool) bool {
	t := p.peek()
	switch {
	case stop(t), t.kind == end:
		return false
	case t.kind == char:
		r, _ := utf8.DecodeRuneInString(t.text)
		return t.text == "{" || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if s, ok := tables().symbols[t.text]; ok {
		return s.name == "mi" && !s.function
	}
	return t.text == "frac" || t.text == "sqrt" || alphabetCommands[t.text] != 0
}

// stacked is the fraction of \over, \choose and \atop.
func stacked(how string, above, below *element) *element {
	switch how {
	case "over":
		return node("mfrac", above, below)
	case "choose":
		return fenced("(", node("mfrac", above, below).with(` linethickness="0"`), ")")
	}
	return node("mfrac", above, below).with(` linethickness="0"`)
}

// atom parses one element without scripts; nil is something that shows
// nothing.
func (p *parser) atom() (*element, error) {
	t := p.peek()
	switch {
	case t.is("{"):
		body, err := p.argument()
		if err != nil {
			return nil, err
		}
		if body.name == "mrow" || len(body.kids) > 0 {
			return body, nil
		}
		return node("mrow", body), nil
	case t.kind == end:
		return nil, p.errorAt(t, "the formula ends too early")
	case t.is("^"), t.is("_"), t.is("'"):
		return node("mrow"), nil // scripts of nothing
	case t.kind == command:
		p.next()
		return p.command(t)
	case t.text[0] >= '0' && t.text[0] <= '9':
		return p.numeral(), nil
	}
	p.next()
	return p.character(t), nil
}

// numeral reads digits with a decimal point.
func (p *parser) numeral() *element {
	var out strings.Builder
	for first := true; ; first = false {
		t := p.peek()
		digit := t.kind == char && t.text[0] >= '0' && t.text[0] <= '9'
		point := t.is(".") && p.at+1 < len(p.tokens) && p.tokens[p.at+1].kind == char && p.tokens[p.at+1].text[0] >= '0' && p.tokens[p.at+1].text[0] <= '9'
		if !digit && !point || t.spaced && !first {
			break
		}
		out.WriteString(t.text)
		p.next()
	}
	return mn(p.alphabet.write(out.String()))
}

// character is one letter, operator or other sign.
func (p *parser) character(t token) *element {
	r, _ := utf8.DecodeRuneInString(t.text)
	switch {
	case t.text == "-":
		return mo("−")
	case t.text == "*":
		return mo("∗")
	case t.text == ":":
		return mo(":").with(` lspace="0.2778em" rspace="0.2778em"`)
	case t.text == "~":
		return space("0.3333em")
	case strings.ContainsRune("()[]|/", r):
		return mo(t.text).with(` stretchy="false"`)
	case unicode.IsLetter(r):
		return p.alphabet.letter(t.text)
	case unicode.IsDigit(r):
		return mn(t.text)
	case r < 128 || unicode.Is(unicode.Sm, r) || unicode.IsPunct(r):
		return mo(t.text)
	}
	return upright(t.text)
}

// scripts reads what follows an element: ^, _, primes and \limits.
func (p *parser) scripts(base *element) (*element, error) {
	var sub, sup *element
	primes := 0
	for {
		t := p.peek()
		switch {
		case t.isCommand("limits"):
			p.next()
			base.limits = withLimits
		case t.isCommand("nolimits"):
			p.next()
			base.limits = noLimits
		case t.is("'"):
			if sup != nil {
				return nil, p.errorAt(t, "two superscripts: put braces around one")
			}
			p.next()
			primes++
		case t.is("^"), t.is("_"):
			if t.is("^") && sup != nil || t.is("_") && sub != nil {
				return nil, p.errorAt(t, "two scripts in one place: put braces around one")
			}
			p.next()
			script, err := p.script()
			if err != nil {
				return nil, err
			}
			if t.is("^") {
				sup = script
			} else {
				sub = script
			}
		default:
			return scripted(base, sub, withPrimes(primes, sup)), nil
		}
	}
}

// script is the argument of ^ or _: a group, or one atom with its arguments.
func (p *parser) script() (*element, error) {
	t := p.peek()
	if m, ok := p.macros.defined[t.text]; ok && t.kind == command {
		p.next()
		if err := p.expand(t, m); err != nil {
			return nil, err
		}
		return p.script()
	}
	switch {
	case t.kind == end || t.is("}") || t.is("&") || t.is("^") || t.is("_"):
		return nil, p.errorAt(t, "a script is missing")
	case t.kind == char && t.text[0] >= '0' && t.text[0] <= '9': // x^23 is x squared, then 3
		p.next()
		return mn(p.alphabet.write(t.text)), nil
	}
	e, err := p.atom()
	if err == nil && e == nil {
		e = node("mrow")
	}
	return e, err
}

func withPrimes(n int, sup *element) *element {
	if n == 0 {
		return sup
	}
	marks := map[int]string{1: "′", 2: "″", 3: "‴", 4: "⁗"}
	text := marks[n]
	if text == "" {
		text = strings.Repeat("′", min(n, 50))
	}
	if sup == nil {
		return mo(text)
	}
	return node("mrow", mo(text), sup)
}

// scripted puts scripts at a base.
func scripted(base, sub, sup *element) *element {
	if sub == nil && sup == nil {
		return base
	}
	below, above, both := "msub", "msup", "msubsup"
	if base.limits != noLimits {
		below, above, both = "munder", "mover", "munderover"
		if base.name == "mo" && base.limits == movable && !strings.Contains(base.attrs, "movablelimits") {
			base.attrs += ` movablelimits="true"`
		}
		if base.name == "mo" && base.limits == withLimits {
			base.attrs = strings.ReplaceAll(base.attrs, ` movablelimits="true"`, "") + ` movablelimits="false"`
		}
	}
	switch {
	case sup == nil:
		return node(below, base, sub)
	case sub == nil:
		return node(above, base, sup)
	}
	return node(both, base, sub, sup)
}
