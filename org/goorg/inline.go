package goorg

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	goorg "github.com/niklasfasching/go-org/org"

	"wb/internal/lazyregexp"
	"wb/org"
)

// objects are the objects in an element's text.
func (b *bridge) objects(n *org.Node) []goorg.Node {
	root := b.doc.Objects(n)
	if root == nil {
		return nil
	}
	return trimEnd(b.inline(root))
}

// trimEnd drops the line end that closes a paragraph.
func trimEnd(nodes []goorg.Node) []goorg.Node {
	if n := len(nodes); n > 0 {
		if _, ok := nodes[n-1].(goorg.LineBreak); ok {
			return nodes[:n-1]
		}
	}
	return nodes
}

// inline turns the objects below a node into go-org's.
func (b *bridge) inline(n *org.Node) (out []goorg.Node) {
	for c := range n.Children() {
		out = append(out, b.object(c)...)
	}
	return out
}

// kinds are go-org's names of emphasis.
var kinds = map[org.Kind]string{
	org.KindBold: "*", org.KindItalic: "/", org.KindUnderline: "_", org.KindStrike: "+", org.KindVerbatim: "=", org.KindCode: "~",
	org.KindSubscript: "_{}", org.KindSuperscript: "^{}",
}

func (b *bridge) object(n *org.Node) []goorg.Node {
	switch n.Kind() {
	case org.KindMarkup:
		return nil
	case org.KindVerbatim, org.KindCode:
		text := n.Text()
		return []goorg.Node{goorg.Emphasis{Kind: kinds[n.Kind()], Content: raw(text[1 : len(text)-1])}}
	case org.KindBold, org.KindItalic, org.KindUnderline, org.KindStrike:
		return []goorg.Node{goorg.Emphasis{Kind: kinds[n.Kind()], Content: b.inline(n)}}
	case org.KindSubscript, org.KindSuperscript:
		if strings.Contains(n.Text(), "{") { // go-org writes braces, and a_b is not a_{b} where Org is told so
			return []goorg.Node{goorg.Emphasis{Kind: kinds[n.Kind()], Content: b.inline(n)}}
		}
	case org.KindLink:
		l, _ := n.Link()
		return []goorg.Node{b.link(l)}
	case org.KindFootnoteRef:
		f, _ := n.FootnoteRef()
		link := goorg.FootnoteLink{Name: f.Label.Text}
		if f.Inline {
			link.Definition = &goorg.FootnoteDefinition{Name: f.Label.Text, Inline: true, Children: []goorg.Node{goorg.Paragraph{Children: b.inline(n)}}}
		}
		return []goorg.Node{link}
	case org.KindMacro:
		m, _ := n.Macro()
		out := goorg.Macro{Name: m.Key.Text}
		for _, a := range m.Args {
			out.Parameters = append(out.Parameters, a.Text)
		}
		return []goorg.Node{out}
	case org.KindCookie:
		return []goorg.Node{goorg.StatisticToken{Content: strings.Trim(n.Text(), "[]")}}
	case org.KindTimestamp:
		if t, ok := timestamp(n); ok {
			return []goorg.Node{t}
		}
	case org.KindLineBreak:
		return []goorg.Node{goorg.ExplicitLineBreak{}, goorg.LineBreak{Count: 1}}
	case org.KindInlineSrc:
		s, _ := n.InlineSrc()
		parameters := append([]string{s.Lang.Text}, strings.Fields(s.Args.Text)...)
		return []goorg.Node{goorg.InlineBlock{Name: "src", Parameters: parameters, Children: raw(s.Code())}}
	case org.KindExportSnippet:
		if backend, text, ok := strings.Cut(strings.Trim(n.Text(), "@"), ":"); ok {
			return []goorg.Node{goorg.InlineBlock{Name: "export", Parameters: []string{backend}, Children: raw(text)}}
		}
	case org.KindLatexFragment:
		return []goorg.Node{latex(n.Text())}
	}
	return text(n.Text())
}

// text splits text at its line ends.
func text(s string) (out []goorg.Node) {
	for i, line := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		if i > 0 {
			out = append(out, goorg.LineBreak{Count: 1})
			line = strings.TrimLeft(line, " \t")
		}
		if line != "" {
			out = append(out, goorg.Text{Content: line})
		}
	}
	return out
}

func (b *bridge) link(l org.Link) goorg.Node {
	url := l.Target.Text
	out := goorg.RegularLink{URL: url, AutoLink: l.Form != org.BracketLink}
	if protocol, _, ok := strings.Cut(url, ":"); ok {
		out.Protocol = protocol
	}
	if l.Desc.Present() {
		out.Description = b.inline(l.Node)
	}
	return out
}

// stamp matches the timestamps go-org knows; the others are text.
var stamp = lazyregexp.New(`^<\d{4}-\d\d-\d\d( [A-Za-z]+)?( \d\d:\d\d)?( \+\d+[dwmy])?>$`)

func timestamp(n *org.Node) (goorg.Timestamp, bool) {
	t, ok := n.Timestamp()
	if !ok || !stamp.MatchString(n.Text()) {
		return goorg.Timestamp{}, false
	}
	out := goorg.Timestamp{Time: t.From.Time(time.UTC), IsDate: !t.From.HasTime}
	if t.Repeat.Mark != "" {
		out.Interval = t.Repeat.Mark + strconv.Itoa(t.Repeat.Count) + string(rune(t.Repeat.Unit))
	}
	return out, true
}

func latex(text string) goorg.Node {
	for _, pair := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		if strings.HasPrefix(text, pair[0]) && strings.HasSuffix(text, pair[1]) && len(text) > len(pair[0])+len(pair[1]) {
			return goorg.LatexFragment{OpeningPair: pair[0], ClosingPair: pair[1], Content: raw(text[len(pair[0]) : len(text)-len(pair[1])])}
		}
	}
	return goorg.Text{Content: text, IsRaw: true}
}

// table turns a table into go-org's, and its formulas into keywords.
func (b *bridge) table(t org.Table) []goorg.Node {
	var out goorg.Table
	width := 0
	for _, r := range t.Rows {
		width = max(width, len(r.Cells))
	}
	out.ColumnInfos = make([]goorg.ColumnInfo, width)
	numbers, others := make([]int, width), make([]int, width)
	for i, r := range t.Rows {
		if r.Rule {
			out.SeparatorIndices = append(out.SeparatorIndices, i)
			out.Rows = append(out.Rows, goorg.Row{})
			continue
		}
		row := goorg.Row{IsSpecial: special(r)}
		cells := b.cells(r)
		for k := range width {
			info := &out.ColumnInfos[k]
			column := goorg.Column{ColumnInfo: info}
			if k < len(r.Cells) {
				column.Children = cells[k]
				content := r.Cells[k].Text
				info.Len = max(info.Len, utf8.RuneCountInString(content))
				switch _, err := strconv.ParseFloat(content, 64); {
				case row.IsSpecial:
					align(info, content)
				case err == nil:
					numbers[k]++
				case content != "":
					others[k]++
				}
			}
			row.Columns = append(row.Columns, column)
		}
		out.Rows = append(out.Rows, row)
	}
	for k := range out.ColumnInfos {
		if out.ColumnInfos[k].Align == "" && numbers[k] >= others[k] {
			out.ColumnInfos[k].Align = "right"
		}
	}
	nodes := []goorg.Node{out}
	for _, f := range t.Formulas {
		nodes = append(nodes, keyword(f))
	}
	return nodes
}

// cells are the objects of a row's cells.
func (b *bridge) cells(r org.Row) [][]goorg.Node {
	out := make([][]goorg.Node, len(r.Cells))
	for i, c := range r.Cells {
		out[i] = text(c.Text)
	}
	root := b.doc.Objects(r.Node)
	if root == nil {
		return out
	}
	k := 0
	for c := range root.Children() {
		if c.Kind() != org.KindTableCell || k >= len(out) {
			continue
		}
		if out[k] = trimSpace(b.inline(c)); len(out[k]) == 0 {
			out[k] = text(r.Cells[k].Text)
		}
		k++
	}
	return out
}

// trimSpace drops the blanks and the bar around a cell's text.
func trimSpace(nodes []goorg.Node) []goorg.Node {
	for len(nodes) > 0 {
		t, ok := nodes[0].(goorg.Text)
		if !ok {
			break
		}
		if t.Content = strings.TrimLeft(t.Content, " \t"); t.Content != "" {
			nodes[0] = t
			break
		}
		nodes = nodes[1:]
	}
	for len(nodes) > 0 {
		last := len(nodes) - 1
		t, ok := nodes[last].(goorg.Text)
		if !ok {
			break
		}
		if t.Content = strings.TrimRight(t.Content, " \t"); t.Content != "" {
			nodes[last] = t
			break
		}
		nodes = nodes[:last]
	}
	return nodes
}

// alignment is a cell that says how its column is to be shown.
var alignment = lazyregexp.New(`^<([lcr])?(\d+)?>$`)

// special reports whether a row only says how columns are to be shown.
func special(r org.Row) bool {
	any := false
	for _, c := range r.Cells {
		if c.Text != "" && !alignment.MatchString(c.Text) {
			return false
		}
		any = any || c.Text != ""
	}
	return any
}

func align(info *goorg.ColumnInfo, cell string) {
	m := alignment.FindStringSubmatch(cell)
	if m == nil {
		return
	}
	switch m[1] {
	case "l":
		info.Align = "left"
	case "c":
		info.Align = "center"
	case "r":
		info.Align = "right"
	}
	if m[2] != "" {
		info.DisplayLen, _ = strconv.Atoi(m[2]) // digits
	}
}
