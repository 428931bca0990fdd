package elisp

import (
	"regexp"
	"strings"
)

// lastMatch is the match that match-string and match-beginning refer to.
type lastMatch struct {
	text   string
	groups []int
}

var regexpFuncs = map[Symbol]builtin{
	"regexp-quote": text(quoteRegexp),
	"string-match": {min: 2, max: 4, run: func(m *machine, a []Value, _ int) (Value, error) { return m.stringMatch(a, true) }},
	"string-match-p": {min: 2, max: 3, run: func(m *machine, a []Value, _ int) (Value, error) {
		return m.stringMatch(a, false)
	}},
	"match-string": {min: 1, max: 2, run: func(m *machine, a []Value, _ int) (Value, error) {
		n, ok := a[0].(Int)
		if !ok || n < 0 || int(n) >= len(m.match.groups)/2 || m.match.groups[2*n] < 0 {
			return Nil, nil
		}
		return String(m.match.text[m.match.groups[2*n]:m.match.groups[2*n+1]]), nil
	}},
	"replace-regexp-in-string": between(3, 7, func(a []Value) (Value, error) {
		for _, extra := range a[min(len(a), 5):] {
			if !IsNil(extra) {
				return nil, failf("replace-regexp-in-string takes 5 arguments here, given %d", len(a))
			}
		}
		s, err := texts(a[:3])
		if err != nil {
			return nil, err
		}
		re, err := compile(s[0])
		if err != nil {
			return nil, err
		}
		literal := len(a) == 5 && !IsNil(a[4])
		replace := s[1]
		if !literal {
			replace = translateReplacement(s[1])
		}
		if literal {
			return bounded(re.ReplaceAllLiteralString(s[2], replace))
		}
		return bounded(re.ReplaceAllString(s[2], replace))
	}),
	"split-string": between(1, 4, splitString),
}

func (m *machine) stringMatch(a []Value, remember bool) (Value, error) {
	s, err := texts(a[:2])
	if err != nil {
		return nil, err
	}
	if len(a) > 2 && !IsNil(a[2]) && a[2] != Int(0) {
		return nil, failf("string-match with a start is not supported")
	}
	re, err := compile(s[0])
	if err != nil {
		return nil, err
	}
	groups := re.FindStringSubmatchIndex(s[1])
	if remember {
		m.match = lastMatch{s[1], groups}
	}
	if groups == nil {
		return Nil, nil
	}
	return Int(len([]rune(s[1][:groups[0]]))), nil
}

// splitString is split-string: by white space and without empty parts, or by
// a pattern and, unless the third argument says so, with them.
func splitString(a []Value) (Value, error) {
	s, ok := a[0].(String)
	if !ok {
		return nil, wrongType("a string", a[0])
	}
	if len(a) == 4 && !IsNil(a[3]) {
		return nil, failf("split-string with a trim pattern is not supported")
	}
	var parts []string
	if len(a) == 1 || IsNil(a[1]) {
		parts = strings.FieldsFunc(string(s), func(r rune) bool { return strings.ContainsRune(" \f\t\n\r\v", r) })
	} else {
		pattern, ok := a[1].(String)
		if !ok {
			return nil, wrongType("a pattern", a[1])
		}
		re, err := compile(string(pattern))
		if err != nil {
			return nil, err
		}
		parts = re.Split(string(s), -1)
	}
	omit := len(a) >= 3 && !IsNil(a[2])
	items := make([]Value, 0, len(parts))
	for _, part := range parts {
		if part != "" || !omit {
			items = append(items, String(part))
		}
	}
	return List(items...), nil
}

func quoteRegexp(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`[*.\?+^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// compile translates an Emacs regexp. Matching ignores case, as it does in
// Emacs by default.
func compile(pattern string) (*regexp.Regexp, error) {
	translated, bad := translate(pattern)
	if bad != nil {
		return nil, bad
	}
	re, e := regexp.Compile("(?im:" + translated + ")")
	if e != nil {
		return nil, failf("the pattern %q is not valid", pattern)
	}
	return re, nil
}

// translate rewrites Emacs's syntax, where \( groups and ( is a character, to
// RE2's.
func translate(p string) (string, *Error) {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '(', ')', '|', '{', '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '[':
			end := classEnd(p[i:])
			if end < 0 {
				return "", failf("the pattern %q has an open bracket", p)
			}
			class := p[i : i+end]
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(class, `\`, `\\`), "[]", `[\]`))
			i += end - 1
		case '\\':
			i++
			if i == len(p) {
				return "", failf("the pattern %q ends in a backslash", p)
			}
			switch e := p[i]; e {
			case '(', ')', '|', '{', '}', 'w', 'W', 'b', 'B':
				if e == 'w' || e == 'W' || e == 'b' || e == 'B' {
					b.WriteByte('\\')
				}
				b.WriteByte(e)
			case '`':
				b.WriteString(`\A`)
			case '\'':
				b.WriteString(`\z`)
			case '<', '>':
				b.WriteString(`\b`)
			case '_':
				i++
				b.WriteString(`\b`)
			case 's', 'S':
				i++
				if i == len(p) || p[i] != '-' && p[i] != ' ' {
					return "", failf("the pattern %q uses a syntax class that is not supported", p)
				}
				b.WriteByte('\\')
				b.WriteByte(e)
			case '1', '2', '3', '4', '5', '6', '7', '8', '9':
				return "", failf("the pattern %q refers back to a group, which is not supported", p)
			default:
				b.WriteString(regexp.QuoteMeta(string(e)))
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// classEnd is the length of the bracket expression at the start of p.
func classEnd(p string) int {
	i := 1
	if strings.HasPrefix(p[i:], "^") {
		i++
	}
	if strings.HasPrefix(p[i:], "]") {
		i++
	}
	for i < len(p) {
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i:], ":]"); end >= 0 {
				i += end + 2
				continue
			}
		}
		if p[i] == ']' {
			return i + 1
		}
		i++
	}
	return -1
}

// translateReplacement rewrites \& and \1 to Go's $ forms.
func translateReplacement(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$':
			b.WriteString("$$")
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch {
			case s[i] == '&':
				b.WriteString("${0}")
			case s[i] >= '0' && s[i] <= '9':
				b.WriteString("${" + s[i:i+1] + "}")
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
