package page

import (
	"context"

	"wb/compile"
	"wb/org"
	"wb/workbook"
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

	Header     string // the title as <h1>, and the byline
	TOC        string // <nav> with the contents, "" when there is too little to choose from
	Body       string // the text with its footnotes: <main>'s content below Header and TOC
	Provenance string // <section> on how the results were made, "" without components
	Trail      string // the events of the runs that made them: <main>'s content of a page of its own, or ""
	View       string // the org text with highlighting: <main>'s content of a page of its own

	Ids    []string // the ids in Header, TOC, Body and Provenance, in the order they were given
	Links  []Link   // where the text leads, in order
	Text   string   // the text without markup, for a search index
	Source []byte   // what the author wrote
}

// Link is one link of the document's text.
type Link struct {
	Target string           // as written
	Kind   string           // "https", "file", "id", "custom-id", "fuzzy", "coderef", "radio", …
	Path   string           // the target without its kind, #+LINK: abbreviations expanded
	Search string           // what follows "::" in a file link: "*Heading", "#custom-id", a name
	Image  bool             // it is shown as a picture
	Pos    compile.Position // where it stands in the author's file
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
// document: kinds "file" and "id", and pictures. Without ok the page decides
// itself: another workbook is the page beside it, a picture becomes part of
// the page, an id is a mistake.
type Resolver func(Link) (href string, ok bool)

// Fragment writes the parts of a workbook's page. Diagnostics are the author's
// mistakes, such as links that lead nowhere, with their places in the file;
// the page is made nevertheless.
func Fragment(ctx context.Context, file string, src []byte, opts Options) (*Page, []compile.Diagnostic, error) {
	shown, err := workbook.Exported(ctx, file, src)
	if err != nil {
		return nil, nil, err
	}
	plan := workbook.NewPlan(file, src)
	w := newWriter(file, org.Parse(shown), org.Parse(src), plan, opts)
	p := &Page{Title: w.title(), Lang: w.language(), Source: src}
	p.Body = w.document() + w.footnotes()
	p.Header = "<header>\n<h1>" + w.inlineTitle() + "</h1>\n" + w.byline() + "</header>\n"
	p.TOC = w.contents()
	p.Provenance = w.provenance()
	return p, w.found, nil
}
