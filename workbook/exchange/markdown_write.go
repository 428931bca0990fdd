package exchange

import (
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Fidelity says what becomes of org text that Markdown has no form for.
type Fidelity int

// The ways of writing Markdown.
const (
	// Lossless keeps what org said in comments, so that [FromMarkdown] gives the
	// same bytes.
	Lossless Fidelity = iota
	// Readable leaves it out.
	Readable
)

// ToMarkdown translates org into Markdown as GitHub reads it.
func ToMarkdown(src []byte, fidelity Fidelity) []byte {
	if fidelity == Lossless {
		return []byte(losslessMarkdown(string(src)))
	}
	return []byte(readableMarkdown(src))
}

// readableMarkdown leaves out what Markdown has no form for.
func readableMarkdown(src []byte) string { return translated(src, Readable) }

// plainMarkdown carries that along in comments, and does not mind how many
// blank lines there are.
func plainMarkdown(src []byte) string { return translated(src, Lossless) }

func translated(src []byte, fidelity Fidelity) string {
	doc := org.Parse([]byte(strings.ReplaceAll(string(src), "\r\n", "\n")))
	w := &markdownWriter{doc: doc, fidelity: fidelity}
	title, _ := doc.Setting("TITLE")
	if fidelity == Readable && title.Text != "" {
		w.b.WriteString("# " + escapeMarkdown(title.Text) + "\n")
		w.shift = 1
	}
	w.children(doc.Root())
	return strings.TrimLeft(w.b.String(), "\n")
}

// markdownWriter writes the blocks of a document.
type markdownWriter struct {
	doc      *org.Document
	fidelity Fidelity
	shift    int // of heading levels
	b        strings.Builder
	prefix   string // of every line: what quotes and items put before it
	carried  strings.Builder
	joined   bool // what is carried belongs to the element that follows
	// afterList is the last character of the bullets when the block above is a
	// list.
	afterList string
}

// children writes what a container holds.
func (w *markdownWriter) children(n *org.Node) {
	for c := range n.Children() {
		w.element(c)
	}
	w.flush(false)
}

// element writes one element, or carries it along.
func (w *markdownWriter) element(n *org.Node) {
	switch n.Kind() {
	case org.KindBlank, org.KindHeadlineLine, org.KindAffiliated, org.KindText, org.KindBlockBegin, org.KindBlockEnd, org.KindItemMarker,
		org.KindFootnoteMarker, org.KindDrawerBegin, org.KindDrawerEnd:
		return
	case org.KindHeadline:
		w.headline(n)
		return
	case org.KindDrawer:
		if w.results(n) {
			return
		}
	}
	if body, ok := w.translate(n); ok {
		for _, k := range n.Affiliated() {
			if k.Name() == "CAPTION" && isPicture(w.doc, n) {
				continue
			}
			w.carry(k.Text(), true)
		}
		w.flush(true)
		list, _ := n.List()
		kind := ""
		if list.Node != nil {
			kind = list.Items[0].Bullet.Text[len(list.Items[0].Bullet.Text)-1:]
		}
		if kind != "" && kind == w.afterList {
			w.put(listSeparator + "\n")
		}
		w.put(body)
		w.afterList = kind
		return
	}
	w.carry(n.Text(), false)
}

// carry keeps org text for a comment.
func (w *markdownWriter) carry(text string, joined bool) {
	if w.fidelity == Lossless {
		if w.carried.Len() > 0 && !w.joined && joined {
			w.flush(false)
		}
		w.carried.WriteString(org.Dedent(text))
		w.joined = joined
	}
}

// flush writes what was carried as a comment.
func (w *markdownWriter) flush(beforeElement bool) {
	if w.carried.Len() == 0 {
		return
	}
	open := orgOpen
	if w.joined && beforeElement {
		open = orgJoin
	}
	text := strings.TrimRight(w.carried.String(), "\n") + "\n"
	w.carried.Reset()
	w.put(carried(open, text))
}

// put writes a block below a blank line.
func (w *markdownWriter) put(block string) {
	if w.b.Len() > 0 {
		w.b.WriteString(strings.TrimRight(w.prefix, " ") + "\n")
	}
	for line := range strings.Lines(block) {
		if strings.TrimSpace(line) == "" && w.prefix != "" {
			w.b.WriteString(strings.TrimRight(w.prefix, " ") + "\n")
			continue
		}
		w.b.WriteString(w.prefix + line)
	}
}

// inside writes the children of a container to a text of their own.
func (w *markdownWriter) inside(n *org.Node) string {
	inner := &markdownWriter{doc: w.doc, fidelity: w.fidelity, shift: w.shift}
	inner.children(n)
	return inner.b.String()
}

func (w *markdownWriter) headline(n *org.Node) {
	h, _ := n.Headline()
	w.flush(false)
	if w.fidelity == Readable && (h.Comment || h.HasTag("noexport")) {
		return
	}
	line := strings.TrimRight(w.doc.Text(h.Line), "\n")
	before := strings.TrimLeft(w.doc.Text(org.Span{Start: h.Start() + h.Level, End: max(h.Title.Start, h.Start()+h.Level)}), " ")
	after := ""
	if h.TagList.Present() && h.TagList.Start >= h.Title.End {
		after = w.doc.Text(org.Span{Start: h.Title.End, End: h.Start() + len(line)})
	}
	title := inlineMarkdown(w.doc, w.doc.Objects(n))
	if w.fidelity == Readable {
		after = ""
	}
	level := min(6, h.Level+w.shift)
	w.put(strings.TrimRight(strings.Repeat("#", level)+" "+before+title+after, " ") + "\n")
	w.children(n)
}

// results unwraps a drawer of results.
func (w *markdownWriter) results(n *org.Node) bool {
	d, _ := n.Drawer()
	if w.fidelity != Readable || !d.Is("results") {
		return false
	}
	w.children(n)
	return true
}

// translate writes an element as Markdown; ok is false when Markdown has no
// form for it.
func (w *markdownWriter) translate(n *org.Node) (body string, ok bool) {
	switch n.Kind() {
	case org.KindParagraph:
		return w.paragraph(n), true
	case org.KindRule:
		return "***\n", true // "---" at the top would begin front matter
	case org.KindList:
		return w.list(n)
	case org.KindTable:
		return w.table(n)
	case org.KindFootnote:
		f, _ := n.Footnote()
		return "[^" + f.Label.Text + "]: " + strings.TrimLeft(w.inside(n), "\n"), f.Label.Present()
	case org.KindFixedWidth:
		return fence("", fixedWidthMark.ReplaceAllString(n.Text()[affiliatedLen(n):], "")), true
	case org.KindLatexEnv:
		return fence("org-latex", n.Text()[affiliatedLen(n):]), true
	}
	if !n.Kind().IsBlock() {
		return "", false
	}
	b, _ := n.Block()
	code := org.Unescape(w.doc.Text(b.Body))
	switch n.Kind() {
	case org.KindSrcBlock:
		if !b.HasSwitch("-i") {
			code = org.Dedent(code)
		}
		info := strings.TrimSpace(w.doc.Text(org.Span{Start: b.Type.End, End: b.Begin.End}))
		if w.fidelity == Readable {
			info = b.Lang.Text
		}
		return fence(info, code), info != ""
	case org.KindExampleBlock:
		if w.fidelity == Lossless && strings.TrimSpace(w.doc.Text(org.Span{Start: b.Type.End, End: b.Begin.End})) != "" {
			return "", false
		}
		return fence("", org.Dedent(code)), true
	case org.KindVerseBlock:
		return fence("org-verse", code), true
	case org.KindExportBlock:
		switch strings.ToLower(b.Lang.Text) {
		case "markdown", "md", "html":
			return code, true
		case "yaml":
			if b.Start() == 0 {
				if code == "\n" {
					code = "" // front matter of no lines
				}
				return "---\n" + code + "---\n", true
			}
		}
	case org.KindQuoteBlock:
		inner := strings.TrimLeft(w.inside(n), "\n")
		var out strings.Builder
		for line := range strings.Lines(inner) {
			out.WriteString(strings.TrimRight("> "+strings.TrimRight(line, "\n"), " ") + "\n")
		}
		return out.String(), inner != ""
	case org.KindCenterBlock, org.KindSpecialBlock:
		inner := strings.TrimLeft(w.inside(n), "\n")
		if w.fidelity == Readable {
			return inner, true
		}
	}
	return "", false
}

var blanksBeforeBreak = lazyregexp.New(`[ \t]+\\\n`)

var fixedWidthMark = lazyregexp.New(`(?m)^[ \t]*: ?`)

// affiliatedLen is the length of the keywords above an element.
func affiliatedLen(n *org.Node) int {
	length := 0
	for c := range n.Children() {
		if c.Kind() != org.KindAffiliated {
			break
		}
		length = c.End() - n.Start()
	}
	return length
}

// fence writes code between backticks, more of them than the code has.
func fence(info, code string) string {
	ticks := "```"
	for strings.Contains(code, ticks) || strings.Contains(info, "`") && strings.HasPrefix(ticks, "`") {
		if strings.Contains(info, "`") {
			ticks = "~~~" + strings.Repeat("~", strings.Count(code, "~"))
			break
		}
		ticks += "`"
	}
	if code != "" && !strings.HasSuffix(code, "\n") {
		code += "\n"
	}
	return ticks + info + "\n" + code + ticks + "\n"
}

// isPicture reports whether an element is a paragraph of one link without
// description.
func isPicture(doc *org.Document, n *org.Node) bool {
	_, ok := picture(doc, n)
	return ok
}

func picture(doc *org.Document, n *org.Node) (target string, ok bool) {
	if n.Kind() != org.KindParagraph {
		return "", false
	}
	root := doc.Objects(n)
	first := root.FirstChild()
	if first == nil || strings.TrimSpace(n.Text()[affiliatedLen(n):]) != strings.TrimSpace(first.Text()) {
		return "", false
	}
	link, isLink := first.Link()
	return link.Target.Text, isLink && link.Form == org.BracketLink && !link.Desc.Present()
}

func (w *markdownWriter) paragraph(n *org.Node) string {
	if target, ok := picture(w.doc, n); ok {
		for _, k := range n.Affiliated() {
			if k.Name() == "CAPTION" {
				return "![" + escapeMarkdown(k.Value.Text) + "](" + markdownTarget(linkTarget(target)) + ")\n"
			}
		}
	}
	text := blanksBeforeBreak.ReplaceAllString(org.Dedent(inlineMarkdown(w.doc, w.doc.Objects(n))), "\\\n")
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(protectLineStart(strings.TrimLeft(line, " \t")))
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// list writes a list; descriptions have no form in Markdown.
func (w *markdownWriter) list(n *org.Node) (string, bool) {
	list, _ := n.List()
	if list.Tagged && w.fidelity == Lossless {
		return "", false
	}
	var out strings.Builder
	loose := strings.Contains(strings.TrimRight(n.Text(), "\n"), "\n\n")
	number := 1
	for i, item := range list.Items {
		marker := "- "
		if list.Ordered {
			if item.Counter.Present() {
				fmt.Sscan(strings.Trim(item.Counter.Text, "[@]"), &number)
			}
			marker = fmt.Sprintf("%d%s ", number, item.Bullet.Text[len(item.Bullet.Text)-1:])
			number++
		}
		body := strings.TrimLeft(w.inside(item.Node), "\n")
		if item.Tag.Present() {
			body = "**" + escapeMarkdown(item.Tag.Text) + "** " + body
		}
		if item.Checkbox.Present() {
			body = item.Checkbox.Text + " " + body
		}
		if !loose {
			body = tight(body)
		}
		indent := strings.Repeat(" ", len(marker))
		if i > 0 && loose {
			out.WriteByte('\n')
		}
		for j, line := range strings.SplitAfter(strings.TrimSuffix(body, "\n"), "\n") {
			switch {
			case j == 0:
				out.WriteString(strings.TrimRight(marker+line, " "))
			case strings.TrimSpace(line) == "":
				out.WriteByte('\n')
			default:
				out.WriteString(indent + line)
			}
		}
		out.WriteByte('\n')
	}
	return out.String(), true
}

// tight removes the blank line between an item's text and the list in it.
func tight(body string) string {
	return blankBeforeList.ReplaceAllString(body, "\n$1")
}

var blankBeforeList = lazyregexp.New(`\n\n((?:[-+*]|\d+[.)]) )`)

// cookie is the alignment of a column, in a row of nothing else.
var cookie = lazyregexp.New(`^<([lrc])\d*>$`)

// table writes a table. Markdown has one header; other rules are left out.
func (w *markdownWriter) table(n *org.Node) (string, bool) {
	table, _ := n.Table()
	if len(table.Formulas) > 0 && w.fidelity == Lossless {
		return "", false
	}
	var rows [][]string
	var align []string
	header, width := -1, 0
	for _, row := range table.Rows {
		if row.Rule {
			if header < 0 && len(rows) > 0 {
				header = len(rows)
			} else if w.fidelity == Lossless {
				return "", false
			}
			continue
		}
		cells := tableCells(w.doc, row)
		if only := cookies(row); only != nil && align == nil {
			align = only
			continue
		}
		rows = append(rows, cells)
		width = max(width, len(cells))
	}
	if header > 1 && w.fidelity == Lossless || width == 0 {
		return "", false
	}
	if header < 0 {
		rows = append([][]string{make([]string, width)}, rows...)
	}
	var out strings.Builder
	for i, row := range rows {
		line := "|"
		for c := range width {
			cell := ""
			if c < len(row) {
				cell = row[c]
			}
			line += " " + cell + " |"
		}
		out.WriteString(line + "\n")
		if i == 0 {
			out.WriteString(delimiterRow(width, align))
		}
	}
	return out.String(), true
}

func delimiterRow(width int, align []string) string {
	line := "|"
	for c := range width {
		mark := ""
		if c < len(align) {
			mark = align[c]
		}
		line += map[string]string{"l": ":--", "r": "--:", "c": ":-:"}[mark]
		if mark == "" {
			line += "---"
		}
		line += "|"
	}
	return line + "\n"
}

// cookies are the alignments in a row that holds nothing else.
func cookies(row org.Row) []string {
	var align []string
	some := false
	for _, cell := range row.Cells {
		m := cookie.FindStringSubmatch(cell.Text)
		switch {
		case m != nil:
			align, some = append(align, m[1]), true
		case cell.Text == "":
			align = append(align, "")
		default:
			return nil
		}
	}
	if !some {
		return nil
	}
	return align
}

func tableCells(doc *org.Document, row org.Row) []string {
	var cells []string
	root := doc.Objects(row.Node)
	for c := range root.Children() {
		if c.Kind() == org.KindTableCell {
			cells = append(cells, strings.TrimSpace(strings.ReplaceAll(inlineMarkdown(doc, c), "|", `\|`)))
		}
	}
	for i := range cells {
		if i < len(row.Cells) && row.Cells[i].Text == "" {
			cells[i] = ""
		}
	}
	if len(cells) > len(row.Cells) {
		cells = cells[:len(row.Cells)]
	}
	return cells
}
