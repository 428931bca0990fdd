package page

import (
	"html"
	"slices"
	"strings"

	"wb/org"
	"wb/publish/cite"
)

// citation writes [cite:…] as Org's basic processor does, or leaves it to a style of
// CSL. One in the style note is a footnote.
func (w *writer) citation(n *org.Node) string {
	c, ok := n.Citation()
	if !ok || w.citations == nil {
		return html.EscapeString(n.Text())
	}
	style, variant, _ := strings.Cut(c.Style.Text, "/")
	if style == "" {
		style, variant = w.citeDefault(variant)
	}
	if _, known := cite.Styles[style]; !known && w.csl == nil {
		w.complain(n, "cite-style", "no style of citations is named %s", style)
	}
	if w.csl != nil && cite.Styles[style] == "nocite" {
		w.nocite(c)
		return ""
	}
	out := cite.Citation{Style: style, Variant: variant, Prefix: w.affix(c.Prefix), Suffix: w.affix(c.Suffix)}
	for _, r := range c.Refs {
		if r.Key.Text == "*" {
			continue
		}
		out.Refs = append(out.Refs, cite.Ref{Prefix: w.affix(r.Prefix), Key: r.Key.Text, Suffix: w.affix(r.Suffix)})
	}
	if w.csl != nil {
		return w.cslCitation(n, c, out)
	}
	text := w.citations.Cite(out)
	if !w.printed && !w.hasBibliography() { // nothing to lead to
		text = stripLinks(text)
	}
	if cite.Styles[style] == "note" && !w.insideNote(n) && !w.quiet {
		return w.citationNote(n, text)
	}
	if w.inLink {
		text = stripLinks(text)
	}
	return text
}

// citeDefault is the style that #+cite_export: gives to citations without one.
func (w *writer) citeDefault(variant string) (string, string) {
	words, _ := w.citeExport()
	if len(words) < 3 {
		return "", variant
	}
	style, v, _ := strings.Cut(words[2], "/")
	if variant == "" {
		variant = v
	}
	return style, variant
}

func (w *writer) affix(t org.Token) string {
	if !t.Present() || t.Text == "" {
		return ""
	}
	return w.inline(w.doc.ObjectsIn(t.Span))
}

func (w *writer) hasBibliography() bool {
	for range w.doc.Keywords("PRINT_BIBLIOGRAPHY") {
		return true
	}
	return false
}

// insideNote reports whether an object stands in a footnote.
func (w *writer) insideNote(n *org.Node) bool {
	for a := range n.Ancestors() {
		if a.Kind() == org.KindFootnote || a.Kind() == org.KindFootnoteRef {
			return true
		}
	}
	return w.current != nil && w.current.Kind() == org.KindFootnoteRef
}

// citationNote makes a footnote of a citation.
func (w *writer) citationNote(n *org.Node, text string) string {
	w.notes = append(w.notes, &note{refs: 1, body: "<p>" + text + "</p>\n"})
	return w.noteMark(len(w.notes))
}

// printBibliography lists the works cited, or all after [cite/nocite:@*].
func (w *writer) printBibliography(k org.Keyword) string {
	switch {
	case w.citations == nil:
		return ""
	case w.csl != nil:
		return w.cslList(k)
	case w.printed:
		return ""
	}
	w.printed = true
	return w.basicList()
}

// basicList is the bibliography of the basic processor.
func (w *writer) basicList() string {
	for n := range w.doc.AllObjects(org.KindCitation) {
		c, ok := n.Citation()
		if ok && cite.Styles[citeStyle(c)] == "nocite" && slices.ContainsFunc(c.Refs, func(r org.CitationRef) bool { return r.Key.Text == "*" }) {
			return w.citations.All()
		}
	}
	return w.citations.Bibliography()
}
