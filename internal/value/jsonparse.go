package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"wb/internal/clip"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 1000

// JSONError is text that is not JSON; Offset counts bytes from the start and
// points at the first byte that is wrong.
type JSONError struct {
	Offset  int64
	Message string
}

func (e *JSONError) Error() string { return fmt.Sprintf("json at byte %d: %s", e.Offset, e.Message) }

// Position is the place of the error in the text it was found in: line and
// column from 1, the column in bytes.
func (e *JSONError) Position(text []byte) (line, col int) {
	before := string(text[:min(int(e.Offset), len(text))])
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

// ParseJSON reads one JSON value (RFC 8259) and nothing after it. Whole numbers
// that fit 64 bits become Int, others Float; members keep their order; of
// duplicate members the last counts. Invalid UTF-8 and lone surrogates become
// U+FFFD. Errors are *JSONError. The value's strings share one copy of data.
func ParseJSON(data []byte) (Value, error) {
	p := &jsonParser{text: string(data)}
	v, err := p.value(0)
	if err == nil && p.peek() != 0 {
		err = p.fail("%s after the value", p.found())
	}
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

type jsonParser struct {
	text string
	at   int
	// Lists and objects grow here, one above the other, until they end and
	// move to a slice of their size.
	items  []Value
	fields []Field
}

func (p *jsonParser) fail(format string, args ...any) error {
	return &JSONError{int64(p.at), fmt.Sprintf(format, args...)}
}

// peek skips blanks and returns the next byte, 0 at the end. A zero byte in
// the text is left for the caller to stumble on.
func (p *jsonParser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\n', '\t', '\r':
			p.at++
		case 0:
			return 1
		default:
			return c
		}
	}
	return 0
}

// found describes what stands at the cursor.
func (p *jsonParser) found() string {
	if p.at >= len(p.text) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.QuoteRune(r)
}

func (p *jsonParser) value(depth int) (Value, error) {
	switch c := p.peek(); {
	case c == '"':
		text, err := p.string()
		return OfString(text), err
	case c == '[' || c == '{':
		if depth == maxDepth {
			return Value{}, p.fail("nested deeper than %d levels", maxDepth)
		}
		if c == '[' {
			return p.list(depth)
		}
		return p.object(depth)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return OfBool(true), p.word("true")
	case c == 'f':
		return OfBool(false), p.word("false")
	case c == 'n':
		return Nil(), p.word("null")
	}
	return Value{}, p.fail("expected a value, found %s", p.found())
}

func (p *jsonParser) word(word string) error {
	if strings.HasPrefix(p.text[p.at:], word) {
		p.at += len(word)
		return nil
	}
	return p.fail("expected %s", word)
}

func (p *jsonParser) list(depth int) (Value, error) {
	p.at++
	if p.peek() == ']' {
		p.at++
		return OfList(), nil
	}
	bottom := len(p.items)
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		p.items = append(p.items, item)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			v := OfList(slices.Clone(p.items[bottom:])...)
			p.items = p.items[:bottom]
			return v, nil
		default:
			return Value{}, p.fail(`expected "," or "]", found %s`, p.found())
		}
	}
}

func (p *jsonParser) object(depth int) (Value, error) {
	p.at++
	if p.peek() == '}' {
		p.at++
		return OfObject(), nil
	}
	bottom := len(p.fields)
	for {
		if p.peek() != '"' {
			return Value{}, p.fail("expected a member's name in quotes, found %s", p.found())
		}
		name, err := p.string()
		if err != nil {
			return Value{}, err
		}
		if p.peek() != ':' {
			return Value{}, p.fail(`expected ":", found %s`, p.found())
		}
		p.at++
		member, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		p.fields = append(p.fields, Field{name, member})
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			v := OfObject(withoutRepeats(slices.Clone(p.fields[bottom:]))...)
			p.fields = p.fields[:bottom]
			return special(v), nil
		default:
			return Value{}, p.fail(`expected "," or "}", found %s`, p.found())
		}
	}
}

// withoutRepeats keeps the last value of each member at the place of the first,
// in fields itself. Few members are compared one by one, many are looked up.
func withoutRepeats(fields []Field) []Field {
	const few = 16
	kept := fields[:0]
	var at map[string]int
	for _, f := range fields {
		i := -1
		if at != nil {
			if k, seen := at[f.Name]; seen {
				i = k
			}
		} else {
			i = slices.IndexFunc(kept, func(k Field) bool { return k.Name == f.Name })
		}
		if i >= 0 {
			kept[i] = f
			continue
		}
		kept = append(kept, f)
		if at != nil {
			at[f.Name] = len(kept) - 1
		} else if len(kept) > few {
			at = make(map[string]int, len(fields))
			for k := range kept {
				at[kept[k].Name] = k
			}
		}
	}
	return kept
}

// number reads -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][-+]?[0-9]+)?.
func (p *jsonParser) number() (Value, error) {
	start, whole := p.at, true
	if p.text[p.at] == '-' {
		p.at++
	}
	zero := p.at < len(p.text) && p.text[p.at] == '0'
	if n := p.digits(); n == 0 || zero && n > 1 {
		if n > 0 {
			p.at = p.at - n + 1
			return Value{}, p.fail("a number does not start with 0")
		}
		return Value{}, p.fail("expected a digit, found %s", p.found())
	}
	if p.at < len(p.text) && p.text[p.at] == '.' {
		p.at++
		if whole = false; p.digits() == 0 {
			return Value{}, p.fail("expected a digit, found %s", p.found())
		}
	}
	if p.at < len(p.text) && p.text[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.text) && (p.text[p.at] == '-' || p.text[p.at] == '+') {
			p.at++
		}
		if whole = false; p.digits() == 0 {
			return Value{}, p.fail("expected a digit, found %s", p.found())
		}
	}
	text := p.text[start:p.at]
	if whole && text != "-0" {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return OfInt(i), nil
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return OfUint(u), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		p.at = start
		return Value{}, p.fail("number %s is too large", clip.Bytes(text, 40))
	}
	return OfFloat(f), nil
}

// digits skips digits and counts them.
func (p *jsonParser) digits() int {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - start
}

// string reads a string; the cursor is at its opening quote.
func (p *jsonParser) string() (string, error) {
	open := p.at
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return validText(p.text[start : p.at-1]), nil
		case c == '\\':
			return p.escapedString(open, start)
		case c < 0x20:
			return "", p.fail("control character %s in a string", p.found())
		}
		p.at++
	}
	return "", p.unclosed(open)
}

// validText replaces each byte that is not UTF-8 by U+FFFD.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func (p *jsonParser) unclosed(open int) error {
	p.at = open
	return p.fail("string is not closed")
}

// escapedString is string for what has escapes, from the first one on.
func (p *jsonParser) escapedString(open, start int) (string, error) {
	text := append([]byte(nil), p.text[start:p.at]...)
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return validText(string(text)), nil
		case c < 0x20:
			return "", p.fail("control character %s in a string", p.found())
		case c != '\\':
			text = append(text, c)
			p.at++
		default:
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			text = utf8.AppendRune(text, r)
		}
	}
	return "", p.unclosed(open)
}

// escape reads an escape; two that are a pair of surrogates count as one.
func (p *jsonParser) escape() (rune, error) {
	if p.at+1 < len(p.text) {
		if i := strings.IndexByte(`"\/bfnrt`, p.text[p.at+1]); i >= 0 {
			p.at += 2
			return rune("\"\\/\b\f\n\r\t"[i]), nil
		}
	}
	r, ok := hexEscape(p.text[p.at:])
	if !ok {
		return 0, p.fail("unknown escape in a string")
	}
	p.at += 6
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if low, ok := hexEscape(p.text[p.at:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			p.at += 6
			return pair, nil
		}
	}
	return utf8.RuneError, nil
}

// hexEscape reads \uXXXX.
func hexEscape(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}
