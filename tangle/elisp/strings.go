package elisp

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var stringFuncs = map[Symbol]builtin{
	"concat":         between(0, -1, concat),
	"format":         between(1, -1, format),
	"format-message": between(1, -1, format),
	"string": between(0, -1, func(a []Value) (Value, error) {
		return concat([]Value{List(a...)})
	}),
	"char-to-string": fixed(1, func(a []Value) (Value, error) { return concat([]Value{List(a...)}) }),
	"make-string": between(2, 3, func(a []Value) (Value, error) {
		n, ok := a[0].(Int)
		c, ok2 := a[1].(Int)
		if !ok || !ok2 || n < 0 || n > maxText {
			return nil, wrongType("a length and a character", List(a...))
		}
		return String(strings.Repeat(string(rune(c)), int(n))), nil
	}),
	"upcase":     text(strings.ToUpper),
	"downcase":   text(strings.ToLower),
	"capitalize": text(capitalize),
	"upcase-initials": text(func(s string) string {
		return eachWord(s, func(r rune, first bool) rune {
			if first {
				return unicode.ToTitle(r)
			}
			return r
		})
	}),
	"string-trim":       between(1, 3, trimmer(true, true)),
	"string-trim-left":  between(1, 2, trimmer(true, false)),
	"string-trim-right": between(1, 2, trimmer(false, true)),
	"string-empty-p":    stringTest(1, func(s []string) bool { return s[0] == "" }),
	"string-blank-p":    stringTest(1, func(s []string) bool { return strings.TrimSpace(s[0]) == "" }),
	"string=":           stringTest(2, func(s []string) bool { return s[0] == s[1] }),
	"string-equal":      stringTest(2, func(s []string) bool { return s[0] == s[1] }),
	"string<":           stringTest(2, func(s []string) bool { return s[0] < s[1] }),
	"string-lessp":      stringTest(2, func(s []string) bool { return s[0] < s[1] }),
	"string>":           stringTest(2, func(s []string) bool { return s[0] > s[1] }),
	"string-prefix-p":   between(2, 3, affix(strings.HasPrefix)),
	"string-suffix-p":   between(2, 3, affix(strings.HasSuffix)),
	"string-remove-prefix": fixed(2, func(a []Value) (Value, error) {
		s, err := texts(a)
		if err != nil {
			return nil, err
		}
		return String(strings.TrimPrefix(s[1], s[0])), nil
	}),
	"string-remove-suffix": fixed(2, func(a []Value) (Value, error) {
		s, err := texts(a)
		if err != nil {
			return nil, err
		}
		return String(strings.TrimSuffix(s[1], s[0])), nil
	}),
	"string-replace": fixed(3, func(a []Value) (Value, error) {
		s, err := texts(a)
		if err != nil {
			return nil, err
		}
		if s[0] == "" {
			return nil, failf("string-replace: the text to replace is empty")
		}
		return bounded(strings.ReplaceAll(s[2], s[0], s[1]))
	}),
	"string-join": between(1, 2, func(a []Value) (Value, error) {
		items, err := sequence(a[0])
		if err != nil {
			return nil, err
		}
		separator := ""
		if len(a) == 2 && !IsNil(a[1]) {
			s, ok := a[1].(String)
			if !ok {
				return nil, wrongType("a string", a[1])
			}
			separator = string(s)
		}
		return joinStrings(items, separator)
	}),
	"string-pad": between(2, 4, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		n, ok2 := a[1].(Int)
		if !ok || !ok2 || n < 0 || n > maxText {
			return nil, wrongType("a string and a length", List(a...))
		}
		return String(string(s) + strings.Repeat(" ", max(0, int(n)-utf8.RuneCountInString(string(s))))), nil
	}),
	"substring": between(1, 3, substring),
	"number-to-string": fixed(1, func(a []Value) (Value, error) {
		if _, ok := number(a[0]); !ok {
			return nil, wrongType("a number", a[0])
		}
		return String(Print(a[0])), nil
	}),
	"string-to-number": between(1, 2, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a string", a[0])
		}
		base := 10
		if len(a) == 2 {
			n, ok := a[1].(Int)
			if !ok || n < 2 || n > 16 {
				return nil, wrongType("a base from 2 to 16", a[1])
			}
			base = int(n)
		}
		return leadingNumber(string(s), base), nil
	}),
	"prin1-to-string": between(1, 2, func(a []Value) (Value, error) { return String(Print(a[0])), nil }),
	"shell-quote-argument": between(1, 2, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a string", a[0])
		}
		return String(shellQuote(string(s))), nil
	}),
}

// texts converts arguments to strings; a symbol counts as its name, as it does
// for string= and its kin.
func texts(args []Value) ([]string, error) {
	out := make([]string, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case String:
			out[i] = string(v)
		case Symbol:
			out[i] = string(v)
		default:
			return nil, wrongType("a string", arg)
		}
	}
	return out, nil
}

func text(change func(string) string) builtin {
	return fixed(1, func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a string", a[0])
		}
		return String(change(string(s))), nil
	})
}

func stringTest(n int, test func([]string) bool) builtin {
	return fixed(n, func(a []Value) (Value, error) {
		s, err := texts(a)
		if err != nil {
			return nil, err
		}
		return boolean(test(s)), nil
	})
}

// affix tests (string-prefix-p PREFIX STRING IGNORE-CASE) and its mirror.
func affix(test func(s, affix string) bool) Func {
	return func(a []Value) (Value, error) {
		s, err := texts(a[:2])
		if err != nil {
			return nil, err
		}
		if len(a) == 3 && !IsNil(a[2]) {
			s[0], s[1] = strings.ToLower(s[0]), strings.ToLower(s[1])
		}
		return boolean(test(s[1], s[0])), nil
	}
}

func trimmer(left, right bool) Func {
	return func(a []Value) (Value, error) {
		s, ok := a[0].(String)
		if !ok {
			return nil, wrongType("a string", a[0])
		}
		for _, custom := range a[1:] {
			if !IsNil(custom) {
				return nil, failf("string-trim with a pattern is not supported")
			}
		}
		out := string(s)
		if left {
			out = strings.TrimLeft(out, " \t\n\r")
		}
		if right {
			out = strings.TrimRight(out, " \t\n\r")
		}
		return String(out), nil
	}
}

// concat joins strings, lists of characters and vectors of characters.
func concat(args []Value) (Value, error) {
	var b strings.Builder
	for _, arg := range args {
		if s, ok := arg.(String); ok {
			b.WriteString(string(s))
		} else {
			chars, err := sequence(arg)
			if err != nil {
				return nil, wrongType("a string", arg)
			}
			for _, c := range chars {
				r, ok := c.(Int)
				if !ok || r < 0 || r > unicode.MaxRune {
					return nil, wrongType("a character", c)
				}
				b.WriteRune(rune(r))
			}
		}
		if b.Len() > maxText {
			return nil, failf("the text is longer than %d bytes", maxText)
		}
	}
	return String(b.String()), nil
}

func bounded(s string) (Value, error) {
	if len(s) > maxText {
		return nil, failf("the text is longer than %d bytes", maxText)
	}
	return String(s), nil
}

func joinStrings(items []Value, separator string) (Value, error) {
	parts := make([]string, len(items))
	size := 0
	for i, item := range items {
		s, err := concat([]Value{item})
		if err != nil {
			return nil, err
		}
		parts[i] = string(s.(String))
		if size += len(parts[i]) + len(separator); size > maxText {
			return nil, failf("the text is longer than %d bytes", maxText)
		}
	}
	return String(strings.Join(parts, separator)), nil
}

// substring counts in characters; negative indices count from the end.
func substring(a []Value) (Value, error) {
	s, ok := a[0].(String)
	if !ok {
		return nil, wrongType("a string", a[0])
	}
	runes := []rune(s)
	bounds := [2]int{0, len(runes)}
	for i, arg := range a[1:] {
		if IsNil(arg) {
			continue
		}
		n, ok := arg.(Int)
		if !ok {
			return nil, wrongType("an integer", arg)
		}
		if n < 0 {
			n += Int(len(runes))
		}
		if n < 0 || int(n) > len(runes) {
			return nil, failf("substring: no character %s in %s", Print(arg), abbreviate(Print(s)))
		}
		bounds[i] = int(n)
	}
	if bounds[0] > bounds[1] {
		return nil, failf("substring: the start is behind the end")
	}
	return String(runes[bounds[0]:bounds[1]]), nil
}

func capitalize(s string) string {
	return eachWord(s, func(r rune, first bool) rune {
		if first {
			return unicode.ToTitle(r)
		}
		return unicode.ToLower(r)
	})
}

// eachWord maps the letters of s, telling which of them begin a word.
func eachWord(s string, change func(r rune, first bool) rune) string {
	inside := false
	return strings.Map(func(r rune) rune {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		first := word && !inside
		inside = word
		if !word {
			return r
		}
		return change(r, first)
	}, s)
}

// leadingNumber is string-to-number: what the text begins with, or 0.
func leadingNumber(s string, base int) Value {
	s = strings.TrimLeft(s, " \t")
	if base != 10 {
		n := 0
		for n < len(s) && (isDigit(s[n], base) || n == 0 && (s[0] == '-' || s[0] == '+')) {
			n++
		}
		v, _ := strconv.ParseInt(s[:n], base, 64)
		return Int(v)
	}
	for n := len(s); n > 0; n-- {
		if strings.IndexByte("0123456789.", s[n-1]) < 0 {
			continue
		}
		if v, ok := parseNumber(s[:n]); ok {
			return v
		}
	}
	return Int(0)
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '9':
		return int(c-'0') < base
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return int(c|0x20-'a')+10 < base
	}
	return false
}

// shellQuote puts a backslash before everything a POSIX shell might read as
// more than text.
func shellQuote(s string) string {
	if s == "" {
		return "''"
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n':
			b.WriteString("'\n'")
			continue
		case c < 0x80 && !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') && strings.IndexByte("-_./,:+=@%", c) < 0:
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// format is Emacs's format: %s %S %d %o %x %X %c %f %e %g %%, with flags,
// width, precision and field numbers.
func format(args []Value) (Value, error) {
	control, ok := args[0].(String)
	if !ok {
		return nil, wrongType("a format string", args[0])
	}
	var b strings.Builder
	next := 1
	s := string(control)
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		directive, n, bad := parseDirective(s[i:])
		if bad != nil {
			return nil, bad
		}
		i += n - 1
		if directive.verb == '%' {
			b.WriteByte('%')
			continue
		}
		if directive.field > 0 {
			next = directive.field
		}
		if next >= len(args) {
			return nil, failf("format: not enough arguments for %q", s)
		}
		text, err := directive.render(args[next])
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
		if b.Len() > maxText {
			return nil, failf("the text is longer than %d bytes", maxText)
		}
		next++
	}
	return String(b.String()), nil
}

// directive is one % of a format string.
type directive struct {
	field           int
	flags           string
	width, decimals int // decimals is -1 when not given
	verb            byte
}

func parseDirective(s string) (directive, int, *Error) {
	d := directive{decimals: -1}
	i := 1
	digits := func() (int, bool) {
		from := i
		n := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' && n < 1e5 {
			n = n*10 + int(s[i]-'0')
			i++
		}
		return n, i > from
	}
	if n, some := digits(); some && i < len(s) && s[i] == '$' {
		d.field = n
		i++
	} else {
		i = 1
	}
	for i < len(s) && strings.IndexByte("-+ #0", s[i]) >= 0 {
		d.flags += s[i : i+1]
		i++
	}
	d.width, _ = digits()
	if i < len(s) && s[i] == '.' {
		i++
		d.decimals, _ = digits()
	}
	if i == len(s) {
		return d, i, failf("format: the text ends inside a directive")
	}
	d.verb = s[i]
	if strings.IndexByte("sSdoxXcfeg%", d.verb) < 0 {
		return d, i, failf("format: unknown directive %%%c", d.verb)
	}
	return d, i + 1, nil
}

func (d directive) has(flag string) bool { return strings.Contains(d.flags, flag) }

func (d directive) render(v Value) (string, error) {
	switch d.verb {
	case 's', 'S':
		text := Princ(v)
		if d.verb == 'S' {
			text = Print(v)
		}
		if d.decimals >= 0 && utf8.RuneCountInString(text) > d.decimals {
			text = string([]rune(text)[:d.decimals])
		}
		return d.pad(text, " "), nil
	case 'c':
		c, ok := v.(Int)
		if !ok {
			return "", wrongType("a character", v)
		}
		return d.pad(string(rune(c)), " "), nil
	}
	f, ok := number(v)
	if !ok {
		return "", failf("format: %%%c needs a number, found %s", d.verb, abbreviate(Print(v)))
	}
	text := ""
	switch d.verb {
	case 'd', 'o', 'x', 'X':
		n, whole := v.(Int)
		if !whole {
			if math.Abs(f) > 1<<62 || math.IsNaN(f) {
				return "", failf("format: the number does not fit in 64 bits")
			}
			n = Int(math.Trunc(f))
		}
		base := map[byte]int{'d': 10, 'o': 8, 'x': 16, 'X': 16}[d.verb]
		text = strconv.FormatInt(int64(n), base)
		if d.verb == 'X' {
			text = strings.ToUpper(text)
		}
		if prefix := map[byte]string{'o': "0", 'x': "0x", 'X': "0X"}[d.verb]; d.has("#") && n != 0 {
			text = prefix + text
		}
		if d.decimals > len(text) {
			text = strings.Repeat("0", d.decimals-len(text)) + text
		}
	default:
		decimals := d.decimals
		if decimals < 0 {
			decimals = 6
		}
		if d.verb == 'g' {
			text = formatG(f, max(1, decimals))
		} else {
			text = strconv.FormatFloat(f, d.verb, decimals, 64)
		}
	}
	if text[0] != '-' {
		if d.has("+") {
			text = "+" + text
		} else if d.has(" ") {
			text = " " + text
		}
	}
	filler := " "
	if d.has("0") && !d.has("-") {
		filler = "0"
	}
	return d.pad(text, filler), nil
}

// pad fills text to the width; zeros go between sign and digits.
func (d directive) pad(text, filler string) string {
	missing := d.width - utf8.RuneCountInString(text)
	switch {
	case missing <= 0:
		return text
	case d.has("-"):
		return text + strings.Repeat(" ", missing)
	case filler == "0" && strings.IndexByte("+- ", text[0]) >= 0:
		return text[:1] + strings.Repeat("0", missing) + text[1:]
	}
	return strings.Repeat(filler, missing) + text
}
