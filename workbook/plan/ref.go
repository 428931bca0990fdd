package plan

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// Reference names something whose value another block wants, as written on
// the right of :var x=…: a block, a call of a block, a table, a list.
//
//	sales            what sales gives
//	sales[2:-1,0]    a part of it
//	square(n=5)      the block run with other variables
//	square[:results raw](5)[0]
//	rows[]           the text of a block, not its result
//	other.org:name   something in another file
type Reference struct {
	File   string // the part before the colon, "" for this document
	Name   string
	Call   bool     // written with parentheses
	Header string   // header arguments between [ and ](
	Args   []string // n=5 or 5, as written
	Index  string   // between the last [ and ], "" for all
	Body   bool     // written with [], the text itself
}

var (
	trailingIndex = lazyregexp.New(`(?s)\[([^\[]*)\]$`)
	callSyntax    = lazyregexp.New(`(?s)^(.+?)(?:\[(.*)\])?\((.*)\)$`)
	fileReference = lazyregexp.New(`(?s)^(.+):(.+)$`)
)

// ParseReference reads a reference as org-babel-ref-resolve does.
func ParseReference(text string) Reference {
	ref := Reference{}
	rest := strings.TrimSpace(text)
	if m := trailingIndex.FindStringSubmatchIndex(rest); m != nil {
		before := rest[:m[0]]
		if strings.Count(before, "(") == strings.Count(before, ")") {
			ref.Index = rest[m[2]:m[3]]
			ref.Body = ref.Index == ""
			rest = before
		}
	}
	if m := callSyntax.FindStringSubmatch(rest); m != nil {
		ref.Call = true
		rest, ref.Header = m[1], m[2]
		ref.Args = splitArguments(m[3])
	}
	if m := fileReference.FindStringSubmatch(rest); m != nil {
		ref.File, rest = m[1], m[2]
	}
	ref.Name = rest
	return ref
}

// splitArguments splits call arguments at commas outside brackets and quotes.
func splitArguments(text string) []string {
	var args []string
	for _, part := range balancedSplit(text, ',') {
		if part = strings.TrimSpace(part); part != "" {
			args = append(args, part)
		}
	}
	return args
}

// balancedSplit cuts text at a character, but never inside brackets or double
// quotes. An unbalanced bracket or quote counts as plain text.
func balancedSplit(text string, at byte) []string {
	var parts []string
	start := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == at:
			parts = append(parts, text[start:i])
			i++
			start = i
		case c == '(' || c == '[':
			i += balancedLength(text[i:])
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			i += quotedLength(text[i:])
		default:
			i++
		}
	}
	return append(parts, text[start:])
}

// balancedLength is the length of the bracketed text that s begins with, or 1
// when its first bracket is never closed.
func balancedLength(s string) int {
	var open []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', '[':
			open = append(open, c)
		case ')', ']':
			if open[len(open)-1] == c-1 || open[len(open)-1] == c-2 {
				open = open[:len(open)-1]
			}
			if len(open) == 0 {
				return i + 1
			}
		}
	}
	return 1
}

// quotedLength is the length of the quoted text that s begins with, or 1 when
// the quote is never closed.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] == '"' && (s[i-1] != '\\' || i == 1) {
			return i + 1
		}
	}
	return 1
}

// Literal reads the right-hand side of an assignment as a value, and reports
// false when it is a reference instead.
func Literal(text string, env *elisp.Env) (value.Value, bool, error) {
	v, err := elisp.ReadCell(text, env)
	if err != nil {
		return value.Nil(), false, err
	}
	if s, isString := v.(elisp.String); isString && string(s) == text && !quoted(text) {
		return value.Nil(), false, nil
	}
	converted, err := elisp.ToValue(v)
	return converted, true, err
}

// IsForm reports whether the right side of a :var is a Lisp form that can be
// read. What it means is known when it is evaluated.
func IsForm(expr string) bool {
	if expr == "" || expr[0] != '(' && expr[0] != '`' {
		return false
	}
	_, rest, err := elisp.ReadPrefix(expr)
	return err == nil && rest == len(expr)
}

func quoted(text string) bool {
	return len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"'
}

// Index takes the part of v that an index such as "1:3,0" names. Portions
// between commas go one nesting level deeper; each is a number (negative ones
// count from the end), a range that includes both ends, or * or nothing for
// all. A part with a single element stands for that element, as in org-babel.
// Horizontal rules count as rows. Indexing what is not a list gives it back.
func Index(v value.Value, index string) value.Value {
	if index == "" || v.Kind() != value.List && !v.IsNull() { // nil is the empty list
		return v
	}
	portion, rest, _ := strings.Cut(index, ",")
	items := v.Items()
	var parts []value.Value
	for _, at := range babel.Places(portion, len(items)) {
		item := value.Nil()
		if at < len(items) {
			item = items[at]
		}
		parts = append(parts, Index(item, rest))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return value.OfList(parts...)
}
