package compile

import (
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// Dedent removes the indentation that all non-blank lines share
// (org-remove-indentation). Tabs count to multiples of eight.
func Dedent(text string) string {
	lines := strings.SplitAfter(text, "\n")
	shared := -1
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if columns, _ := indentation(line); shared < 0 || columns < shared {
			shared = columns
		}
	}
	if shared <= 0 {
		return text
	}
	var b strings.Builder
	for _, line := range lines {
		columns, width := indentation(line)
		switch {
		case columns < shared: // blank
			b.WriteString(line[width:])
		default:
			b.WriteString(strings.Repeat(" ", columns-shared))
			b.WriteString(line[width:])
		}
	}
	return b.String()
}

// indentation measures the blanks a line starts with, in columns and bytes.
func indentation(line string) (columns, width int) {
	for width < len(line) {
		switch line[width] {
		case ' ':
			columns++
		case '\t':
			columns += 8 - columns%8
		default:
			return columns, width
		}
		width++
	}
	return columns, width
}

// ImportTable reads text as org-babel reads the output of a program: lines
// become rows, split at tabs when every line has one, else at commas when
// every line has one, else at blanks when there are several lines. A single
// cell is returned as a number or string, nothing as null.
func ImportTable(text string) value.Value {
	if text == "" {
		return value.Nil()
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var rows [][]string
	switch {
	case everyLineHas(lines, '\t'):
		for _, line := range lines {
			rows = append(rows, cells(strings.ReplaceAll(line, "\t", "| ")))
		}
	case everyLineHas(lines, ','):
		rows = commaRows(strings.Join(lines, "\n"))
	case len(lines) == 1:
		rows = [][]string{cells(strings.TrimLeft(lines[0], " "))}
	default:
		for _, line := range lines {
			rows = append(rows, cells(blanks.ReplaceAllString(strings.TrimLeft(line, " "), "| ")))
		}
	}
	return tableOf(rows)
}

// ImportCommas is ImportTable for text that is known to be comma-separated.
func ImportCommas(text string) value.Value {
	if text == "" {
		return value.Nil()
	}
	return tableOf(commaRows(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")))
}

// blanks separate cells where neither tabs nor commas do.
var blanks = lazyregexp.New(` *\t *| +`)

// everyLineHas reports whether each line that is not empty contains sep.
func everyLineHas(lines []string, sep byte) bool {
	for _, line := range lines {
		if line != "" && strings.IndexByte(line, sep) < 0 {
			return false
		}
	}
	return true
}

// cells splits a row whose first cell starts at the beginning of line and
// whose others start after a bar. A trailing blank cell does not count.
func cells(line string) []string {
	var row []string
	for _, cell := range strings.Split(line, "|") {
		row = append(row, strings.Trim(cell, " \t"))
	}
	if row[len(row)-1] == "" {
		row = row[:len(row)-1]
	}
	return row
}

// commaRows reads comma-separated values: quoted cells may hold commas and
// line ends (which become blanks); a doubled quote stands for one.
func commaRows(text string) [][]string {
	var rows [][]string
	var row strings.Builder
	finish := func() {
		rows = append(rows, cells(row.String()+"|"))
		row.Reset()
	}
	for at := 0; at < len(text); {
		rest := text[at:]
		skipped := len(rest) - len(strings.TrimLeft(rest, " \t"))
		next := byte('\n')
		if skipped < len(rest) {
			next = rest[skipped]
		}
		switch {
		case next == '\n':
			finish()
			at += skipped + 1
			if at == len(text) { // an empty last line is a row of its own
				finish()
			}
			continue
		case next == '"':
			if end := strings.IndexByte(rest[skipped+1:], '"'); end >= 0 {
				row.WriteString(strings.ReplaceAll(rest[skipped+1:skipped+1+end], "\n", " "))
				at += skipped + end + 2
				if at < len(text) && text[at] == '"' {
					row.WriteByte('"')
				}
				break
			}
			fallthrough
		case rest[0] != ',':
			end := strings.IndexAny(rest, ",\n")
			if end < 0 {
				end = len(rest)
			}
			row.WriteString(rest[:end])
			at += end
		default:
			row.WriteString(" | ")
			at++
		}
		if at >= len(text) {
			finish()
		}
	}
	return rows
}

// tableOf makes rows equally long, reads their cells and takes a table of one
// cell apart.
func tableOf(rows [][]string) value.Value {
	width := 1 // blank output is a blank cell
	for _, row := range rows {
		width = max(width, len(row))
	}
	var table []value.Value
	for _, row := range rows {
		items := make([]value.Value, width)
		for i := range items {
			if i < len(row) {
				items[i] = ReadCell(row[i])
			} else {
				items[i] = value.OfString("")
			}
		}
		table = append(table, value.OfList(items...))
	}
	switch {
	case len(table) == 1 && width == 1:
		return table[0].Items()[0]
	}
	return value.OfList(table...)
}

var (
	quotedCell = lazyregexp.New(`^\s*"(.+)"\s*$`)
	numberCell = lazyregexp.New(`^[-+]?([0-9]+\.?|[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?|[0-9]+\.?[eE][-+]?[0-9]+)$`)
)

// ReadCell reads one cell: a number where it is one, text without its quotes
// otherwise (org-babel-string-read).
func ReadCell(cell string) value.Value {
	if m := quotedCell.FindStringSubmatch(cell); m != nil {
		cell = m[1]
	}
	trimmed := strings.TrimSpace(cell)
	if numberCell.MatchString(trimmed) {
		if i, err := strconv.ParseInt(strings.TrimSuffix(trimmed, "."), 10, 64); err == nil {
			return value.OfInt(i)
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSuffix(trimmed, "."), "+"), 10, 64); err == nil {
			return value.OfUint(n)
		}
		if strings.ContainsAny(trimmed, ".eE") {
			f, _ := strconv.ParseFloat(trimmed, 64) // out of range is infinite, as in Emacs
			return value.OfFloat(f)
		}
	}
	if trimmed == `""` {
		return value.OfString("")
	}
	return value.OfString(cell)
}

// ReadScalar reads a text of one line as a cell.
func ReadScalar(text string) value.Value {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "\n") {
		return value.OfString(text)
	}
	return ReadCell(text)
}
