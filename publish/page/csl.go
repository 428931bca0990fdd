package page

import (
	"context"
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/publish/cite"
)

// cslText is a document whose citations follow a style of CSL. What a citation looks
// like depends on those before and after it, so the text gets marks, which are filled
// when all of it is written.
type cslText struct {
	proc      compile.Citations
	style     string // XML
	at        int    // offset of #+cite_export:
	note, sup bool   // citations are footnotes, or raised
	places    map[int]int
	all       []*cslCitation
	order     []int // citations in the order of the text
	uncited   []string
	lists     int      // bibliographies so far
	kept      []string // HTML that goes through the processor as a mark
}

// cslCitation is a citation that is to be written.
type cslCitation struct {
	asked   compile.Citation
	unknown []string      // keys that no bibliography has
	basic   cite.Citation // as it is written without the processor
	placed  bool
}

// Marks of the text: a citation ends with markEnd, as one without links does, and a
// list of works. glue takes the blanks before it away.
const (
	markCite, markBare, markList, markEnd = "\ue014", "\ue01a", "\ue016", "\ue015"
	markKept, markKeptEnd                 = "\ue018", "\ue019"
	glue                                  = "\ue017"
)

// defaultStyle is Org's own.
const defaultStyle = "chicago-author-date"

// citeExport is what the last #+cite_export: says: a processor, its style, and the
// style of citations that have none.
func (w *writer) citeExport() (words []string, at int) {
	for k := range w.doc.Keywords("CITE_EXPORT") {
		words, at = nil, k.Value.Start
		for _, m := range wordForm.FindAllStringSubmatch(k.Value.Text, -1) {
			words = append(words, m[1]+m[2])
		}
	}
	return words, at
}

var wordForm = lazyregexp.New(`"([^"]*)"|(\S+)`)

// openStyle reads the style of CSL that a document asks for. Where that cannot be had,
// citations are written as the basic processor does, and a warning says why.
func (w *writer) openStyle(ctx context.Context) error {
	words, at := w.citeExport()
	if w.citations == nil || len(words) == 0 || words[0] != "csl" {
		return nil
	}
	refuse := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.report(at, diag.Warning, "cite-export", diag.HintOf(err), "citations are not written by a CSL style: %v", err)
		return nil
	}
	proc := w.opts.Citations
	if proc == nil {
		return refuse(diag.Failedf("", "there is no processor here"))
	}
	name, own := defaultStyle, ""
	if len(words) > 1 && words[1] != "nil" {
		name = words[1]
		own = w.styleFile(name, at)
	}
	style, err := proc.Style(ctx, strings.TrimSuffix(path.Base(name), ".csl"), own)
	if err != nil {
		return refuse(err)
	}
	layout := layoutForm.FindStringSubmatch(style)
	w.csl = &cslText{proc: proc, style: style, at: at, note: noteStyle.MatchString(style),
		sup: layout != nil && strings.Contains(layout[1], `vertical-align="sup"`), places: map[int]int{}}
	return nil
}

var (
	noteStyle  = lazyregexp.New(`<style\b[^>]*\bclass="note"`)
	layoutForm = lazyregexp.New(`(?s)<citation\b.*?<layout\b([^>]*)>`)
)

// styleFile is a style beside the document, "" where there is none.
func (w *writer) styleFile(name string, at int) string {
	include := w.opts.include()
	if include.read == nil {
		return ""
	}
	file := path.Clean(w.text.relative(at, name))
	for _, try := range []string{file, file + ".csl"} {
		if src, err := include.read(try); err == nil && path.Ext(try) == ".csl" {
			return string(src)
		}
	}
	return ""
}

// cslModes are the styles of citations that Org's csl processor knows.
var cslModes = map[string]string{"": "", "nil": "", "author": "author", "a": "author", "noauthor": "noauthor", "na": "noauthor", "year": "year", "y": "year",
	"text": "text", "t": "text", "title": "title", "ti": "title", "bibentry": "bibentry", "b": "bibentry", "locators": "locators", "l": "locators"}

// cslVariants are the letters of their variants.
var cslVariants = map[string]string{"bare": "b", "caps": "c", "full": "f", "bare-caps": "bc", "caps-full": "cf", "bare-full": "bf", "bare-caps-full": "bcf"}

// write puts a mark where a citation stands.
func (w *writer) cslCitation(n *org.Node, c org.Citation, basic cite.Citation) string {
	at, known := w.csl.places[n.Start()]
	if !known {
		mode, ok := cslModes[basic.Style]
		if !ok && cite.Styles[basic.Style] != "nocite" {
			w.complain(n, "cite-style", "no style of citations is named %s", basic.Style)
		}
		variant := basic.Variant
		if long := cslVariants[variant]; long != "" {
			variant = long
		}
		one := &cslCitation{basic: basic, asked: compile.Citation{Mode: mode, Bare: strings.Contains(variant, "b"), Caps: strings.Contains(variant, "c"), Full: strings.Contains(variant, "f")}}
		w.citedItems(one, c)
		at = len(w.csl.all)
		w.csl.places[n.Start()] = at
		w.csl.all = append(w.csl.all, one)
	}
	one := w.csl.all[at]
	mark := markCite + strconv.Itoa(at) + markEnd
	if w.quiet || w.inLink {
		mark = markBare + strconv.Itoa(at) + markEnd
	}
	if w.quiet {
		return mark
	}
	if !one.placed {
		one.placed = true
		w.csl.order = append(w.csl.order, at)
	}
	if w.csl.note && len(one.asked.Items) > 0 && !w.insideNote(n) {
		one.asked.Note = len(w.notes) + 1
		return glue + w.citationNote(n, mark)
	}
	one.asked.Note = w.noting
	if w.csl.sup {
		return glue + mark
	}
	return mark
}

// citedItems are the works of a citation. What all share stands before the first and
// behind the last of them.
func (w *writer) citedItems(one *cslCitation, c org.Citation) {
	for _, r := range c.Refs {
		if _, ok := w.library.Entry(r.Key.Text); !ok {
			one.unknown = append(one.unknown, r.Key.Text)
			continue
		}
		item := compile.CitedItem{ID: r.Key.Text, Prefix: w.rich(r.Prefix)}
		if r.Suffix.Present() {
			found := cite.Suffix(r.Suffix.Text)
			item.Label, item.Locator = found.Label, found.Locator
			item.Prefix = strings.TrimSpace(item.Prefix + " " + w.rich(partOf(r.Suffix, found.Before)))
			item.Suffix = spaced(w.rich(partOf(r.Suffix, found.After)))
		}
		one.asked.Items = append(one.asked.Items, item)
	}
	if items := one.asked.Items; len(items) > 0 {
		first, last := &items[0], &items[len(items)-1]
		first.Prefix = strings.TrimSpace(w.rich(c.Prefix) + " " + first.Prefix)
		last.Suffix = strings.TrimRight(last.Suffix+spaced(w.rich(c.Suffix)), " ")
	}
}

// partOf is a part of a token.
func partOf(t org.Token, part [2]int) org.Token {
	return org.Token{Span: org.Span{Start: t.Start + part[0], End: t.Start + part[1]}, Text: t.Text[part[0]:part[1]]}
}

// spaced has a blank before a text that begins with a word.
func spaced(text string) string {
	if text == "" || strings.ContainsAny(text[:1], ",.;:!? ") {
		return text
	}
	return " " + text
}

// rich is a text around a key in the markup of CSL.
func (w *writer) rich(t org.Token) string {
	if strings.TrimSpace(t.Text) == "" {
		return ""
	}
	return strings.TrimSpace(cite.Rich(w.affix(t), w.csl.keep))
}

// keep takes HTML and gives a mark for it.
func (c *cslText) keep(html string) string {
	c.kept = append(c.kept, html)
	return markKept + strconv.Itoa(len(c.kept)-1) + markKeptEnd
}

// nocite takes note of works that only the bibliography has.
func (w *writer) nocite(c org.Citation) {
	for _, r := range c.Refs {
		if r.Key.Text == "*" {
			w.csl.uncited = append(w.csl.uncited, w.library.Keys()...)
		} else if _, ok := w.library.Entry(r.Key.Text); ok {
			w.csl.uncited = append(w.csl.uncited, r.Key.Text)
		}
	}
}

// cslList puts a mark where a bibliography is to stand.
func (w *writer) cslList(k org.Keyword) string {
	w.csl.lists++
	return markList + strconv.Itoa(k.Value.Start) + markEnd + "\n"
}

// fillCitations has the processor write the citations and puts them in place of their
// marks. Titles get their text alone.
func (w *writer) fillCitations(ctx context.Context, p *Page) error {
	if w.csl == nil {
		return nil
	}
	doc := w.citedDocument()
	out, err := w.csl.proc.Cite(ctx, doc)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		w.report(w.csl.at, diag.Warning, "cite-export", diag.HintOf(err), "citations are not written by a CSL style: %v", err)
		out = nil
	}
	f := &cslFilling{w: w, out: out, items: doc.Items, texts: map[int]string{}}
	for i, at := range w.csl.order {
		if out != nil && i < len(out.Citations) {
			f.texts[at] = w.csl.whole(out.Citations[i])
		}
	}
	for _, part := range []*string{&p.Header, &p.TOC, &p.Body} {
		*part = f.fill(*part)
	}
	for _, part := range []*string{&p.Title, &p.Author, &p.Date} {
		*part = plainText(f.fill(*part))
	}
	return nil
}

// citedDocument is what the processor is asked.
func (w *writer) citedDocument() *compile.CitedDocument {
	doc := &compile.CitedDocument{Style: w.csl.style, Lang: w.language(), Items: map[string]map[string]any{}, Anchors: map[string]string{}, Citations: []compile.Citation{}, Uncited: []string{}}
	add := func(key string) {
		if e, ok := w.library.Entry(key); ok && doc.Items[key] == nil {
			doc.Items[key], doc.Anchors[key] = e.CSL(w.csl.keep), html.EscapeString(cite.ID(key))
		}
	}
	for at := range w.csl.all { // those that only a title has come last
		if !slices.Contains(w.csl.order, at) {
			w.csl.order = append(w.csl.order, at)
		}
	}
	shown := w.csl.order[:0:0]
	for _, at := range w.csl.order {
		one := w.csl.all[at]
		if len(one.asked.Items) == 0 {
			continue
		}
		shown = append(shown, at)
		doc.Citations = append(doc.Citations, one.asked)
		for _, item := range one.asked.Items {
			add(item.ID)
		}
	}
	w.csl.order = shown
	for _, key := range w.csl.uncited {
		add(key)
		doc.Uncited = append(doc.Uncited, key)
	}
	return doc
}

// whole puts what was kept back into a text.
func (c *cslText) whole(text string) string {
	return keptForm.ReplaceAllStringFunc(text, func(mark string) string {
		at, err := strconv.Atoi(strings.Trim(mark, markKept+markKeptEnd))
		if err != nil || at >= len(c.kept) {
			return ""
		}
		return c.kept[at]
	})
}

var (
	keptForm = lazyregexp.New("\ue018\\d+\ue019")
	markForm = lazyregexp.New("([\ue014\ue01a\ue016])(\\d+)\ue015\n?")
	glueForm = lazyregexp.New("[ \\t\\n\u00a0]*\ue017")
)

// cslFilling puts texts in place of marks.
type cslFilling struct {
	w      *writer
	out    *compile.Cited // nil where the processor did not answer
	items  map[string]map[string]any
	texts  map[int]string
	listed bool
}

func (f *cslFilling) fill(text string) string {
	text = glueForm.ReplaceAllString(text, "")
	return markForm.ReplaceAllStringFunc(text, func(mark string) string {
		m := markForm.FindStringSubmatch(mark)
		at := atoi(m[2])
		if m[1] == markList {
			return f.list(at)
		}
		end := mark[len(strings.TrimSuffix(mark, "\n")):]
		if at >= len(f.w.csl.all) {
			return end
		}
		text := f.citation(f.w.csl.all[at], at)
		if m[1] == markBare || f.w.csl.lists == 0 {
			text = stripLinks(text)
		}
		return text + end
	})
}

// citation is the text of a citation; keys that no bibliography has stay.
func (f *cslFilling) citation(one *cslCitation, at int) string {
	if f.out == nil {
		return f.w.citations.Cite(one.basic)
	}
	text := f.texts[at]
	for _, key := range one.unknown {
		text = strings.TrimSpace(text + " <code>@" + html.EscapeString(key) + "</code>")
	}
	if text == "" {
		return ""
	}
	return `<span class="cite">` + text + "</span>"
}

// list is a bibliography: of all works, or of those that its #+print_bibliography:
// asks for.
func (f *cslFilling) list(at int) string {
	if f.out == nil {
		return f.w.basicList()
	}
	class := "bibliography csl"
	if f.out.Hanging {
		class += " hanging"
	}
	if f.out.Margin {
		class += " margin"
	}
	wanted := f.w.wantedWorks(at)
	var out strings.Builder
	for _, e := range f.out.Entries {
		work, _ := f.w.library.Entry(e.ID)
		if !wanted(work, f.items[e.ID]) {
			continue
		}
		id := ""
		if !f.listed {
			id = attr("id", cite.ID(e.ID))
		}
		fmt.Fprintf(&out, "<li%s>%s</li>\n", id, f.w.csl.whole(e.HTML))
	}
	f.listed = true
	if out.Len() == 0 {
		return ""
	}
	return "<ul class=\"" + class + "\">\n" + out.String() + "</ul>\n"
}

// wantedWorks is the condition of the #+print_bibliography: whose value begins at an
// offset.
func (w *writer) wantedWorks(at int) func(e *cite.Entry, item map[string]any) bool {
	var conditions []func(e *cite.Entry, item map[string]any) bool
	for k := range w.doc.Keywords("PRINT_BIBLIOGRAPHY") {
		if k.Value.Start != at {
			continue
		}
		for _, a := range org.ParseArgs(k.Value.Text, 0, org.FromFile) {
			values := strings.Split(strings.Trim(a.Value, `"`), ",")
			conditions = append(conditions, condition(a.Key, values))
		}
	}
	return func(e *cite.Entry, item map[string]any) bool {
		for _, is := range conditions {
			if !is(e, item) {
				return false
			}
		}
		return true
	}
}

// condition is one filter of a bibliography.
func condition(name string, values []string) func(e *cite.Entry, item map[string]any) bool {
	one := func(text string) bool { return slices.Contains(values, text) }
	kind := func(item map[string]any) string { text, _ := item["type"].(string); return text }
	return func(e *cite.Entry, item map[string]any) bool {
		switch name {
		case ":type":
			return one(e.Type)
		case ":nottype":
			return !one(e.Type)
		case ":csltype":
			return one(kind(item))
		case ":notcsltype":
			return !one(kind(item))
		case ":keyword":
			return !slices.ContainsFunc(values, func(word string) bool { return !hasKeyword(e, word) })
		case ":notkeyword":
			return !slices.ContainsFunc(values, func(word string) bool { return hasKeyword(e, word) })
		}
		return true
	}
}

func hasKeyword(e *cite.Entry, word string) bool {
	for have := range strings.FieldsFuncSeq(e.Field("keywords")+","+e.Field("keyword"), func(r rune) bool { return r == ',' || r == ';' }) {
		if strings.TrimSpace(have) == word {
			return true
		}
	}
	return false
}
