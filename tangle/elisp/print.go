package elisp

import (
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Print is the readable form of v, what Emacs's %S and prin1 give.
func Print(v Value) string {
	var b strings.Builder
	write(&b, v, true)
	return b.String()
}

// Princ is the form for people, what Emacs's %s and princ give: strings and
// symbols stand bare.
func Princ(v Value) string {
	var b strings.Builder
	write(&b, v, false)
	return b.String()
}

func write(b *strings.Builder, v Value, readable bool) {
	switch v := v.(type) {
	case nil:
		b.WriteString("nil")
	case Int:
		b.WriteString(strconv.FormatInt(int64(v), 10))
	case Big:
		b.WriteString(strconv.FormatUint(uint64(v), 10))
	case Float:
		b.WriteString(formatFloat(float64(v)))
	case String:
		if readable {
			writeString(b, string(v))
		} else {
			b.WriteString(string(v))
		}
	case Symbol:
		if readable {
			writeSymbol(b, string(v))
		} else {
			b.WriteString(string(v))
		}
	case Vector:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(' ')
			}
			write(b, item, readable)
		}
		b.WriteByte(']')
	case *Cons:
		writeList(b, v, readable)
	default:
		b.WriteString(v.String())
	}
}

// writeList prints a list, with the reader's short forms for quotes.
func writeList(b *strings.Builder, c *Cons, readable bool) {
	if short, ok := quotePrefix(c); ok {
		b.WriteString(short)
		write(b, Car(c.Cdr), readable)
		return
	}
	b.WriteByte('(')
	for {
		write(b, c.Car, readable)
		next, ok := c.Cdr.(*Cons)
		if !ok {
			break
		}
		b.WriteByte(' ')
		c = next
	}
	if !IsNil(c.Cdr) {
		b.WriteString(" . ")
		write(b, c.Cdr, readable)
	}
	b.WriteByte(')')
}

// quotePrefix recognises (quote x) and its kin, which print as 'x.
func quotePrefix(c *Cons) (string, bool) {
	name, ok := c.Car.(Symbol)
	rest, one := c.Cdr.(*Cons)
	if !ok || !one || !IsNil(rest.Cdr) {
		return "", false
	}
	switch name {
	case "quote":
		return "'", true
	case "function":
		return "#'", true
	case "`":
		return "`", true
	case ",", ",@":
		return string(name), true
	}
	return "", false
}

// writeString quotes as prin1 does: only the quote and the backslash are
// escaped, newlines and tabs stand as they are.
func writeString(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
}

func writeSymbol(b *strings.Builder, name string) {
	if name == "" {
		b.WriteString("##")
		return
	}
	first, _ := utf8.DecodeRuneInString(name)
	if (looksLikeNumber(name) || first == '?') && !symbolNeedsEscape(first) {
		b.WriteByte('\\')
	}
	for _, r := range name {
		if symbolNeedsEscape(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
}

// formatFloat prints the fewest digits, at least fifteen significant ones
// considered, that read back as the same double.
func formatFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "1.0e+INF"
	case math.IsInf(f, -1):
		return "-1.0e+INF"
	case math.IsNaN(f):
		if math.Signbit(f) {
			return "-0.0e+NaN"
		}
		return "0.0e+NaN"
	}
	s := ""
	for digits := 15; digits <= 17; digits++ {
		s = formatG(f, digits)
		if back, err := strconv.ParseFloat(s, 64); err == nil && back == f {
			break
		}
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// formatG is C's %.{digits}g.
func formatG(f float64, digits int) string {
	if f == 0 {
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	scientific := strconv.FormatFloat(f, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(scientific, "e")
	exp, _ := strconv.Atoi(exponent)
	if exp < -4 || exp >= digits {
		return trimZeros(mantissa) + "e" + exponent
	}
	return trimZeros(strconv.FormatFloat(f, 'f', digits-1-exp, 64))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Text is text bare and anything else readable, the usual way to put a value
// into a program.
func Text(v Value) string {
	if s, ok := v.(String); ok {
		return string(s)
	}
	return Print(v)
}

// printFuncs write to the Env's Out.
var printFuncs = map[Symbol]builtin{
	"princ":   printer("", Princ, ""),
	"prin1":   printer("", Print, ""),
	"print":   printer("\n", Print, "\n"),
	"terpri":  {min: 0, max: 2, run: func(m *machine, _ []Value, _ int) (Value, error) { return T, m.print("\n") }},
	"message": between(1, -1, format),
}

func printer(before string, text func(Value) string, after string) builtin {
	return builtin{min: 1, max: 2, run: func(m *machine, args []Value, _ int) (Value, error) {
		return args[0], m.print(before + text(args[0]) + after)
	}}
}

func (m *machine) print(text string) error {
	if m.printed += len(text); m.printed > maxText {
		return failf("the form prints more than %d bytes", maxText)
	}
	if m.env.Out == nil {
		return nil
	}
	_, err := io.WriteString(m.env.Out, text)
	return err
}
