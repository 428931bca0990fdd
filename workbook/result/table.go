package result

import (
	"slices"
	"strings"

	"wb/internal/value"
	"wb/workbook/format"
)

// tableText prints a table value as org does, aligned, each row ending in a
// newline. Rows are lists or rules; an empty row leaves no line.
func tableText(rows []value.Value) string {
	var table [][]string
	for _, row := range rows {
		if row.Kind() == value.HLine {
			table = append(table, nil)
			continue
		}
		if len(row.Items()) == 0 {
			continue
		}
		cells := make([]string, len(row.Items()))
		for i, item := range row.Items() {
			cells[i] = cellText(item)
		}
		table = append(table, cells)
	}
	if len(table) == 0 {
		return "\n"
	}
	text := format.Align(table, "")
	if slices.ContainsFunc(table, hasBar) {
		return format.AlignText(text) // a bar in a cell parts it, as in Emacs
	}
	return text
}

func hasBar(cells []string) bool {
	return slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(cell, "|") })
}

// cellText prints one cell. A line break would end the row (Emacs writes it
// and breaks the table); it becomes a space.
func cellText(v value.Value) string {
	text := strings.TrimSpace(Display(v))
	if strings.ContainsAny(text, "\r\n") {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	return text
}
