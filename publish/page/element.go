package page

import (
	"fmt"
	"html"
	"strings"

	"wb/org"
	"wb/workbook"
)

// element writes one element.
func (w *writer) element(n *org.Node) string {
	switch n.Kind() {
	case org.KindParagraph:
		return w.paragraph(n)
	case org.KindSrcBlock:
		return w.source(n)
	case org.KindExampleBlock:
		return w.figure(n, w.decorated(n, w.example(n)))
	case org.KindFixedWidth:
		if !w.set.fixed {
			return ""
		}
		return w.figure(n, w.decorated(n, "<pre tabindex=\"0\"><samp>"+html.EscapeString(w.fixedWidth(n))+"</samp></pre>\n"))
	case org.KindTableEl:
		return w.figure(n, "<pre tabindex=\"0\"><samp>"+html.EscapeString(w.own(n))+"</samp></pre>\n")
	case org.KindTable:
		if !w.set.tables {
			return ""
		}
		return w.table(n)
	case org.KindList:
		return w.figure(n, w.list(n))
	case org.KindExportBlock:
		if b, ok := n.Block(); ok && strings.EqualFold(b.Lang.Text, "html") {
			return w.figure(n, w.rawHTML(b.Code(), b.Body.Start)+"\n")
		}
		return ""
	case org.KindVerseBlock:
		return w.figure(n, w.decorated(n, w.verse(n)))
	case org.KindQuoteBlock:
		return w.figure(n, w.decorated(n, "<blockquote>\n"+w.elements(n)+"</blockquote>\n"))
	case org.KindCenterBlock:
		return w.figure(n, w.decorated(n, "<div class=\"center\">\n"+w.elements(n)+"</div>\n"))
	case org.KindSpecialBlock:
		return w.figure(n, w.special(n))
	case org.KindDynamicBlock:
		return w.figure(n, w.elements(n))
	case org.KindDrawer:
		return w.drawer(n)
	case org.KindRule:
		return w.decorated(n, "<hr>\n")
	case org.KindLatexEnv:
		return w.latexEnvironment(n)
	case org.KindKeyword:
		return w.keyword(n)
	case org.KindPlanning:
		return w.planning(n)
	case org.KindClock:
		if w.set.clocks {
			return "<p class=\"clock\">" + w.inlineLine(n) + "</p>\n"
		}
	case org.KindPropertyDrawer:
		return w.propertyDrawer(n)
	}
	return "" // comments, markers, footnote definitions: shown where they are referred to
}

// inlineLine is a line's text as objects, its keyword included.
func (w *writer) inlineLine(n *org.Node) string {
	return strings.TrimSpace(w.inline(w.doc.ObjectsIn(n.Span())))
}

// own is the text of an element without its affiliated keywords.
func (w *writer) own(n *org.Node) string {
	return w.doc.Text(org.Span{Start: coreStart(n), End: n.End()})
}

// coreStart is where an element starts behind its affiliated keywords.
func coreStart(n *org.Node) int {
	start := n.Start()
	for _, k := range n.Affiliated() {
		start = max(start, k.End())
	}
	return start
}

// fixedWidth is the text of ": " lines.
func (w *writer) fixedWidth(n *org.Node) string {
	var out strings.Builder
	for line := range strings.Lines(w.own(n)) {
		line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), ":")
		out.WriteString(strings.TrimPrefix(line, " "))
	}
	return out.String()
}

// verse keeps its lines and their indentation.
func (w *writer) verse(n *org.Node) string {
	body := strings.TrimRight(w.inline(w.doc.Objects(n)), " \t\n")
	var out strings.Builder
	for i, line := range strings.Split(body, "\n") {
		if i > 0 {
			out.WriteString("<br>\n")
		}
		line = strings.TrimSuffix(line, "<br>")
		text := strings.TrimLeft(line, " \t")
		out.WriteString(strings.Repeat("\u00a0", len(line)-len(text)) + text)
	}
	return "<p class=\"verse\">\n" + out.String() + "\n</p>\n"
}

// noteBlocks are the special blocks that speak to the reader.
var noteBlocks = map[string]bool{"note": true, "tip": true, "warning": true, "important": true, "caution": true, "info": true}

// html5 are the special blocks that HTML has elements for.
var html5 = map[string]bool{"aside": true, "article": true, "section": true, "header": true, "footer": true, "figure": true, "nav": true}

// special is a block of any other name: a note to the reader when it is called
// so, an element of that name where HTML has one, else a division of that
// class.
func (w *writer) special(n *org.Node) string {
	b, _ := n.Block()
	name := strings.ToLower(b.Type.Text)
	attrs := w.attributes(n, blockAttributes)
	title := html.EscapeString(strings.TrimSpace(b.Args.Text))
	switch {
	case noteBlocks[name]:
		if title == "" {
			title = w.word(name)
		}
		return fmt.Sprintf("<aside class=\"admonition %s\" role=\"note\"%s>\n<p class=\"admonition-title\">%s</p>\n%s</aside>\n", strings.TrimSpace(name+" "+html.EscapeString(attrs["class"])), attrs.without("class", "role"), title, w.elements(n))
	case name == "details":
		if title == "" {
			title = "…"
		}
		open := ""
		if attrs["open"] != "" {
			open = " open"
		}
		body := w.elements(n)
		if !strings.HasPrefix(body, "<summary>") {
			body = "<summary>" + title + "</summary>\n" + body
		}
		return "<details" + open + attrs.without("open").String() + ">\n" + body + "</details>\n"
	case name == "summary":
		return "<summary>" + title + paragraphText(w.elements(n)) + "</summary>\n"
	case name == "abstract":
		return "<div class=\"abstract\" role=\"doc-abstract\"" + attrs.without("class").String() + ">\n" + w.elements(n) + "</div>\n"
	case html5[name]:
		return fmt.Sprintf("<%s%s>\n%s</%s>\n", name, attrs, w.elements(n), name)
	}
	class := workbook.Slug(name)
	if attrs["class"] != "" {
		class += " " + attrs["class"]
	}
	return fmt.Sprintf("<div class=\"%s\"%s>\n%s</div>\n", html.EscapeString(class), attrs.without("class"), w.elements(n))
}

// paragraphText is the inside of one paragraph.
func paragraphText(body string) string {
	body = strings.TrimSpace(body)
	if inner, ok := strings.CutPrefix(body, "<p>"); ok && strings.HasSuffix(inner, "</p>") && strings.Count(inner, "<p>") == 0 {
		return strings.TrimSuffix(inner, "</p>")
	}
	return body
}

// drawer shows what drawers hold unless it is the author's log.
func (w *writer) drawer(n *org.Node) string {
	d, ok := n.Drawer()
	if !ok || !w.set.drawers.has(d.Label.Text) {
		return ""
	}
	return w.figure(n, w.elements(n))
}

// propertyDrawer shows properties when prop: asks for them.
func (w *writer) propertyDrawer(n *org.Node) string {
	var out strings.Builder
	for c := range n.Children() {
		if p, ok := c.Property(); ok && w.set.props.has(p.Key.Text) {
			out.WriteString(html.EscapeString(p.Key.Text+": "+p.Value.Text) + "\n")
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "<pre class=\"properties\" tabindex=\"0\">" + out.String() + "</pre>\n"
}

// planning shows SCHEDULED and the like when p: asks for it.
func (w *writer) planning(n *org.Node) string {
	if !w.set.planning {
		return ""
	}
	p, _ := n.Planning()
	var parts []string
	for _, one := range []struct {
		name string
		at   org.Timestamp
	}{{"CLOSED", p.Closed}, {"DEADLINE", p.Deadline}, {"SCHEDULED", p.Scheduled}} {
		if one.at.Present() {
			parts = append(parts, "<span class=\"planning\">"+one.name+":</span> "+timeElement(w.doc.Text(one.at.Span), one.at))
		}
	}
	return "<p class=\"planning\">" + strings.Join(parts, " ") + "</p>\n"
}

// keyword carries out #+HTML:, #+TOC: and #+print_bibliography:.
func (w *writer) keyword(n *org.Node) string {
	k, _ := n.Keyword()
	switch k.Name() {
	case "HTML":
		return w.rawHTML(k.Value.Text, k.Value.Start) + "\n"
	case "TOC":
		return w.tocKeyword(k)
	case "PRINT_BIBLIOGRAPHY":
		return w.printBibliography(k)
	}
	return ""
}

// tocKeyword is #+TOC: headlines N [local], tables or listings. Headings that
// come later are not known yet, so a mark stands in their place.
func (w *writer) tocKeyword(k org.Keyword) string {
	words := strings.Fields(k.Value.Text)
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d:%s%s", slotOpen, k.Start(), strings.ToLower(k.Value.Text), slotClose)
}

// Slots are filled when all is written. The marks are characters that the text
// of a page cannot hold: see [writer.escape].
const (
	slotOpen  = "\x00slot "
	slotClose = "\x00\n"
)

// fillSlots writes what #+TOC: asked for.
func (w *writer) fillSlots(body string) string {
	for {
		before, rest, ok := strings.Cut(body, slotOpen)
		if !ok {
			return body
		}
		what, after, _ := strings.Cut(rest, slotClose)
		at, want, _ := strings.Cut(what, ":")
		body = before + w.listOf(atoi(at), strings.Fields(want)) + after
	}
}

func (w *writer) listOf(offset int, want []string) string {
	switch want[0] {
	case "headlines":
		depth := max(w.set.toc, 1)
		local := false
		for _, word := range want[1:] {
			if word == "local" {
				local = true
			} else if n := atoi(word); n > 0 {
				depth = n
			}
		}
		all := w.headings
		if local {
			if h, ok := w.doc.Headline(w.doc.At(offset)); ok && w.heads[h.Start()] != nil {
				var below []*heading
				for _, other := range w.headings {
					if other.Start() > h.Start() && other.End() <= h.End() {
						below = append(below, other)
					}
				}
				all, depth = below, depth+w.heads[h.Start()].level
			}
		}
		return w.contentsOf(all, depth, false)
	case "tables", "listings":
		class, title := "Table", "List of tables"
		if want[0] == "listings" {
			class, title = "Listing", "List of listings"
		}
		return w.listOfCaptions(class, w.word(title))
	}
	return ""
}

// listOfCaptions lists the captions of tables or listings.
func (w *writer) listOfCaptions(class, title string) string {
	var out strings.Builder
	w.visit(w.doc.Root(), func(n *org.Node) {
		if w.counts[n.Start()] == 0 || n.Kind() == org.KindHeadline || w.classOf(n) != class {
			return
		}
		text := fmt.Sprintf("%s %d: %s", w.word(class), w.counts[n.Start()], w.shortCaptionText(n))
		if a, ok := w.anchors[fmt.Sprint("at ", n.Start())]; ok {
			text = anchorTo("#"+a.id, text)
		}
		out.WriteString("<li>" + text + "</li>\n")
	})
	if out.Len() == 0 {
		return ""
	}
	return "<div class=\"contents\">\n<p>" + title + "</p>\n<ul class=\"toc\">\n" + out.String() + "</ul>\n</div>\n"
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1e6 {
			return n
		}
		n = 10*n + int(c-'0')
	}
	return n
}
