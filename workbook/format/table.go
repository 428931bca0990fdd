package format

import (
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// tableNumber matches what Emacs counts as a number when it decides how a column is
// aligned (org-table-number-regexp): anything that looks like one in print.
var tableNumber = lazyregexp.New(`^([<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][[:xdigit:].]+|[<>]?[-+]?[0-9]+#[0-9a-zA-Z.]+|nan|[-+u]?inf)$`)

// alignCookie is a cell that sets its column's alignment: <l>, <r10>, <c>.
var alignCookie = lazyregexp.New(`^<([lrc])[0-9]*>$`)

// grid is the text of a table: rows of cells, where nil is a rule.
type grid [][]string

// table recomputes and aligns one table.
func (f *formatter) table(t org.Table) {
	g, ok := f.grid(t)
	if !ok {
		return
	}
	if !f.opts.KeepFormulas && len(t.Formulas) > 0 {
		next, failed := recompute(g, t.Formulas[0].Value.Text, f.remote)
		for _, err := range failed {
			f.note(t.Formulas[0].Value.Start, "formula not recomputed: %v", err)
		}
		if next != nil {
			g = next
		}
	}
	f.layOut(t, g)
}

// remote finds a table by its #+NAME.
func (f *formatter) remote(name string) (grid, error) {
	if n, ok := f.doc.Named(name); ok {
		if t, ok := n.Table(); ok {
			if g, ok := f.grid(t); ok {
				return g, nil
			}
		}
	}
	return nil, fmt.Errorf("no table is called %s here", name)
}

// grid is the text of a table; ok is false for one that cannot be laid out
// without losing something, or that has nothing but rules.
func (f *formatter) grid(t org.Table) (g grid, ok bool) {
	g = make(grid, len(t.Rows))
	for i, row := range t.Rows {
		if row.Rule {
			if strings.Trim(row.Text(), "|-+ \t\r\n") != "" {
				f.note(row.Start(), "table left as it is: text in the rule would be lost")
				return nil, false
			}
			continue
		}
		if strings.ContainsAny(strings.TrimRight(row.Text(), "\r\n"), "\r\f\v") {
			return nil, false
		}
		ok = true
		g[i] = make([]string, 0, len(row.Cells))
		for k, cell := range row.Cells {
			if k == len(row.Cells)-1 && cell.Text == "" && !strings.HasSuffix(strings.TrimSpace(row.Text()), "|") {
				continue // blanks behind the last bar
			}
			g[i] = append(g[i], strings.Trim(cell.Text, " \t"))
		}
	}
	return g, ok
}

// layOut replaces the lines of a table that are not as org-table-align makes
// them. All lines get the indentation of the first.
func (f *formatter) layOut(t org.Table, g grid) {
	layout := columnsOf(g)
	first := t.Rows[0].Text()
	indent := first[:strings.IndexByte(first, '|')]
	for i, row := range t.Rows {
		line := row.Text()
		end := len(strings.TrimRight(line, "\r\n"))
		text := indent + "|" + layout.rule()
		if g[i] != nil {
			text = indent + "|" + layout.row(g[i])
		}
		f.change(org.Span{Start: row.Start(), End: row.Start() + end}, text)
	}
}

// column is the layout of one column.
type column struct {
	width int
	align byte // 'l', 'r' or 'c'
}

type layout []column

func (l layout) rule() string {
	parts := make([]string, len(l))
	for i, c := range l {
		parts[i] = strings.Repeat("-", c.width+2)
	}
	return strings.Join(parts, "+") + "|"
}

func (l layout) row(cells []string) string {
	var out strings.Builder
	for i, c := range l {
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		space := c.width - displayWidth(visible(cell))
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
	return out.String()
}

// columnsOf finds each column's width and alignment: right when at least half
// of its filled cells look like numbers, unless a cookie says otherwise.
func columnsOf(g grid) layout {
	count := 1
	for _, row := range g {
		count = max(count, len(row))
	}
	l := make(layout, count)
	for i := range l {
		l[i] = g.column(i)
	}
	return l
}

func (g grid) column(i int) column {
	c := column{width: 1}
	numbers, filled := 0, 0
	for _, row := range g {
		if i >= len(row) || row[i] == "" {
			continue
		}
		c.width = max(c.width, displayWidth(visible(row[i])))
		if c.align != 0 {
			continue
		}
		if m := alignCookie.FindStringSubmatch(row[i]); m != nil {
			c.align = m[1][0]
			continue
		}
		filled++
		if tableNumber.MatchString(row[i]) {
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
