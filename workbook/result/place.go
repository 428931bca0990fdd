package result

import (
	"strings"

	"wb/org"
)

// place is where the result of a block stands or will stand.
type place struct {
	// line is the #+RESULTS: line with its line end; empty and at the
	// insertion point when there is none yet.
	line   org.Span
	exists bool
	hash   string
	// old is the present result below the line, which will be replaced.
	Old org.Span
	// table says that old is a table, which rows may be added to.
	table bool
	// indent is the indentation of the line in columns.
	indent int
}

// FindPlace locates the result of a block or call line; a fresh one goes below
// the block and is indented as its first line, which may be a #+NAME:.
func FindPlace(doc *org.Document, block *org.Node) place {
	if r, ok := doc.ResultOf(block); ok {
		return place{line: r.Line, exists: true, hash: r.Hash.Text, Old: r.Body,
			table:  r.Element != nil && r.Element.Kind() == org.KindTable,
			indent: Indentation(doc.Text(r.Line))}
	}
	end := org.Span{Start: block.End(), End: block.End()}
	return place{line: end, Old: end, indent: Indentation(block.Text())}
}

// CoreText is an element's text without its affiliated keywords.
func CoreText(n *org.Node) string {
	start := n.Start()
	for c := range n.Children() {
		if c.Kind() != org.KindAffiliated {
			break
		}
		start = c.End()
	}
	return n.Document().Text(org.Span{Start: start, End: n.End()})
}

// Indentation measures the blanks a line starts with in columns, tabs counting
// to multiples of eight.
func Indentation(line string) int {
	columns := 0
	for _, c := range line {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 8 - columns%8
		default:
			return columns
		}
	}
	return columns
}

// indentText is n columns of indentation as Emacs writes it: tabs, then blanks.
func indentText(n int) string { return strings.Repeat("\t", n/8) + strings.Repeat(" ", n%8) }

// ShiftLines moves every line of text by n columns, to the left when n is
// negative. Blank lines become empty.
func ShiftLines(text string, n int) string {
	if n == 0 {
		return text
	}
	var out strings.Builder
	for l := range strings.Lines(text) {
		bare := strings.TrimLeft(l, " \t")
		if strings.TrimSpace(bare) != "" {
			out.WriteString(indentText(max(0, Indentation(l)+n)))
		}
		out.WriteString(bare)
	}
	return out.String()
}
