package org

import "strings"

// Code returns the body of a src, example or export block as Org runs it:
// commas that protect "*" and "#+" are removed, the common indentation too
// (unless the block has the switch -i), and so is the last newline. Line
// endings are "\n".
func (b Block) Code() string {
	code := Unescape(b.doc.lf(b.Body))
	code = strings.TrimSuffix(code, "\n")
	if b.HasSwitch("-i") {
		return code
	}
	return Dedent(code)
}

// HasSwitch reports whether the block line has the given switch: "-n", "+n",
// "-r", "-k", "-i" or "-l".
func (b Block) HasSwitch(name string) bool {
	for _, w := range strings.Fields(b.Switches.Text) {
		if w == name || len(w) > 2 && w[:2] == name && isDigit(w[2]) {
			return true
		}
	}
	return false
}

// LabelFormat returns the format of code references that -l "fmt" sets, or
// Org's default.
func (b Block) LabelFormat() string {
	if _, rest, ok := strings.Cut(b.Switches.Text, `-l "`); ok {
		if i := strings.IndexByte(rest, '"'); i > 0 {
			return rest[:i]
		}
	}
	return "(ref:%s)"
}

// lf returns the text of a span with "\n" line endings.
func (d *Document) lf(s Span) string {
	text := d.Text(s)
	if d.CRLF() {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// Escape protects lines that start with "*" or "#+" by a comma, so that text
// may stand in a block.
func Escape(code string) string {
	return eachLine(code, func(out *strings.Builder, line string) {
		if at, _, ok := escapable(line); ok {
			out.WriteString(line[:at])
			out.WriteByte(',')
			line = line[at:]
		}
		out.WriteString(line)
	})
}

// Unescape removes the protection that [Escape] adds.
func Unescape(code string) string {
	return eachLine(code, func(out *strings.Builder, line string) {
		if at, commas, ok := escapable(line); ok && commas > 0 {
			out.WriteString(line[:at])
			line = line[at+1:]
		}
		out.WriteString(line)
	})
}

// escapable reports whether the line is blanks, commas, and "*" or "#+"; at
// is where the commas start.
func escapable(line string) (at, commas int, ok bool) {
	at = skipBlanks(line, 0, len(line))
	i := at
	for i < len(line) && line[i] == ',' {
		i++
	}
	return at, i - at, strings.HasPrefix(line[i:], "*") || strings.HasPrefix(line[i:], "#+")
}

func eachLine(text string, f func(out *strings.Builder, line string)) string {
	var out strings.Builder
	out.Grow(len(text))
	for pos := 0; pos < len(text); {
		next := lineEnd(text, pos)
		f(&out, text[pos:next])
		pos = next
	}
	return out.String()
}

// Dedent removes the indentation that all lines share; lines of blanks do not
// count and become empty if they are shorter. Tabs stop at every eighth
// column; one that only a part of would have to go stays.
func Dedent(code string) string {
	common := -1
	for pos := 0; pos < len(code); {
		l := lineAt(code, pos)
		if !l.blank() {
			if indent := indentOf(code, l); common < 0 || indent < common {
				common = indent
			}
		}
		pos = l.next
	}
	if common == 0 {
		return code
	}
	return eachLine(code, func(out *strings.Builder, line string) {
		out.WriteString(cutColumns(line, common))
	})
}

// cutColumns removes the first n columns of blanks; all of them if n < 0 or
// if the line holds nothing else up to column n.
func cutColumns(line string, n int) string {
	col := 0
	for i := 0; i < len(line); i++ {
		if col == n {
			return line[i:]
		}
		switch line[i] {
		case ' ':
			col++
		case '\t':
			col += 8 - col%8
		default:
			return line[i:]
		}
		if n >= 0 && col > n { // a tab that is cut stays a tab, as in Emacs
			return line[i:]
		}
	}
	return ""
}
