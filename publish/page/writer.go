package page

import (
	"cmp"
	"fmt"
	"html"
	"path"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/publish/cite"
	"wb/publish/formula"
	"wb/workbook"
)

// writer turns a document into HTML. Elements come as text that ends with a
// newline, objects as text; "" is something that readers do not see.
type writer struct {
	file string
	text *text
	doc  *org.Document // what readers are to see
	plan *workbook.Plan
	opts Options
	set  settings

	quotes map[int]string // what straight quotes become, by their places
	trees  *shownTrees
	words  map[string]string // labels in the document's language

	ids     map[string]bool // in use
	idList  []string
	anchors map[string]anchor           // what links name
	heads   map[int]*heading            // by where the headline starts
	counts  map[int]int                 // numbers of captioned elements, by where they start
	lines   map[int]int                 // first line numbers of blocks that count lines, by where they start
	results map[int]*workbook.Component // by where the shown result starts in the author's file
	blocks  map[int]*workbook.Component // by where the block starts there

	headings []*heading // that are shown, in order
	offset   int        // levels between the highest heading and 1
	notes    []*note    // footnotes in the order they are first referred to
	numbers  map[string]int
	defined  map[string]*org.Node // footnote definitions

	formulas  *formula.Macros
	equations *formula.Numbering
	library   *cite.Library
	citations *cite.Processor
	printed   bool // #+print_bibliography: was carried out
	csl       *cslText
	noting    int // the number of the footnote that is written

	links   []Link
	led     []string        // places in the page that links lead to
	placed  map[string]bool // places that are there
	quiet   bool            // what is written is shown elsewhere too
	lived   map[string]bool // components that readers can run
	raw     bool            // the author's own HTML is in it
	rawIDs  map[string]bool // ids in it, up to here
	rawLink bool            // a link of it is open
	given   map[int]string  // ids that #+ATTR_HTML: gave, by where it stands
	inLink  bool
	radio   bool      // there may be radio targets, which make links of plain words
	current *org.Node // the element whose objects are written
	found   []diag.Finding
}

// anchor is something that links lead to.
type anchor struct {
	id   string
	text string // what a link without a description shows, as HTML
	node *org.Node
}

// heading is a section that readers see.
type heading struct {
	org.Headline
	id     string
	title  string // HTML without links
	number string // "1.2", "" without
	level  int    // 1 for the highest of the document
	toc    bool
}

func newWriter(p *prepared, file string, opts Options) *writer {
	w := &writer{file: file, text: p.text, doc: p.doc, plan: p.plan, opts: opts, found: p.found,
		ids: map[string]bool{"content": true, "wb-proof": true, "how-it-was-made": true, "event-trail": true, "page-source": true}, anchors: map[string]anchor{}, heads: map[int]*heading{}, counts: map[int]int{},
		lines: map[int]int{}, numbers: map[string]int{}, placed: map[string]bool{}, defined: map[string]*org.Node{}, formulas: formula.NewMacros(), equations: &formula.Numbering{}}
	w.set = readSettings(p.doc)
	w.radio = strings.Contains(p.doc.Source(), "<<<")
	w.trees = newShownTrees(p.doc, &w.set)
	w.words = wordsIn(w.language())
	w.components()
	w.survey()
	return w
}

// complain reports a mistake of the author's at a node of the shown document. The
// page says what it can nevertheless.
func (w *writer) complain(n *org.Node, code, format string, args ...any) {
	w.report(n.Start(), diag.Warning, code, "", format, args...)
}

func (w *writer) report(offset int, severity diag.Severity, code, hint, format string, args ...any) {
	if w.quiet {
		return
	}
	w.found = append(w.found, diag.Finding{Pos: w.text.position(offset), Severity: severity, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (w *writer) language() string {
	if lang := w.setting("LANGUAGE"); languageForm.MatchString(lang) {
		return lang
	}
	return cmp.Or(w.opts.Lang, "en")
}

func (w *writer) title() string {
	if title := w.setting("TITLE"); title != "" {
		return plainText(w.quietly("TITLE"))
	}
	return strings.TrimSuffix(baseName(w.file), ".org")
}

// inlineSetting is the value of a keyword as HTML.
func (w *writer) inlineSetting(name string) string {
	var parts []string
	for k := range w.doc.Keywords(name) {
		if k.Value.Text != "" {
			parts = append(parts, w.inline(w.doc.ObjectsIn(k.Value.Span)))
		}
	}
	return strings.Join(parts, " ")
}

// silent writes something that is shown elsewhere too: links in it are not
// counted, mistakes not reported, footnotes left out.
func (w *writer) silent(write func()) {
	outer := w.quiet
	w.quiet = true
	write()
	w.quiet = outer
}

// quietly is the value of a keyword as HTML, for the page's own data.
func (w *writer) quietly(name string) (out string) {
	w.silent(func() { out = w.inlineSetting(name) })
	return out
}

// header is the title and the byline.
func (w *writer) header() string {
	var out strings.Builder
	if w.set.title {
		title := w.inlineSetting("TITLE")
		if title == "" {
			title = html.EscapeString(w.title())
		}
		out.WriteString("<h1>" + title + "</h1>\n")
		if sub := w.inlineSetting("SUBTITLE"); sub != "" {
			out.WriteString("<p class=\"subtitle\">" + sub + "</p>\n")
		}
	}
	var parts []string
	if author := w.inlineSetting("AUTHOR"); author != "" && w.set.author {
		parts = append(parts, "<span class=\"author\">"+author+"</span>")
	}
	if email := w.setting("EMAIL"); email != "" && w.set.email {
		parts = append(parts, anchorTo("mailto:"+email, html.EscapeString(email)))
	}
	if date := w.inlineSetting("DATE"); date != "" && w.set.date {
		parts = append(parts, date)
	}
	if len(parts) > 0 {
		out.WriteString("<p class=\"byline\">" + strings.Join(parts, " · ") + "</p>\n")
	}
	if out.Len() == 0 {
		return ""
	}
	return "<header>\n" + out.String() + "</header>\n"
}

// unique gives out an id.
func (w *writer) unique(id string) string {
	id = cleanID(id)
	if id == "" {
		id = "section"
	}
	for _, own := range reserved {
		if strings.HasPrefix(id, own) {
			id = "x-" + id
		}
	}
	try := id
	for n := 2; w.ids[try]; n++ {
		try = fmt.Sprintf("%s-%d", id, n)
	}
	w.ids[try] = true
	w.idList = append(w.idList, try)
	return try
}

// reserved are how the ids start that the writer makes of footnotes, works
// cited, formulas, components, lines and the plan.
var reserved = []string{"fn:", "fnref:", "ref:", "eq:", "plan:", "made--", "source-L"}

func cleanID(id string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 127 || strings.ContainsRune("\"'<>&`", r) {
			return '-'
		}
		return r
	}, id)
}

// baseName is the last part of a path in either notation.
func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

func attr(name, value string) string { return " " + name + "=\"" + html.EscapeString(value) + "\"" }
