package tangle

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle/elisp"
)

// readElement is the value of a named element: a table is a list of rows, a
// list the texts of its items, a line of fixed width a number or text, a block
// or a paragraph its text.
func readElement(doc *org.Document, n *org.Node, dir string) (elisp.Value, bool) {
	switch n.Kind() {
	case org.KindTable:
		return readTable(n), true
	case org.KindList:
		return readList(doc, n), true
	case org.KindFixedWidth:
		text := trim(fixedWidth(elementText(n)))
		if number, ok := elisp.ParseNumber(text); ok {
			return number, true
		}
		return elisp.String(text), true
	case org.KindExampleBlock, org.KindSrcBlock, org.KindExportBlock:
		b, _ := n.Block()
		text := Uncomma(doc.Text(b.Body))
		if n.Kind() == org.KindExportBlock || !hasSwitch(b.Switches.Text, "-i") {
			text = Dedent(text)
		}
		return elisp.String(text), true
	case org.KindParagraph:
		text := elementText(n)
		if link, ok := soleLink(text, dir); ok {
			return elisp.String(link), true
		}
		return elisp.String(text), true
	case org.KindQuoteBlock, org.KindCenterBlock, org.KindVerseBlock, org.KindSpecialBlock:
		b, _ := n.Block()
		return elisp.String(Dedent(doc.Text(b.Body))), true
	}
	return nil, false
}

// elementText is an element's text without its affiliated keywords.
func elementText(n *org.Node) string {
	start := n.Start()
	for _, k := range n.Affiliated() {
		start = max(start, k.End())
	}
	return n.Document().Source()[start:n.End()]
}

func fixedWidth(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), ":")
		lines[i] = strings.TrimPrefix(line, " ")
	}
	return strings.Join(lines, "\n")
}

func readTable(n *org.Node) elisp.Value {
	table, _ := n.Table()
	rows := make([]elisp.Value, len(table.Rows))
	for i, row := range table.Rows {
		if row.Rule {
			rows[i] = elisp.HLine
			continue
		}
		cells := make([]elisp.Value, len(row.Cells))
		for j, cell := range row.Cells {
			cells[j] = readCell(cell.Text)
		}
		rows[i] = elisp.List(cells...)
	}
	return elisp.List(rows...)
}

// readCell reads text that stands in a table or list.
func readCell(text string) elisp.Value {
	v, err := elisp.ReadCell(text, nil)
	if err != nil { // cannot happen: nothing is evaluated
		return elisp.String(text)
	}
	return v
}

// readList takes the text of each top-level item up to its first sub-item.
func readList(doc *org.Document, n *org.Node) elisp.Value {
	list, _ := n.List()
	source := doc.Source()
	items := make([]elisp.Value, len(list.Items))
	for i, item := range list.Items {
		end := n.End()
		if i+1 < len(list.Items) {
			end = list.Items[i+1].Start()
		}
		for child := range item.Children() {
			if child.Kind() == org.KindList {
				end = child.Start()
				break
			}
		}
		start := item.Bullet.End
		for start < end && (source[start] == ' ' || source[start] == '\t') {
			start++
		}
		width := start - strings.LastIndexByte(source[:start], '\n') - 1
		text := strings.Repeat(" ", width) + strings.TrimSuffix(source[start:end], "\n")
		items[i] = readCell(Dedent(text))
	}
	return elisp.List(items...)
}

var bracketLink = lazyregexp.New(`^[ \t]*\[\[((?:[^\]\[\\]|\\(?:\\\\)*[\]\[]|\\+[^\]\[])+)\](?:\[[^\x00]+?\])?\]\s*$`)

var linkScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// soleLink reads a paragraph that is one link: a file link gives the file's
// absolute path, any other link its target.
func soleLink(text, dir string) (string, bool) {
	m := bracketLink.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	raw := m[1]
	scheme, rest, typed := strings.Cut(raw, ":")
	switch {
	case typed && strings.EqualFold(scheme, "file"):
		return elisp.Expand(rest, dir, "~"), true
	case typed && linkScheme.MatchString(scheme):
		return raw, true
	}
	return elisp.Expand(raw, dir, "~"), true
}
