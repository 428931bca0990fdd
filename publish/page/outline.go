package page

import (
	"fmt"
	"html"
	"strings"

	"wb/compile"
	"wb/org"
	"wb/workbook"
)

// writer turns a document into HTML.
type writer struct {
	file     string
	doc      *org.Document // what readers are to see
	original *org.Document // what the author wrote; places in messages are its
	plan     *workbook.Plan
	opts     Options

	headings []heading
	ids      map[string]bool   // in use
	anchors  map[string]string // what links name: custom ids, ids, titles, targets, names
	notes    []note            // footnotes in the order they are first referred to
	numbers  map[string]int
	named    map[string]*org.Node // footnote definitions
	makers   []maker              // components whose results are shown, in order
	next     int                  // the first of them that no result was found for
	found    []compile.Diagnostic
}

type heading struct {
	id, text string
	level    int
}

func newWriter(file string, doc, original *org.Document, plan *workbook.Plan, opts Options) *writer {
	w := &writer{file: file, doc: doc, original: original, plan: plan, opts: opts, ids: map[string]bool{"content": true, "wb-proof": true},
		anchors: map[string]string{}, numbers: map[string]int{}, named: map[string]*org.Node{}, makers: shownResults(plan)}
	for n := range doc.Nodes(org.KindFootnote) {
		if f, ok := n.Footnote(); ok {
			w.named[f.Label.Text] = n
		}
	}
	for h := range doc.Headlines() {
		w.anchor(h)
	}
	for n := range doc.All() {
		if name := n.Name(); name.Present() {
			w.name(name.Text)
		}
	}
	for n := range doc.AllObjects(org.KindTarget) {
		if t, ok := n.TargetName(); ok {
			w.name(t.Text)
		}
	}
	return w
}

// anchor gives a headline its id: CUSTOM_ID, else one made of its title.
func (w *writer) anchor(h org.Headline) {
	properties := ownProperties(h)
	id := properties["CUSTOM_ID"]
	if id == "" {
		id = workbook.Slug(h.Title.Text)
	}
	id = w.unique(id)
	w.anchors[fmt.Sprint("at ", h.Start())] = id
	w.anchors["*"+strings.ToLower(h.Title.Text)] = id
	if _, taken := w.anchors[strings.ToLower(h.Title.Text)]; !taken {
		w.anchors[strings.ToLower(h.Title.Text)] = id
	}
	if custom := properties["CUSTOM_ID"]; custom != "" {
		w.anchors["#"+custom] = id
	}
	if own := properties["ID"]; own != "" {
		w.anchors["id "+own] = id
	}
}

// ownProperties are those in the headline's own drawer: an id is not inherited.
func ownProperties(h org.Headline) map[string]string {
	out := map[string]string{}
	for c := range h.Children() {
		if c.Kind() != org.KindPropertyDrawer {
			continue
		}
		for line := range c.Children() {
			if p, ok := line.Property(); ok {
				out[strings.ToUpper(p.Key.Text)] = p.Value.Text
			}
		}
	}
	return out
}

// name makes a #+NAME or a target something to link to.
func (w *writer) name(name string) {
	if _, taken := w.anchors["name "+name]; !taken {
		id := w.unique(workbook.Slug(name))
		w.anchors["name "+name] = id
		w.anchors[strings.ToLower(name)] = id
	}
}

func (w *writer) unique(id string) string {
	id = strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`"'<>&`, r) {
			return '-'
		}
		return r
	}, id)
	if id == "" {
		id = "section"
	}
	try := id
	for n := 2; w.ids[try]; n++ {
		try = fmt.Sprintf("%s-%d", id, n)
	}
	w.ids[try] = true
	return try
}

// complain reports a mistake of the author's. The place is that of the same
// text in what the author wrote, since readers may see less of it.
func (w *writer) complain(n *org.Node, code, format string, args ...any) {
	at := compile.Position{File: w.file}
	if i := strings.Index(w.original.Source(), strings.TrimSpace(n.Text())); i >= 0 {
		at.Line, at.Col = w.original.Position(i)
	}
	w.found = append(w.found, compile.Diagnostic{Pos: at, Severity: compile.Error, Code: code, Message: fmt.Sprintf(format, args...)})
}

// document writes everything but the frame.
func (w *writer) document() string {
	return "<div id=\"content\">\n" + w.elements(w.doc.Root()) + "</div>\n"
}

func (w *writer) elements(parent *org.Node) string {
	var out strings.Builder
	for n := range parent.Children() {
		out.WriteString(w.element(n))
	}
	return out.String()
}

// hidden reports whether a section is not for readers, as in Emacs.
func hidden(h org.Headline) bool {
	return h.Comment || h.HasTag("noexport") || h.HasTag("ARCHIVE")
}

func (w *writer) section(n *org.Node) string {
	h, _ := n.Headline()
	if hidden(h) {
		return ""
	}
	id := w.anchors[fmt.Sprint("at ", h.Start())]
	title := w.inline(w.doc.ObjectsIn(h.Title.Span))
	w.headings = append(w.headings, heading{id: id, text: stripLinks(title), level: h.Level})
	level := min(h.Level+1, 6)
	var marks string
	if h.Keyword.Present() && w.option("todo") != "nil" {
		marks = fmt.Sprintf("<span class=\"todo\">%s</span> ", html.EscapeString(h.Keyword.Text))
	}
	var tags string
	if list := h.LocalTags(); len(list) > 0 && w.option("tags") != "nil" {
		tags = " <span class=\"tags\">" + html.EscapeString(strings.Join(list, " ")) + "</span>"
	}
	return fmt.Sprintf("<section aria-labelledby=\"%s\">\n<h%d id=\"%s\">%s%s%s</h%d>\n%s</section>\n",
		id, level, id, marks, title, tags, level, w.elements(n))
}

func (w *writer) element(n *org.Node) string {
	switch n.Kind() {
	case org.KindHeadline:
		return w.section(n)
	case org.KindSrcBlock:
		return w.source(n)
	case org.KindExampleBlock, org.KindFixedWidth, org.KindTableEl:
		return w.figure(n, "<pre><samp>"+html.EscapeString(w.raw(n))+"</samp></pre>\n")
	case org.KindExportBlock:
		if b, ok := n.Block(); ok && strings.EqualFold(b.Lang.Text, "html") {
			return w.doc.Text(b.Body)
		}
		return ""
	case org.KindVerseBlock:
		return "<p class=\"verse\">" + w.inline(w.doc.Objects(n)) + "</p>\n"
	case org.KindQuoteBlock:
		return "<blockquote>\n" + w.elements(n) + "</blockquote>\n"
	case org.KindCenterBlock:
		return "<div class=\"center\">\n" + w.elements(n) + "</div>\n"
	case org.KindSpecialBlock:
		return w.special(n)
	case org.KindDynamicBlock:
		return w.elements(n)
	case org.KindDrawer:
		return w.drawer(n)
	case org.KindTable:
		return w.figure(n, w.table(n))
	case org.KindList:
		return w.figure(n, w.list(n))
	case org.KindParagraph:
		return w.paragraph(n)
	case org.KindRule:
		return "<hr>\n"
	case org.KindLatexEnv:
		return w.figure(n, "<pre class=\"math\"><code>"+html.EscapeString(w.raw(n))+"</code></pre>\n")
	}
	return "" // comments, keywords, planning, clocks, properties, markers
}

// special is a block of any other name: a note to the reader when it is called
// so, else a division of that class.
func (w *writer) special(n *org.Node) string {
	b, _ := n.Block()
	name := strings.ToLower(b.Type.Text)
	switch name {
	case "note", "tip", "warning", "important", "caution", "info":
		return fmt.Sprintf("<aside class=\"%s\" aria-label=\"%s\">\n%s</aside>\n", name, name, w.elements(n))
	case "details":
		return "<details>\n<summary>" + html.EscapeString(strings.TrimSpace(b.Args.Text)) + "</summary>\n" + w.elements(n) + "</details>\n"
	}
	return fmt.Sprintf("<div class=\"%s\">\n%s</div>\n", workbook.Slug(name), w.elements(n))
}

// drawer shows what drawers hold unless it is the author's log.
func (w *writer) drawer(n *org.Node) string {
	d, ok := n.Drawer()
	if !ok || strings.EqualFold(d.Label.Text, "LOGBOOK") || w.option("d") == "nil" {
		return ""
	}
	return w.figure(n, w.elements(n))
}
