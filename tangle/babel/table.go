package babel

import (
	"strings"

	"wb/tangle/elisp"
)

// tableFormat says how a table becomes lines of text.
type tableFormat struct {
	separator string
	rule      string // what a horizontal rule becomes
	rules     bool   // whether rules appear at all
	quote     func(string) string
}

// separated is Emacs's orgtbl-to-generic: the table is written as org text and
// read again, so cells lose outer blanks, a bar splits one, and a newline
// splits the row. Empty cells are not quoted.
func separated(table elisp.Value, f tableFormat) string {
	rows, _ := elisp.Items(table)
	var lines []string
	for _, row := range rows {
		if row == elisp.HLine {
			if f.rules {
				lines = append(lines, f.rule)
			}
			continue
		}
		cells, _ := elisp.Items(row)
		if len(cells) == 0 {
			continue
		}
		text := "| "
		for _, cell := range cells {
			text += elisp.Princ(cell) + " |"
		}
		for _, line := range strings.Split(text, "\n") {
			lines = append(lines, f.line(line))
		}
	}
	return strings.Join(lines, "\n")
}

// line converts one line of org text; what is not a table row stays.
func (f tableFormat) line(text string) string {
	text = strings.TrimLeft(text, " \t")
	row, isRow := strings.CutPrefix(text, "|")
	if !isRow {
		return text
	}
	row = strings.TrimRight(row, " \t")
	cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.Trim(cell, " \t")
		if cells[i] != "" && f.quote != nil {
			cells[i] = f.quote(cells[i])
		}
	}
	return strings.Join(cells, f.separator)
}

// csvQuoted quotes a field by doubling its quotes.
func csvQuoted(s string) string {
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
