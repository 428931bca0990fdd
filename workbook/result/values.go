package result

import (
	"fmt"
	"path/filepath"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/elisp"
)

// ReadElement is the value of a named element that is not a source block, as
// org-babel reads it: a table is a list of rows, a list its top items, an
// example its text. Elements that hold no value are an error.
func ReadElement(n *org.Node) (value.Value, error) {
	switch n.Kind() {
	case org.KindTable:
		return readTable(n), nil
	case org.KindList:
		return readList(n), nil
	case org.KindFixedWidth:
		text := strings.TrimSpace(fixedWidthText(n))
		if number, ok := elisp.ParseNumber(text); ok {
			return elisp.ToValue(number)
		}
		return value.OfString(text), nil
	case org.KindExampleBlock, org.KindSrcBlock, org.KindExportBlock:
		b, _ := n.Block()
		return value.OfString(EndLine(b.Code())), nil
	case org.KindQuoteBlock, org.KindCenterBlock, org.KindVerseBlock, org.KindSpecialBlock:
		b, _ := n.Block()
		return value.OfString(org.Dedent(PlainLines(n.Document().Text(b.Body)))), nil
	case org.KindParagraph:
		return readParagraph(n), nil
	}
	return value.Nil(), fmt.Errorf("a %s has no value", n.Kind())
}

// readTable is a table as rows of cells; rules are rows of their own.
func readTable(n *org.Node) value.Value {
	table, _ := n.Table()
	var rows []value.Value
	for _, row := range table.Rows {
		if row.Rule {
			rows = append(rows, value.Rule())
			continue
		}
		cells := make([]value.Value, len(row.Cells))
		for i, cell := range row.Cells {
			cells[i] = readCell(cell.Text)
		}
		rows = append(rows, value.OfList(cells...))
	}
	return value.OfList(rows...)
}

// readCell reads one cell: a number, a quoted string without its quotes, or
// the text.
func readCell(text string) value.Value {
	cell, err := elisp.ReadCell(text, nil)
	if err != nil {
		return value.OfString(text)
	}
	v, err := elisp.ToValue(cell)
	if err != nil {
		return value.OfString(text)
	}
	return v
}

// readList is the text of a list's top items, without what is nested in them.
func readList(n *org.Node) value.Value {
	list, _ := n.List()
	items := make([]value.Value, len(list.Items))
	for i, item := range list.Items {
		items[i] = readCell(itemOwnText(item))
	}
	return value.OfList(items...)
}

// itemOwnText is an item's text up to the first list inside it.
func itemOwnText(item org.Item) string {
	body := item.Body
	for c := range item.Children() {
		if c.Kind() == org.KindList {
			body.End = c.Start()
			break
		}
	}
	text := strings.TrimSpace(PlainLines(item.Document().Text(body)))
	first, rest, more := strings.Cut(text, "\n")
	if more {
		text = first + "\n" + org.Dedent(rest)
	}
	if item.Tag.Present() {
		text = item.Tag.Text + " :: " + text
	}
	if item.Checkbox.Present() {
		text = item.Checkbox.Text + " " + text
	}
	return text
}

var fixedWidthMark = lazyregexp.New(`(?m)^[ \t]*: ?`)

// fixedWidthText is the text behind the colons.
func fixedWidthText(n *org.Node) string {
	return fixedWidthMark.ReplaceAllString(PlainLines(CoreText(n)), "")
}

var paragraphLink = lazyregexp.New(`^\[\[((?:[^\]\[\\]|\\.)+)\](?:\[(?:.+?)\])?\]$`)

// readParagraph is a paragraph's text, or the file that its only link names.
func readParagraph(n *org.Node) value.Value {
	text := PlainLines(CoreText(n))
	m := paragraphLink.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return value.OfString(text)
	}
	path := m[1]
	if kind, rest, ok := strings.Cut(path, ":"); ok {
		if kind != "file" && !strings.HasPrefix(kind, "file+") {
			return value.OfString(path)
		}
		path = rest
	}
	return value.OfString(filepath.ToSlash(filepath.Clean(path)))
}
