package page

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"wb/internal/diag"
)

// Page is a workbook as HTML, in the parts that a frame puts together: a
// single page by [Render], a site by its layout.
type Page struct {
	Title       string   // plain text
	Lang        string   // of #+LANGUAGE:, as HTML's lang attribute takes it; "en" by default
	Author      string   // plain text, "" when the document says none or #+OPTIONS: author:nil
	Date        string   // as #+DATE: has it, a timestamp's brackets removed
	Description string   // of #+DESCRIPTION:
	Tags        []string // of #+FILETAGS: and #+KEYWORDS:, in order, each once

	Head       string // elements of the author's for <head>
	Header     string // the title as <h1>, and the byline
	TOC        string // <nav> with the contents, "" when there is too little to choose from
	Body       string // the text with its footnotes: <main>'s content below Header and TOC
	Provenance string // <section> on how the results were made, "" without components
	Trail      string // the events of the runs that made them: <main>'s content of a page of its own, or ""
	View       string // the org text that readers may see, highlighted: <main>'s content of a page of its own, or ""

	Ids    []string  // the ids in Header, TOC, Body and Provenance, in the order they were given
	Links  []Link    // where the text leads, in order
	Text   string    // the text without markup, for a search index
	Parts  []Passage // the same, taken apart at its headings
	Source []byte    // what the author wrote
}

// Link is one link of the document's text.
type Link struct {
	Target string        // as written
	Kind   string        // "https", "file", "id", "custom-id", "fuzzy", "coderef", "radio", …; "html": an address in HTML of the author's
	Path   string        // the target without its kind, #+LINK: abbreviations expanded; of "html" from the document, or the host with a slash
	Search string        // what follows "::" in a file link: "*Heading", "#custom-id", a name
	Image  bool          // it is shown as a picture
	Pos    diag.Position // where it stands in the author's file
}

// Highlighter marks up code. Implementations are safe for concurrent use.
type Highlighter interface {
	// Highlight returns the HTML of each line of the code, without line ends:
	// the text of the line, escaped, in spans that are closed in the same
	// line. ok is false for a language it does not know.
	Highlight(lang, code string) (lines []string, ok bool)
}

// LiveOf gives what lets a reader run a component in the browser: HTML that is
// put below the component's result (below its code, when no result is shown).
// ok is false for a component that only runs elsewhere.
type LiveOf func(component string) (html string, ok bool)

// Resolver says where a link leads that is not to a place in the same
// document: kinds "file", "id" and "html", and pictures. Without ok the page decides
// itself: another workbook is the page beside it, a picture becomes part of
// the page, an id is a mistake.
type Resolver func(Link) (to Destination, ok bool)

// Destination is where a link leads.
type Destination struct {
	Href   string // relative to the page
	Broken bool   // the page is there, and what the link names on it is not
}

// Fragment writes the parts of a workbook's page. Diagnostics are the author's
// mistakes, such as links that lead nowhere, with their places in the file;
// the page is made nevertheless.
func Fragment(ctx context.Context, file string, src []byte, opts Options) (*Page, []diag.Finding, error) {
	p, err := prepare(ctx, file, src, opts.include(), opts.Lisp)
	if err != nil {
		return nil, nil, err
	}
	w := newWriter(p, file, opts)
	if err := w.openStyle(ctx); err != nil {
		return nil, nil, err
	}
	w.unshown()
	out := &Page{Title: w.title(), Lang: w.language(), Author: plainText(w.quietly("AUTHOR")), Date: plainText(w.quietly("DATE")),
		Description: w.setting("DESCRIPTION"), Tags: w.tags(), Source: src}
	w.nameIgnored()
	out.Head = w.head()
	out.Header = w.header()
	out.Body = w.document() + w.footnotes()
	out.TOC = w.contents()
	out.Body = w.fillSlots(out.Body)
	if err := w.fillCitations(ctx, out); err != nil {
		return nil, nil, err
	}
	out.Body += w.unplaced()
	if w.raw {
		out.Body = balanced(out.Body)
	}
	out.Provenance = w.provenance()
	out.Trail = w.trail()
	out.View = w.view(ctx, p.plan, src)
	out.Text = indexText(out.Body)
	out.Parts = w.passages(out.Body)
	out.Ids, out.Links = w.idList, w.links
	slices.SortStableFunc(w.found, func(a, b diag.Finding) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	return out, w.found, nil
}

// unplaced are the places that links lead to although readers do not see them,
// such as a named comment: the links then lead to the end of the text.
func (w *writer) unplaced() string {
	var out strings.Builder
	for _, id := range w.led {
		if !w.placed[id] && !strings.HasPrefix(id, "ref:") && !strings.HasPrefix(id, "eq:") {
			w.placed[id] = true
			out.WriteString("<span" + attr("id", id) + "></span>\n")
			w.report(0, diag.Warning, "broken-link", "", "a link leads to %s, which readers do not see", id)
		}
	}
	return out.String()
}

// tags are those of the file and its keywords, each once.
func (w *writer) tags() []string {
	tags := slices.Clone(w.doc.FileTags())
	for k := range strings.FieldsFuncSeq(w.setting("KEYWORDS"), func(r rune) bool { return r == ',' || r == ';' }) {
		if k = strings.TrimSpace(k); k != "" {
			tags = append(tags, k)
		}
	}
	var once []string
	for _, t := range tags {
		if !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	return once
}
