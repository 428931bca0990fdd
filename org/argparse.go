package org

import "strings"

// ParseArgs reads ":key value :key value …" as Org does. Quotes, parentheses
// and brackets protect a colon, so `:var m="a :tangle b"` is one argument. A
// ":var" with several assignments becomes several arguments. Spans are offsets
// into text plus at.
//
// As in Org, the first argument loses its colon, and with it all effect, when
// exactly one blank stands before it: that is what becomes of `:header-args+:`
// below an empty `:header-args:`.
func ParseArgs(text string, at int, origin Origin) []Arg {
	b := newBalance(text)
	var args []Arg
	for _, part := range b.splitArgs() {
		if part.Start == 1 && text[1] == ':' {
			part.Start++
		}
		key := skipWord(text, part.Start, part.End)
		value := trimSpan(text, key, part.End)
		if value.Len() == 0 {
			value = Span{key, key}
		}
		arg := Arg{
			Key:    text[part.Start:key],
			Value:  text[value.Start:value.End],
			Origin: origin,
			Span:   Span{at + part.Start, at + value.End},
			At:     Span{at + value.Start, at + value.End},
		}
		if arg.Key != ":var" || value.Len() == 0 {
			args = append(args, arg)
			continue
		}
		for i, v := range b.splitVars(value) {
			one := arg
			one.Value = v.text
			one.At = Span{at + v.Start, at + v.End}
			if one.Span = one.At; i == 0 {
				one.Span.Start = arg.Span.Start
			}
			args = append(args, one)
		}
	}
	return args
}

// balance splits text at characters that stand outside quotes and brackets.
type balance struct {
	text  string
	close []int // for each byte that opens a bracket, the offset after the one that closes it, else 0
}

// newBalance pairs the brackets of text in one pass. A closing bracket of the
// wrong shape is passed over, as in Org.
func newBalance(text string) *balance {
	b := &balance{text: text}
	if !strings.ContainsAny(text, "([") {
		return b
	}
	b.close = make([]int, len(text))
	var open []int
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[':
			open = append(open, i)
		case ')', ']':
			if n := len(open); n > 0 && (text[open[n-1]] == '(') == (c == ')') {
				b.close[open[n-1]] = i + 1
				open = open[:n-1]
			}
		}
	}
	return b
}

// skip returns the offset after the character at i, or after the whole
// bracket or string that opens there. What is not closed is text.
func (b *balance) skip(i int) int {
	s := b.text
	switch s[i] {
	case '(', '[':
		if b.close[i] > 0 {
			return b.close[i]
		}
	case '"':
		if i > 0 && s[i-1] == '\\' {
			break
		}
		for j := i + 1; j < len(s); j++ {
			if s[j] == '"' && s[j-1] != '\\' {
				return j + 1
			}
		}
	}
	return i + 1
}

// splitArgs cuts at every colon that follows a blank. Parts keep their colon;
// text before the first one is a part too.
func (b *balance) splitArgs() []Span {
	var parts []Span
	start := 0
	cut := func(end int) {
		if s := trimSpan(b.text, start, end); s.Len() > 0 {
			parts = append(parts, s)
		}
		start = end
	}
	for i := 0; i < len(b.text); {
		if b.text[i] == ':' && i > 0 && isBlank(b.text[i-1]) {
			cut(i)
			i++
			continue
		}
		i = b.skip(i)
	}
	cut(len(b.text))
	return parts
}

// assignment is one "name=value" and its text without spaces around "=".
type assignment struct {
	Span
	text string
}

// splitVars cuts "a=1 b = 2" at spaces, and joins what spaces around "=" tore
// apart.
func (b *balance) splitVars(value Span) []assignment {
	var vars []assignment
	for _, part := range b.splitAt(value, ' ') {
		text := b.text[part.Start:part.End]
		if n := len(vars); n > 0 && (text[0] == '=' || b.text[vars[n-1].End-1] == '=') {
			vars[n-1].End = part.End
			vars[n-1].text += text
			continue
		}
		vars = append(vars, assignment{part, text})
	}
	return vars
}

// splitAt cuts the span at every c and drops empty parts.
func (b *balance) splitAt(span Span, c byte) []Span {
	var parts []Span
	start := span.Start
	for i := span.Start; i < span.End; {
		if b.text[i] != c {
			i = min(b.skip(i), span.End)
			continue
		}
		if i > start {
			parts = append(parts, Span{start, i})
		}
		i++
		start = i
	}
	if span.End > start {
		parts = append(parts, Span{start, span.End})
	}
	return parts
}

// unquote reads s as a string in double quotes if it is exactly one.
func unquote(s string) string {
	t := strings.TrimSpace(s)
	if len(t) < 2 || t[0] != '"' || t[len(t)-1] != '"' {
		return s
	}
	var out strings.Builder
	for i := 1; i < len(t)-1; i++ {
		switch t[i] {
		case '"': // the string ends before the value does
			return s
		case '\\':
			i++
			if i == len(t)-1 {
				return s
			}
			switch t[i] {
			case 'n':
				out.WriteByte('\n')
			case 't':
				out.WriteByte('\t')
			case 'r':
				out.WriteByte('\r')
			case '\n':
			default:
				out.WriteByte(t[i])
			}
		default:
			out.WriteByte(t[i])
		}
	}
	return out.String()
}
