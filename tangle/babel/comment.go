package babel

import "strings"

// Comments is how a language's editing mode writes a comment.
type Comments struct {
	// Open stands before each line, Close after it; blanks included.
	Open, Close string
	// Margin puts Open in the first column whatever the text's indentation.
	Margin bool
	// Spaces says that indentation split by Open is filled with spaces, not
	// tabs.
	Spaces bool
	// All comments every line, blank ones included.
	All bool
}

// Mode names the editing mode of a language, which decides about
// comments; ok is false when Emacs has none for it, and then the mode of the
// block before stays in force.
func Mode(language string) (mode string, ok bool) {
	mode = language
	if other, renamed := modes[language]; renamed {
		mode = other
	}
	if _, ok := commentSyntax[mode]; ok {
		return mode, true
	}
	return mode, silentModes[mode]
}

// Comment returns the comment syntax of an editing mode; ok is false for modes
// without comments, such as text.
func Comment(mode string) (c Comments, ok bool) {
	c, ok = commentSyntax[mode]
	return c, ok
}

// Region comments the lines of text as comment-region does: blank lines at
// either end and inside stay as they are, Open stands at the smallest
// indentation found, and what would end the comment early is broken up with a
// backslash.
func (c Comments) Region(text string) string {
	start, end := 0, len(strings.TrimSuffix(text, "\n"))
	if !c.All {
		end = len(strings.TrimRight(text, " \t\n\r"))
		start = end - len(strings.TrimLeft(text[:end], " \t\n\r"))
		start = strings.LastIndexByte(text[:start], '\n') + 1
		if eol := strings.IndexByte(text[end:], '\n'); eol >= 0 {
			end += eol
		} else {
			end = len(text)
		}
	}
	lines := strings.Split(text[start:end], "\n")
	margin := 0
	if !c.Margin {
		margin = leastIndent(lines)
	}
	var out strings.Builder
	out.WriteString(text[:start])
	for i, line := range lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		if strings.Trim(line, " \t") == "" && !c.All {
			out.WriteString(line)
			continue
		}
		before, after := splitColumn(c.quote(line), margin, c.Spaces)
		out.WriteString(before + c.Open + after + c.Close)
	}
	out.WriteString(text[end:])
	return out.String()
}

// quote breaks up the comment's own end inside a line.
func (c Comments) quote(line string) string {
	end := strings.TrimSpace(c.Close)
	if end == "" {
		return line
	}
	if len(end) == 1 { // pascal's brace
		return strings.ReplaceAll(line, end, "!"+strings.TrimSpace(c.Open)+`\`)
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		b.WriteByte(line[i])
		if line[i] != end[0] {
			continue
		}
		j := i + 1
		for j < len(line) && line[j] == '\\' {
			j++
		}
		if strings.HasPrefix(line[j:], end[1:]) {
			b.WriteByte('\\')
		}
	}
	return b.String()
}

// leastIndent is the smallest indentation in columns of the lines that are not
// blank.
func leastIndent(lines []string) int {
	least := -1
	for _, line := range lines {
		column, rest := Indentation(line)
		if rest != "" && (least < 0 || column < least) {
			least = column
		}
	}
	return max(least, 0)
}

// Indentation measures the blanks that a line begins with in columns, and gives
// what stands behind them; tabs go to the next multiple of eight.
func Indentation(line string) (column int, rest string) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			column++
		case '\t':
			column += 8 - column%8
		default:
			return column, line[i:]
		}
	}
	return column, ""
}

// splitColumn cuts a line at a column within its indentation. A tab across the
// column is replaced by the blanks it stood for.
func splitColumn(line string, column int, spaces bool) (before, after string) {
	at := 0
	for i := 0; i < len(line); i++ {
		if at == column {
			return line[:i], line[i:]
		}
		next := at + 1
		if line[i] == '\t' {
			next = at + 8 - at%8
		}
		if next > column {
			before = line[:i] + strings.Repeat(" ", column-at)
			if spaces {
				return before, strings.Repeat(" ", next-column) + line[i+1:]
			}
			return before, "\t" + line[i+1:]
		}
		at = next
	}
	return line + strings.Repeat(" ", column-at), ""
}
