package workbook

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"wb/value"
)

// tableNumber is what Emacs calls a number when it decides how a column is
// aligned (org-table-number-regexp): anything that looks like one in print.
var tableNumber = regexp.MustCompile(`^([<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][[:xdigit:].]+|[<>]?[-+]?[0-9]+#[0-9a-zA-Z.]+|nan|[-+u]?inf)$`)

// alignCookie is a cell that sets its column's alignment: <l>, <r10>, <c>.
var alignCookie = regexp.MustCompile(`^<([lrc])[0-9]*>$`)

// bracketLink is [[target]] or [[target][description]].
var bracketLink = regexp.MustCompile(`\[\[((?:[^\]\[\\]|\\.)+)\](?:\[((?:.)+?)\])?\]`)

// tableRow is one line of a table; a rule has no cells.
type tableRow struct {
	rule  bool
	cells []string
}

// tableText prints a table value as org does, aligned, each row ending in a
// newline. Rows are lists or rules; an empty row leaves no line.
func tableText(rows []value.Value) string {
	var table []tableRow
	for _, row := range rows {
		if row.Kind() == value.HLine {
			table = append(table, tableRow{rule: true})
			continue
		}
		if len(row.Items()) == 0 {
			continue
		}
		cells := make([]string, len(row.Items()))
		for i, item := range row.Items() {
			cells[i] = cellText(item)
		}
		table = append(table, tableRow{cells: cells})
	}
	if len(table) == 0 {
		return "\n"
	}
	text := formatTable(table, "")
	if slices.ContainsFunc(table, tableRow.hasBar) {
		return alignTable(text) // a bar in a cell parts it, as in Emacs
	}
	return text
}

func (r tableRow) hasBar() bool {
	return slices.ContainsFunc(r.cells, func(cell string) bool { return strings.Contains(cell, "|") })
}

// cellText prints one cell. A line break would end the row (Emacs writes it
// and breaks the table); it becomes a space.
func cellText(v value.Value) string {
	text := strings.TrimSpace(display(v))
	if strings.ContainsAny(text, "\r\n") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	return text
}

// alignTable realigns table lines as org-table-align does. The first line's
// indentation becomes every line's. Text that is no table comes back as it is.
func alignTable(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var rows []tableRow
	indent := ""
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(bare, "|") {
			return text
		}
		if i == 0 {
			indent = line[:len(line)-len(bare)]
		}
		rows = append(rows, parseTableRow(strings.TrimRight(bare, "\r\n")))
	}
	return formatTable(rows, indent)
}

// parseTableRow splits a line that starts with a bar into trimmed cells.
func parseTableRow(line string) tableRow {
	line = strings.TrimRight(line[1:], " \t")
	if strings.HasPrefix(line, "-") {
		return tableRow{rule: true}
	}
	line = strings.TrimSuffix(line, "|")
	cells := strings.Split(line, "|")
	for i := range cells {
		cells[i] = strings.Trim(cells[i], " \t")
	}
	return tableRow{cells: cells}
}

// tableColumn is the layout of one column.
type tableColumn struct {
	width int
	align byte // 'l', 'r' or 'c'
}

func formatTable(rows []tableRow, indent string) string {
	columns := layoutTable(rows)
	var out strings.Builder
	for _, row := range rows {
		out.WriteString(indent)
		out.WriteByte('|')
		for i, c := range columns {
			if row.rule {
				out.WriteString(strings.Repeat("-", c.width+2))
				if i < len(columns)-1 {
					out.WriteByte('+')
				}
				continue
			}
			cell := ""
			if i < len(row.cells) {
				cell = row.cells[i]
			}
			writeCell(&out, cell, c)
		}
		if row.rule {
			out.WriteByte('|')
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func writeCell(out *strings.Builder, cell string, c tableColumn) {
	space := c.width - cellWidth(cell)
	before := 0
	switch c.align {
	case 'r':
		before = space
	case 'c':
		before = space / 2
	}
	out.WriteString(strings.Repeat(" ", before+1))
	out.WriteString(cell)
	out.WriteString(strings.Repeat(" ", space-before+1))
	out.WriteByte('|')
}

// layoutTable finds each column's width and alignment: right when at least
// half of its non-empty cells look like numbers, unless a cookie says
// otherwise.
func layoutTable(rows []tableRow) []tableColumn {
	count := 1
	for _, row := range rows {
		count = max(count, len(row.cells))
	}
	columns := make([]tableColumn, count)
	for i := range columns {
		columns[i] = layoutColumn(rows, i)
	}
	return columns
}

func layoutColumn(rows []tableRow, i int) tableColumn {
	c := tableColumn{width: 1}
	numbers, filled := 0, 0
	for _, row := range rows {
		if i >= len(row.cells) || row.cells[i] == "" {
			continue
		}
		cell := row.cells[i]
		c.width = max(c.width, cellWidth(cell))
		if c.align != 0 {
			continue
		}
		if m := alignCookie.FindStringSubmatch(cell); m != nil {
			c.align = m[1][0]
			continue
		}
		filled++
		if tableNumber.MatchString(cell) {
			numbers++
		}
	}
	if c.align == 0 {
		c.align = 'l'
		if 2*numbers >= filled {
			c.align = 'r'
		}
	}
	return c
}

// screen measures text as Emacs does: wide East Asian characters and emoji
// take two columns, combining marks none, whatever the locale.
var screen = &runewidth.Condition{StrictEmojiNeutral: true}

// cellWidth is how many columns a cell takes on screen, where a link shows
// only its description.
func cellWidth(s string) int {
	if strings.Contains(s, "[[") {
		s = bracketLink.ReplaceAllStringFunc(s, func(link string) string {
			m := bracketLink.FindStringSubmatch(link)
			if m[2] != "" {
				return m[2]
			}
			return m[1]
		})
	}
	return displayWidth(s)
}

func displayWidth(s string) int {
	width := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < 0x7f:
			width++
		case r == utf8.RuneError && n == 1:
			width += 4 // Emacs shows a stray byte as \ooo
		default:
			width += screen.RuneWidth(r)
		}
		i += n
	}
	return width
}
