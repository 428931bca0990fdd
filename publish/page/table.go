package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"wb/internal/lazyregexp"
	"wb/org"
)

var (
	cookieForm  = lazyregexp.New(`\[(?:[0-9]*%|[0-9]*/[0-9]*)\]`)
	columnForm  = lazyregexp.New(`^<([lrc])?\d*>$`)
	numericForm = lazyregexp.New(`^(?:[<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][[:xdigit:].]+|[<>]?[-+]?[0-9]+#[0-9a-zA-Z.]+|nan|[-+u]?inf)$|^[-+−]?[0-9][0-9 .,\x{a0}\x{202f}]*%?$`)
)

// grid is a table without what only its author needs: rules, cookies, the
// column of marks.
type grid struct {
	groups [][]org.Row // rows between rules
	align  map[int]string
	start  map[int]bool // columns that a group starts at
	end    map[int]bool
	skip   int // leading columns that are not shown
	width  int
}

// gridOf reads a table as ox does.
func gridOf(t org.Table) *grid {
	g := &grid{align: map[int]string{}, start: map[int]bool{}, end: map[int]bool{}}
	if marksColumn(t) {
		g.skip = 1
	}
	cookies := map[int]string{}
	var rows []org.Row
	open := false
	for _, r := range t.Rows {
		switch {
		case r.Rule:
			open = false
			continue
		case mark(r) == "/": // with or without a column of marks
			g.columns(r)
			continue
		case g.skip == 1 && strings.Contains("!^_$", mark(r)) && mark(r) != "":
			continue
		case alignmentRow(r, g.skip):
			for i, c := range r.Cells {
				if m := columnForm.FindStringSubmatch(c.Text); m != nil && m[1] != "" {
					cookies[i] = m[1]
				}
			}
			continue
		}
		if !open {
			g.groups = append(g.groups, nil)
			open = true
		}
		last := len(g.groups) - 1
		g.groups[last] = append(g.groups[last], r)
		rows = append(rows, r)
		g.width = max(g.width, len(r.Cells))
	}
	g.alignment(rows, cookies)
	return g
}

// alignment sets columns of numbers to the right unless a cookie says
// otherwise.
func (g *grid) alignment(rows []org.Row, cookies map[int]string) {
	for c := range g.width {
		if a, ok := cookies[c]; ok {
			g.align[c] = a
			continue
		}
		numbers, filled := 0, 0
		for _, r := range rows {
			if c < len(r.Cells) && r.Cells[c].Text != "" {
				filled++
				if isNumber(r.Cells[c].Text) {
					numbers++
				}
			}
		}
		if filled > 0 && 2*numbers >= filled {
			g.align[c] = "r"
		}
	}
}

// isNumber reports whether a field counts as a number.
func isNumber(field string) bool {
	switch c := field[0]; {
	case '0' <= c && c <= '9', strings.IndexByte("<>+-.^niu", c) >= 0, c >= 0x80:
		return numericForm.MatchString(field)
	}
	return false
}

// columns reads the row of "<", ">" and "<>" that groups columns.
func (g *grid) columns(r org.Row) {
	for i, c := range r.Cells {
		switch c.Text {
		case "<":
			g.start[i] = true
		case ">":
			g.end[i] = true
		case "<>":
			g.start[i], g.end[i] = true, true
		}
	}
}

func mark(r org.Row) string {
	if len(r.Cells) == 0 {
		return ""
	}
	return r.Cells[0].Text
}

// marksColumn reports whether the first column holds marks for Org's
// spreadsheet and nothing else.
func marksColumn(t org.Table) bool {
	some := false
	for _, r := range t.Rows {
		if r.Rule {
			continue
		}
		switch m := mark(r); {
		case m == "":
		case len(m) == 1 && strings.Contains("#!^_$*/", m):
			some = true
		case columnForm.MatchString(m):
		default:
			return false
		}
	}
	return some
}

// alignmentRow reports whether a row only says how columns are set.
func alignmentRow(r org.Row, skip int) bool {
	some := false
	for i, c := range r.Cells {
		if c.Text == "" || i < skip {
			continue
		}
		if !columnForm.MatchString(c.Text) {
			return false
		}
		some = true
	}
	return some
}

// table writes a table: the rows above the first rule are its head.
func (w *writer) table(n *org.Node) string {
	t, ok := n.Table()
	if !ok {
		return ""
	}
	g := gridOf(t)
	if len(g.groups) == 0 {
		return ""
	}
	attrs := w.attributes(n, blockAttributes)
	var out strings.Builder
	label := w.word("Table")
	result := isResult(n)
	id := ""
	if !result {
		id = w.anchorOf(n)
	}
	out.WriteString("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + label + "\">\n<table" + id + attrs.String() + ">\n")
	caption := w.numbered(n)
	if caption != "" {
		out.WriteString("<caption>" + caption + "</caption>\n")
	}
	out.WriteString(g.colgroups())
	for i, group := range g.groups {
		section, cell, scope := "tbody", "td", ""
		if i == 0 && len(g.groups) > 1 {
			section, cell, scope = "thead", "th", " scope=\"col\""
		}
		out.WriteString("<" + section + ">\n")
		for _, r := range group {
			out.WriteString(w.row(g, r, cell, scope))
		}
		out.WriteString("</" + section + ">\n")
	}
	out.WriteString("</table>\n</div>\n")
	if result {
		return w.framed(n, out.String(), "", false)
	}
	return out.String()
}

// colgroups are the groups of columns that a row marked "/" makes.
func (g *grid) colgroups() string {
	if len(g.start) == 0 && len(g.end) == 0 {
		return ""
	}
	var out strings.Builder
	span := 0
	flush := func() {
		if span > 0 {
			fmt.Fprintf(&out, "<colgroup span=\"%d\"></colgroup>\n", span)
		}
		span = 0
	}
	for c := g.skip; c < g.width; c++ {
		if g.start[c] {
			flush()
		}
		span++
		if g.end[c] {
			flush()
		}
	}
	flush()
	return out.String()
}

// longCell is from how many characters on a cell holds running text, which wraps
// and must not become narrow for that.
const longCell = 24

func (w *writer) row(g *grid, r org.Row, tag, scope string) string {
	var cells []*org.Node
	plain := !w.radio && !strings.ContainsAny(r.Text(), "*/_+=~^[<{$\\@:") // nothing but text
	if !plain {
		for c := range w.doc.Objects(r.Node).Children() {
			if c.Kind() == org.KindTableCell {
				cells = append(cells, c)
			}
		}
	}
	var out strings.Builder
	out.WriteString("<tr>")
	for c := g.skip; c < g.width; c++ {
		var classes []string
		if a := g.align[c]; a != "" && a != "l" {
			classes = append(classes, a)
		}
		if tag == "td" && c < len(r.Cells) && utf8.RuneCountInString(r.Cells[c].Text) > longCell {
			classes = append(classes, "long")
		}
		class := ""
		if len(classes) > 0 {
			class = " class=\"" + strings.Join(classes, " ") + "\""
		}
		body := ""
		switch {
		case plain && c < len(r.Cells):
			cell := r.Cells[c]
			w.quotes = w.marksOf([]org.Token{cell.Token}, cell.Start, cell.End)
			body = w.plain(cell.Text, cell.Start)
		case c < len(cells):
			body = strings.TrimSpace(w.inline(cells[c]))
		}
		out.WriteString("<" + tag + scope + class + ">" + body + "</" + tag + ">")
	}
	return out.String() + "</tr>\n"
}
