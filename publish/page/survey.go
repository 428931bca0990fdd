package page

import (
	"fmt"
	"html"
	"path"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/publish/cite"
	"wb/workbook"
)

// survey goes over the shown document once before it is written: links lead to
// what comes later, and numbers count from the top.
func (w *writer) survey() {
	w.levels()
	for n := range w.doc.Nodes(org.KindFootnote) { // in hidden sections too
		if f, ok := n.Footnote(); ok && w.defined[f.Label.Text] == nil {
			w.defined[f.Label.Text] = n
		}
	}
	number := []int{}
	last := 0
	w.visit(w.doc.Root(), func(n *org.Node) {
		switch n.Kind() {
		case org.KindHeadline:
			number, last = w.surveyHeading(n, number, last)
		case org.KindKeyword:
			if k, ok := n.Keyword(); ok && (k.Name() == "LATEX_HEADER" || k.Name() == "LATEX_HEADER_EXTRA") {
				_ = w.formulas.Define(k.Value.Text) // packages and the like are for LaTeX
			}
		case org.KindLatexEnv:
			w.surveyFormula(n)
		case org.KindSrcBlock, org.KindExampleBlock:
			w.surveyCode(n)
		}
		if n.Kind() != org.KindHeadline && n.Kind() != org.KindLatexEnv {
			w.surveyNamed(n)
		}
	})
	source := w.doc.Source()
	if strings.Contains(source, `\tag`) {
		for n := range w.doc.AllObjects(org.KindLatexFragment) {
			if text := strings.TrimSpace(n.Text()); strings.Contains(text, `\label`) && (strings.HasPrefix(text, `\[`) || strings.HasPrefix(text, "$$")) && w.shown(n) {
				w.equations.Scan(text[2:len(text)-2], w.formulas)
			}
		}
	}
	w.equations.Restart()
	if strings.Contains(source, "<<") {
		for n := range w.doc.AllObjects(org.KindTarget, org.KindRadioTarget) {
			if w.shown(n) {
				w.surveyTarget(n)
			}
		}
	}
	if strings.Contains(source, "[cite") {
		w.surveyCitations()
	}
}

// visit calls f for every node that readers see, parents first.
func (w *writer) visit(n *org.Node, f func(*org.Node)) {
	for c := range n.Children() {
		if h, ok := c.Headline(); ok && w.trees.hidden(h) {
			continue
		}
		f(c)
		if h, ok := c.Headline(); ok && w.trees.titleOnly(h) {
			continue
		}
		if c.FirstChild() != nil {
			w.visit(c, f)
		}
	}
}

// shown reports whether a node stands in no hidden section.
func (w *writer) shown(n *org.Node) bool {
	return w.trees.shown(n)
}

// levels finds the highest level of the headings that are shown.
func (w *writer) levels() {
	highest := 0
	for h := range w.doc.Headlines() {
		if level := w.set.level(h); (highest == 0 || level < highest) && w.shown(h.Node) {
			highest = level
		}
	}
	w.offset = max(0, highest-1)
}

// surveyHeading gives a section its id and its number.
func (w *writer) surveyHeading(n *org.Node, number []int, last int) ([]int, int) {
	h, _ := n.Headline()
	properties := ownProperties(h)
	head := &heading{Headline: h, level: w.set.level(h) - w.offset, toc: true}
	if head.level > last+1 && last > 0 {
		w.report(h.Start(), diag.Warning, "heading-level", "readers who navigate by headings miss a level: use one star less", "a heading of level %d follows directly below one of level %d", w.set.level(h), last+w.offset)
	}
	custom := properties["CUSTOM_ID"]
	switch id := cleanID(custom); {
	case id == "":
		head.id = w.unique(workbook.Slug(h.Title.Text))
	case w.ids[id]:
		w.report(h.Start(), diag.Warning, "duplicate-id", "links would lead only to the first one", "the id %s is used twice", custom)
		head.id = w.unique(id)
	default:
		head.id = w.unique(id)
	}
	unnumbered := w.inherits(n, "UNNUMBERED")
	if unnumbered == "notoc" {
		head.toc = false
	}
	if w.set.num >= head.level && (unnumbered == "" || unnumbered == "nil") && !w.trees.titleOnly(h) {
		for len(number) < head.level {
			number = append(number, 0)
		}
		number = number[:head.level]
		number[head.level-1]++
		parts := make([]string, len(number))
		for i, k := range number {
			parts[i] = strconv.Itoa(k)
		}
		head.number = strings.Join(parts, ".")
	}
	w.heads[h.Start()] = head
	text := head.number
	a := anchor{id: head.id, text: text, node: n}
	if custom != "" {
		w.anchors["#"+custom] = a
	}
	if own := properties["ID"]; own != "" {
		if _, twice := w.anchors["id "+own]; twice {
			w.report(h.Start(), diag.Warning, "duplicate-id", "links would lead only to the first one", "the id %s is used twice", own)
		} else {
			w.anchors["id "+own] = a
		}
	}
	w.addAnchor("heading "+foldTitle(h.Title.Text), a)
	return number, head.level
}

// inherits is a property with inheritance.
func (w *writer) inherits(n *org.Node, key string) string {
	for ; n != nil; n = n.Parent() {
		if h, ok := n.Headline(); ok {
			if v, ok := h.Property(key); ok {
				return v
			}
		}
	}
	return ""
}

// addAnchor makes a name lead somewhere; the first of a name wins.
func (w *writer) addAnchor(key string, a anchor) {
	if _, taken := w.anchors[key]; !taken {
		w.anchors[key] = a
	}
}

// ownProperties are those in the headline's own drawer: an id is not inherited.
func ownProperties(h org.Headline) map[string]string {
	var out map[string]string
	for p := range h.Properties() {
		if out == nil {
			out = map[string]string{}
		}
		out[strings.ToUpper(p.Key.Text)] = p.Value.Text
	}
	return out
}

// foldTitle is a heading or a name as links compare it: case, white space and
// statistics cookies do not count.
func foldTitle(title string) string {
	if strings.IndexByte(title, '[') >= 0 {
		title = cookieForm.ReplaceAllString(title, "")
	}
	return strings.ToLower(strings.Join(strings.Fields(title), " "))
}

// surveyNamed counts captions and makes #+NAME lead somewhere.
func (w *writer) surveyNamed(n *org.Node) {
	if c := n.FirstChild(); c == nil || c.Kind() != org.KindAffiliated {
		return
	}
	captioned := false
	for _, k := range n.Affiliated() {
		captioned = captioned || k.Name() == "CAPTION" && k.Value.Text != ""
	}
	text := ""
	if class := w.classOf(n); captioned && class != "" {
		key := "count " + class
		w.numbers[key]++
		w.counts[n.Start()] = w.numbers[key]
		text = strconv.Itoa(w.numbers[key])
	}
	name := n.Name().Text
	if name == "" {
		return
	}
	id := w.unique(workbook.Slug(name))
	w.addAnchor("name "+foldTitle(name), anchor{id: id, text: text, node: n})
	w.anchors[fmt.Sprint("at ", n.Start())] = anchor{id: id}
}

// classOf is the class an element is counted in, "" for those without numbers.
func (w *writer) classOf(n *org.Node) string {
	switch n.Kind() {
	case org.KindTable:
		return "Table"
	case org.KindSrcBlock:
		return "Listing"
	case org.KindParagraph:
		if w.onlyPicture(n) {
			return "Figure"
		}
	}
	return ""
}

// surveyTarget makes <<x>> lead somewhere.
func (w *writer) surveyTarget(n *org.Node) {
	name, ok := n.TargetName()
	if !ok {
		return
	}
	kind := "target "
	if n.Kind() == org.KindRadioTarget {
		kind = "radio "
	}
	key := kind + foldTitle(name.Text)
	if _, twice := w.anchors[key]; twice {
		if kind == "target " {
			w.report(n.Start(), diag.Warning, "duplicate-id", "links would lead only to the first one", "the target %s occurs twice", name.Text)
		}
		return
	}
	id := w.unique(workbook.Slug(name.Text))
	a := anchor{id: id, text: w.itemNumber(n), node: n}
	w.anchors[key] = a
	w.anchors[fmt.Sprint("at ", n.Start())] = a
}

// itemNumber is the number of the list item that a target stands in, which is
// what a link to it shows.
func (w *writer) itemNumber(n *org.Node) string {
	number := ""
	for a := range n.Ancestors() {
		item, ok := a.Item()
		if !ok {
			continue
		}
		list, ok := item.Parent().List()
		if !ok || !list.Ordered {
			return number
		}
		at := 0
		for _, i := range list.Items {
			at++
			if c, err := strconv.Atoi(i.Counter.Text); err == nil {
				at = c
			}
			if i.Start() == item.Start() {
				break
			}
		}
		if number != "" {
			number = "." + number
		}
		number = strconv.Itoa(at) + number
	}
	return number
}

// surveyCitations reads the bibliographies and numbers the works cited.
func (w *writer) surveyCitations() {
	w.library = cite.NewLibrary()
	some := false
	for k := range w.doc.Keywords("BIBLIOGRAPHY") {
		some = true
		name := strings.Trim(k.Value.Text, `"`)
		file := path.Clean(w.text.relative(k.Value.Start, name))
		include := w.opts.include()
		if include.read == nil {
			continue
		}
		src, err := include.read(file)
		if err != nil {
			w.report(k.Value.Start, diag.Warning, "missing-bibliography", "", "%s is not there", name)
			continue
		}
		from := &origin{name: path.Join(path.Dir(w.file), file), src: string(src)}
		for _, p := range w.library.Add(file, src) {
			w.found = append(w.found, diag.Finding{Pos: newText(from).position(p.Offset), Severity: diag.Warning, Code: "bibliography", Message: p.Message})
		}
	}
	style := ""
	words, at := w.citeExport()
	if len(words) > 0 && words[0] != "basic" && words[0] != "csl" {
		w.report(at, diag.Warning, "cite-export", "csl STYLE.csl takes a style of CSL; the styles of basic are author-year, numeric and plain",
			"wb writes citations with the processors basic and csl, not with %s", words[0])
	}
	if len(words) > 1 && words[0] == "basic" {
		style = words[1]
	}
	if s := w.printStyle(); s != "" {
		style = s
	}
	w.citations = cite.New(w.library, style)
	for n := range w.doc.AllObjects(org.KindCitation) {
		c, ok := n.Citation()
		if !ok || !w.shown(n) {
			continue
		}
		for _, r := range c.Refs {
			if _, known := w.library.Entry(r.Key.Text); known {
				w.citations.See(r.Key.Text)
				continue
			}
			if r.Key.Text == "*" && cite.Styles[citeStyle(c)] == "nocite" {
				continue
			}
			hint := ""
			switch near := w.library.Nearest(r.Key.Text); {
			case near != "":
				hint = "did you mean @" + near + "?"
			case !some:
				hint = "name a bibliography: #+bibliography: FILE.bib"
			}
			w.report(r.Key.Start, diag.Warning, "missing-citation", hint, "no entry of the bibliography has the key %s", r.Key.Text)
		}
	}
}

// printStyle is the style that #+print_bibliography: :style asks for.
func (w *writer) printStyle() string {
	for k := range w.doc.Keywords("PRINT_BIBLIOGRAPHY") {
		for _, a := range org.ParseArgs(k.Value.Text, 0, org.FromFile) {
			if a.Key == ":style" {
				return strings.Trim(a.Value, `"`)
			}
		}
	}
	return ""
}

func citeStyle(c org.Citation) string {
	style, _, _ := strings.Cut(c.Style.Text, "/")
	return style
}

// shownText is the text of a link to an anchor without a description.
func (a anchor) shownText(path string) string {
	if a.text != "" {
		return a.text
	}
	return html.EscapeString(strings.TrimPrefix(path, "*"))
}
