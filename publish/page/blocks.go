package page

import (
	"fmt"
	"html"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/workbook"
)

// raw is the text of a literal element as readers see it.
func (w *writer) raw(n *org.Node) string {
	if b, ok := n.Block(); ok {
		return org.Dedent(org.Unescape(w.doc.Text(b.Body)))
	}
	var out strings.Builder
	for line := range strings.Lines(w.own(n)) {
		trimmed := strings.TrimLeft(line, " \t")
		if n.Kind() == org.KindFixedWidth {
			trimmed = strings.TrimPrefix(strings.TrimPrefix(trimmed, ":"), " ")
			out.WriteString(trimmed)
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// own is the text of an element without its affiliated keywords.
func (w *writer) own(n *org.Node) string {
	start := n.Start()
	for _, k := range n.Affiliated() {
		start = max(start, k.End())
	}
	return w.doc.Text(org.Span{Start: start, End: n.End()})
}

// isResult reports whether an element stands under #+RESULTS:.
func isResult(n *org.Node) bool {
	for _, k := range n.Affiliated() {
		if strings.EqualFold(k.Key.Text, "RESULTS") {
			return true
		}
	}
	return false
}

// figure puts an element's caption and anchor around it, and marks results.
func (w *writer) figure(n *org.Node, body string) string {
	if body == "" {
		return ""
	}
	caption := ""
	for _, k := range n.Affiliated() {
		if strings.EqualFold(k.Key.Text, "CAPTION") {
			caption = w.inline(w.doc.ObjectsIn(k.Value.Span))
		}
	}
	id := ""
	if name := n.Name(); name.Present() {
		id = fmt.Sprintf(" id=\"%s\"", w.anchors["name "+name.Text])
	}
	class, made := "", ""
	if isResult(n) {
		class = " class=\"result\""
		made = w.madeBy(n)
	}
	if caption == "" && id == "" && class == "" {
		return body
	}
	if caption != "" {
		caption = "<figcaption>" + caption + "</figcaption>\n"
	}
	return "<figure" + class + id + ">\n" + body + made + caption + "</figure>\n"
}

// source is a block of code.
func (w *writer) source(n *org.Node) string {
	b, _ := n.Block()
	lang := html.EscapeString(b.Lang.Text)
	return w.figure(n, fmt.Sprintf("<pre><code class=\"language-%s\" data-lang=\"%s\">%s</code></pre>\n", lang, lang, html.EscapeString(b.Code())))
}

// madeBy is one line under a result: who made it and at what cost.
func (w *writer) madeBy(n *org.Node) string {
	c := w.component(n)
	if c == nil {
		return ""
	}
	f, known := w.opts.Facts[c.ID]
	line := fmt.Sprintf("made by <a href=\"#made--%s\">%s</a> in %s", html.EscapeString(workbook.Slug(c.ID)), html.EscapeString(c.ID), html.EscapeString(c.Lang))
	if known && f.Kept {
		line += fmt.Sprintf(", %s units of fuel", thousands(f.Fuel))
	}
	return "<p class=\"made\">" + line + "</p>\n"
}

// component is what made a result: the first component, in the author's order,
// whose results are shown and whose result in the document is this text. A
// result that nothing can be shown to have made says nothing about its making.
func (w *writer) component(n *org.Node) *workbook.Component {
	text := strings.TrimSpace(w.own(n))
	for i := w.next; i < len(w.makers); i++ {
		if w.makers[i].text == text {
			w.next = i + 1
			return w.makers[i].component
		}
	}
	return nil
}

// maker is a component and the result that stands in the document for it.
type maker struct {
	component *workbook.Component
	text      string
}

// shownResults lists the components whose results readers see, in document
// order.
func shownResults(plan *workbook.Plan) []maker {
	var out []maker
	for _, c := range plan.Components {
		exports := c.Args.Value(":exports")
		if c.Node() == nil || exports != "both" && exports != "results" {
			continue
		}
		at, ok := plan.Document().ResultOf(c.Node())
		if !ok || at.Element == nil {
			continue
		}
		out = append(out, maker{component: c, text: strings.TrimSpace((&writer{doc: plan.Document()}).own(at.Element))})
	}
	return out
}

// paragraph is text; one that is a picture alone is a figure.
func (w *writer) paragraph(n *org.Node) string {
	body := strings.TrimSpace(w.inline(w.doc.Objects(n)))
	if body == "" {
		return ""
	}
	if strings.HasPrefix(body, "<img ") && strings.HasSuffix(body, ">") && strings.Count(body, "<") == 1 {
		return w.figure(n, body+"\n")
	}
	if isResult(n) {
		return w.figure(n, "<p><output>"+body+"</output></p>\n")
	}
	return w.figure(n, "<p>"+body+"</p>\n")
}

var numeric = lazyregexp.New(`^[-+−]?[0-9][0-9.,   ]*%?$`)

// table writes rows; those above the first rule are the head. Columns of
// numbers are set to the right.
func (w *writer) table(n *org.Node) string {
	t, ok := n.Table()
	if !ok {
		return ""
	}
	head, right := 0, map[int]bool{}
	for i, r := range t.Rows {
		if r.Rule && head == 0 && i > 0 && i < len(t.Rows)-1 {
			head = i
		}
	}
	numbers, filled := map[int]int{}, map[int]int{}
	for i, r := range t.Rows {
		for c, cell := range r.Cells {
			if i >= head && cell.Text != "" {
				filled[c]++
				if numeric.MatchString(cell.Text) {
					numbers[c]++
				}
			}
		}
	}
	for c, k := range filled {
		right[c] = numbers[c]*2 > k
	}
	var out strings.Builder
	out.WriteString("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">\n<table>\n")
	body := false
	for i, r := range t.Rows {
		switch {
		case head > 0 && i == 0:
			out.WriteString("<thead>\n")
		case !body && i >= head:
			if head > 0 {
				out.WriteString("</thead>\n")
			}
			out.WriteString("<tbody>\n")
			body = true
		}
		if !r.Rule && !cookies(r) {
			out.WriteString(w.row(r, i < head, right))
		}
	}
	return out.String() + "</tbody>\n</table>\n</div>\n"
}

var cookie = lazyregexp.New(`^<[lrc]?\d*>$`)

// cookies reports whether a row only says how columns are set.
func cookies(r org.Row) bool {
	some := false
	for _, c := range r.Cells {
		if c.Text != "" && !cookie.MatchString(c.Text) {
			return false
		}
		some = some || c.Text != ""
	}
	return some
}

func (w *writer) row(r org.Row, head bool, right map[int]bool) string {
	var out strings.Builder
	out.WriteString("<tr>")
	for i, c := range r.Cells {
		tag, attr := "td", ""
		if head {
			tag, attr = "th", " scope=\"col\""
		}
		if right[i] {
			attr += " class=\"r\""
		}
		out.WriteString("<" + tag + attr + ">" + w.inline(w.doc.ObjectsIn(c.Span)) + "</" + tag + ">")
	}
	return out.String() + "</tr>\n"
}

func (w *writer) list(n *org.Node) string {
	l, ok := n.List()
	if !ok {
		return ""
	}
	tag := "ul"
	switch {
	case l.Tagged:
		tag = "dl"
	case l.Ordered:
		tag = "ol"
	}
	var out strings.Builder
	out.WriteString("<" + tag + ">\n")
	for _, item := range l.Items {
		body := w.item(item)
		if item.Tag.Present() && !l.Tagged {
			body = "<strong>" + w.inline(w.doc.Objects(item.Node)) + "</strong>: " + body
		}
		switch {
		case l.Tagged:
			fmt.Fprintf(&out, "<dt>%s</dt>\n<dd>%s</dd>\n", w.inline(w.doc.Objects(item.Node)), body)
		case item.Counter.Present():
			fmt.Fprintf(&out, "<li value=\"%s\">%s</li>\n", html.EscapeString(item.Counter.Text), body)
		default:
			fmt.Fprintf(&out, "<li>%s</li>\n", body)
		}
	}
	return out.String() + "</" + tag + ">\n"
}

// item is what an item holds; a paragraph alone needs no element of its own.
func (w *writer) item(item org.Item) string {
	var parts []string
	paragraphs := 0
	for c := range item.Children() {
		body := w.element(c)
		if body == "" {
			continue
		}
		if c.Kind() == org.KindParagraph {
			paragraphs++
		}
		parts = append(parts, body)
	}
	if paragraphs == 1 && len(parts) > 0 {
		if inner, ok := strings.CutPrefix(parts[0], "<p>"); ok {
			parts[0] = strings.TrimSuffix(inner, "</p>\n")
		}
	}
	box := ""
	switch item.Checkbox.Text {
	case "[X]", "[x]":
		box = "<span role=\"img\" aria-label=\"done\">☑</span> "
	case "[ ]":
		box = "<span role=\"img\" aria-label=\"to do\">☐</span> "
	case "[-]":
		box = "<span role=\"img\" aria-label=\"partly done\">◪</span> "
	}
	return box + strings.TrimSpace(strings.Join(parts, ""))
}
