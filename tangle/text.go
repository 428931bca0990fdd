package tangle

import (
	"strings"
	"unicode/utf8"

	"wb/tangle/babel"
)

// Dedent removes the indentation that all lines of s have in common. Blank
// lines do not count and lose what is left of their blanks; tabs reach to
// multiples of eight columns, and a tab across the cut stays whole.
func Dedent(s string) string {
	// Org starts from one more than the number of characters, so a very short
	// text may be indented by tabs wider than that: such tabs stay.
	least := utf8.RuneCountInString(s) + 1
	for rest := s; rest != ""; {
		line, next := cutLine(rest)
		rest = next
		column, blank := indentOf(line)
		if blank {
			continue
		}
		if column == 0 {
			return s
		}
		least = min(least, column)
	}
	var out strings.Builder
	out.Grow(len(s))
	for rest := s; rest != ""; {
		line, next := cutLine(rest)
		rest = next
		kept, ok := cutColumns(line, least)
		if !ok {
			return s
		}
		out.WriteString(kept)
	}
	return out.String()
}

// cutLine splits off the first line with its newline.
func cutLine(s string) (line, rest string) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return s, ""
}

// indentOf measures the blanks at the start of a line in columns and says
// whether the line counts as blank: a form feed or a carriage return behind
// them is as good as the line's end.
func indentOf(line string) (column int, blank bool) {
	column, rest := babel.Indentation(line)
	return column, rest == "" || strings.IndexByte("\n\r\f", rest[0]) >= 0
}

// cutColumns removes n columns of indentation from a line. A line of fewer
// blanks loses them all; one with text before column n cannot be cut.
func cutColumns(line string, n int) (rest string, ok bool) {
	column := 0
	for i := 0; i < len(line); i++ {
		if column == n {
			return line[i:], true
		}
		switch line[i] {
		case ' ':
			column++
		case '\t':
			if column += 8 - column%8; column > n {
				return line[i:], true
			}
		default:
			return line[i:], line[i] == '\n'
		}
	}
	return "", true
}

// Uncomma undoes org's quoting in a body: one comma less before an asterisk or
// #+ at the start of a line.
func Uncomma(s string) string {
	if !strings.Contains(s, ",*") && !strings.Contains(s, ",#+") {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for rest := s; rest != ""; {
		line, next := cutLine(rest)
		rest = next
		text := strings.TrimLeft(line, " \t")
		bare := strings.TrimLeft(text, ",")
		if len(bare) < len(text) && (strings.HasPrefix(bare, "*") || strings.HasPrefix(bare, "#+")) {
			at := len(line) - len(bare)
			out.WriteString(line[:at-1])
			out.WriteString(bare)
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// Comma quotes a body for org: the inverse of [Uncomma].
func Comma(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	for rest := s; rest != ""; {
		line, next := cutLine(rest)
		rest = next
		text := strings.TrimLeft(line, " \t")
		bare := strings.TrimLeft(text, ",")
		if strings.HasPrefix(bare, "*") || strings.HasPrefix(bare, "#+") {
			out.WriteString(line[:len(line)-len(text)])
			out.WriteByte(',')
			out.WriteString(text)
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// trim removes white space at both ends.
func trim(s string) string { return strings.Trim(s, " \t\n\r") }

// trimLines removes blank lines at both ends and blanks at the end, but keeps
// the indentation of the first line.
func trimLines(s string) string {
	s = strings.TrimRight(s, " \t\n\r")
	for {
		line, rest := cutLine(s)
		if strings.Trim(line, " \t\n") != "" || rest == "" && !strings.HasSuffix(line, "\n") {
			return s
		}
		s = rest
	}
}
