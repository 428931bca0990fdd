package formula

import (
	"strings"
	"unicode/utf8"
)

// token is a piece of TeX: a control sequence, one character, or the end.
type token struct {
	kind   kind
	text   string // the name of a command without its backslash, or the character
	offset int    // in the formula as the author wrote it
	spaced bool   // white space stood before it
}

type kind int

const (
	end     kind = iota
	command      // \name or \;
	char         // anything else
)

func (t token) is(text string) bool        { return t.kind == char && t.text == text }
func (t token) isCommand(name string) bool { return t.kind == command && t.text == name }

// lex cuts a formula into tokens. Comments are left out.
func lex(tex string) []token {
	tokens := make([]token, 0, len(tex))
	spaced := false
	for i := 0; i < len(tex); {
		c := tex[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			spaced = true
			i++
			continue
		case c == '%':
			if end := strings.IndexByte(tex[i:], '\n'); end >= 0 {
				i += end + 1
			} else {
				i = len(tex)
			}
			continue
		case c == '\\' && i+1 < len(tex):
			n := i + 1
			for n < len(tex) && isLetter(tex[n]) {
				n++
			}
			if n == i+1 {
				_, size := utf8.DecodeRuneInString(tex[n:])
				n += size
			}
			tokens = append(tokens, token{command, tex[i+1 : n], i, spaced})
			i = n
		default:
			_, size := utf8.DecodeRuneInString(tex[i:])
			tokens = append(tokens, token{char, tex[i : i+size], i, spaced})
			i += size
		}
		spaced = false
	}
	return tokens
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
