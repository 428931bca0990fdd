package format

import "strings"

// Align lays out rows of cells as org-table-align does, each line behind the
// indentation and ended by a newline; a nil row is a rule.
func Align(rows [][]string, indent string) string {
	g := grid(rows)
	layout := columnsOf(g)
	var out strings.Builder
	for _, row := range g {
		out.WriteString(indent + "|")
		if row == nil {
			out.WriteString(layout.rule())
		} else {
			out.WriteString(layout.row(row))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// AlignText realigns table lines. The first line's indentation becomes every
// line's. Text that is not a table comes back as it is.
func AlignText(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var rows [][]string
	indent := ""
	for i, line := range lines {
		bare := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(bare, "|") {
			return text
		}
		if i == 0 {
			indent = line[:len(line)-len(bare)]
		}
		rows = append(rows, splitRow(strings.TrimRight(bare, "\r\n")))
	}
	return Align(rows, indent)
}

// splitRow splits a line that starts with a bar into trimmed cells; nil for a
// rule.
func splitRow(line string) []string {
	line = strings.TrimRight(line[1:], " \t")
	if strings.HasPrefix(line, "-") {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.Trim(cells[i], " \t")
	}
	return cells
}

// Width is the number of columns that text takes on a screen, as Emacs counts
// them.
func Width(s string) int { return displayWidth(s) }
