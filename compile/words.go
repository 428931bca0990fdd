package compile

import (
	"slices"
	"strings"
)

// Words splits text as a shell does, without expanding anything: blanks
// separate, quotes and backslashes protect.
func Words(text string) []string {
	var words []string
	var word strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			word.WriteByte(c)
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			if quote == '"' && !strings.ContainsRune("\"\\$`", rune(text[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
			open = true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
			continue
		default:
			word.WriteByte(c)
		}
		open = true
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// List reads a header argument that may be an elisp list: '(a "b c"),
// (list "a" "b"), [a b], or a string in quotes. It reports false when the
// argument is plain text, which it returns as its only element.
func List(arg string) ([]string, bool) {
	text := strings.TrimSpace(arg)
	quoted := strings.TrimLeft(text, "'`")
	switch {
	case strings.HasPrefix(quoted, "(") && strings.HasSuffix(quoted, ")"), strings.HasPrefix(quoted, "[") && strings.HasSuffix(quoted, "]"):
		items := lispAtoms(quoted[1 : len(quoted)-1])
		if quoted == text && quoted[0] == '(' && len(items) > 0 && slices.Contains([]string{"list", "quote"}, items[0]) {
			items = items[1:]
		}
		return items, true
	case len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"':
		if atoms := lispAtoms(text); len(atoms) == 1 {
			return atoms, false
		}
	}
	return []string{arg}, false
}

// ArgWords are the words of a header argument that is a list, or else text that
// is split as a shell does.
func (s *Source) ArgWords(name string) []string {
	arg, ok := s.Arg(name)
	if !ok {
		return nil
	}
	items, isList := List(arg)
	if isList {
		return items
	}
	return Words(items[0])
}

// Unquoted is a header argument without the quotes of a string; any other stays
// as it is.
func Unquoted(arg string) string {
	if items, isList := List(arg); !isList {
		return items[0]
	}
	return arg
}

// lispAtoms splits at blanks outside double quotes and takes quotes off.
// Nested parentheses are ignored.
func lispAtoms(text string) []string {
	var atoms []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.IndexByte(" \t\n()[]'`", c) >= 0:
			i++
		case c == '"':
			var b strings.Builder
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' && i+1 < len(text) {
					i++
				}
				b.WriteByte(text[i])
			}
			i++
			atoms = append(atoms, b.String())
		default:
			end := i
			for end < len(text) && strings.IndexByte(" \t\n()[]", text[end]) < 0 {
				end++
			}
			atoms = append(atoms, text[i:end])
			i = end
		}
	}
	return atoms
}
