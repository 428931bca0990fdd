package lang

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
// read again, so cells lose outer blanks and a bar splits one. Empty cells are
// not quoted.
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
		var out []string
		for _, cell := range cells {
			for _, text := range strings.Split(elisp.Princ(cell), "|") {
				text = strings.Trim(text, " \t")
				if text != "" && f.quote != nil {
					text = f.quote(text)
				}
				out = append(out, text)
			}
		}
		lines = append(lines, strings.Join(out, f.separator))
	}
	return strings.Join(lines, "\n")
}

// csvQuoted quotes a field by doubling its quotes.
func csvQuoted(s string) string {
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
