package org

import (
	"strings"
)

// table parses rows and rules, then formulas.
func (p *parser) table(parent *Node, start int, l line, limit int) int {
	n := p.open(parent, KindTable, start, l.start, l.start)
	pos := l.start
	for pos < limit {
		l = p.line(pos)
		if l.blank() || p.src[l.text] != '|' {
			break
		}
		kind := KindTableRow
		if l.text+1 < l.end && p.src[l.text+1] == '-' {
			kind = KindTableRule
		}
		p.add(n, kind, pos, l.next)
		pos = l.next
	}
	for pos < limit {
		l = p.line(pos)
		if l.blank() || !hasPrefixFold(p.src[l.text:l.next], "#+tblfm: ") {
			break
		}
		p.add(n, KindTableFormula, pos, l.next)
		pos = l.next
	}
	n.end = pos
	return pos
}

// tableEl recognises a table.el table: consecutive lines of "+" and "|" of
// which the first and the last are full rules.
func (p *parser) tableEl(l line, limit int) (end int, ok bool) {
	if !isTableElRule(p.src, l) {
		return 0, false
	}
	if l.start < p.grid.from || l.start >= p.grid.to {
		p.grid.from, p.grid.end = l.start, 0
		pos, lastRule := l.next, false
		for pos < limit {
			next := p.line(pos)
			if next.blank() || p.src[next.text] != '+' && p.src[next.text] != '|' {
				break
			}
			lastRule = isTableElRule(p.src, next)
			pos = next.next
		}
		p.grid.to = pos
		if lastRule {
			p.grid.end = pos
		}
	}
	return p.grid.end, p.grid.end > l.next
}

// isTableElRule reports whether the line is "+---+--+".
func isTableElRule(s string, l line) bool {
	t := s[l.text:l.end]
	return len(t) >= 3 && t[0] == '+' && t[len(t)-1] == '+' && t[1] == '-' &&
		strings.Trim(t, "+-") == "" && !strings.Contains(t, "++")
}

// Table is an org table.
type Table struct {
	*Node
	Rows     []Row
	Formulas []Keyword // the #+TBLFM: lines
}

// Row is one line of a table: cells, or a rule.
type Row struct {
	*Node
	Rule  bool
	Cells []Cell // nil for a rule
}

// Cell is one field of a row; its Token is the field without the blanks
// around it, which is empty (but placed) for an empty field.
type Cell struct {
	Token
	Field Span // everything between the two bars
}

// Table reads a node of [KindTable].
func (n *Node) Table() (Table, bool) {
	if n.kind != KindTable {
		return Table{}, false
	}
	t := Table{Node: n}
	for c := n.first; c != nil; c = c.next {
		switch c.kind {
		case KindTableRow, KindTableRule:
			t.Rows = append(t.Rows, readRow(c))
		case KindTableFormula:
			t.Formulas = append(t.Formulas, readKeyword(c))
		}
	}
	return t, true
}

func readRow(n *Node) Row {
	r := Row{Node: n, Rule: n.kind == KindTableRule}
	if r.Rule {
		return r
	}
	s := n.doc.text
	l := lineAt(s, n.start)
	for pos := l.text + 1; pos < l.end; {
		end := l.end
		if i := strings.IndexByte(s[pos:l.end], '|'); i >= 0 {
			end = pos + i
		}
		r.Cells = append(r.Cells, readCell(n, pos, end))
		pos = end + 1
	}
	return r
}

func readCell(n *Node, start, end int) Cell {
	inner := trimSpan(n.doc.text, start, end)
	if inner.Len() == 0 { // place the empty field behind the blank after its bar
		at := min(start+1, end)
		inner = Span{at, at}
	}
	return Cell{n.token(inner), Span{start, end}}
}

// rowObjects parses the cells of a table row.
func (d *Document) rowObjects(n *Node, radio *radioTrie) *Node {
	l := lineAt(d.text, n.start)
	p := d.newObjectParser(n.Span(), radio)
	root := p.add(nil, KindObjects, n.start, n.end)
	root.parent = n
	p.add(root, KindMarkup, n.start, l.text+1)
	for pos := l.text + 1; pos < l.end; {
		end, after := l.end, l.end
		if i := strings.IndexByte(d.text[pos:l.end], '|'); i >= 0 {
			end, after = pos+i, pos+i+1
		}
		cell := p.add(root, KindTableCell, pos, after)
		inner := trimSpan(d.text, pos, end)
		if inner.Len() > 0 {
			if inner.Start > pos {
				p.add(cell, KindMarkup, pos, inner.Start)
			}
			p.run(objectJob{cell, inner.Start, inner.End, cellSet, after})
		}
		pos = after
	}
	if l.end < n.end {
		p.add(root, KindMarkup, l.end, n.end)
	}
	return root
}
