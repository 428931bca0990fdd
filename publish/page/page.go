// Package page writes a workbook as one HTML page: semantic, readable without
// styles, scripts or a network, in light, dark and on paper.
//
// It reads org through our own tree (wb/org) and shows what Emacs would export:
// includes and macros are carried out, :exports, #+OPTIONS:, select and exclude
// tags are respected, drawers, planning and properties stay with the author.
// Formulas become MathML (wb/publish/math), citations a bibliography
// (wb/publish/cite, wb/compile/citeproc). Each result says how it came to be, the plan is a picture
// in the page, and everything a component's outcome depended on stands in a
// table at the end.
//
// A document goes three ways to the page: [prepare] makes the text that readers
// see, with the way back to the author's lines; survey gives places their ids
// and numbers; the writer writes. [Fragment] gives the parts, [Render] a whole
// page.
//
// The page makes no requests: its style, its pictures and its verifier
// are in it, and its content security policy forbids the rest.
package page

import (
	"context"
	"fmt"
	"html"
	"strings"

	_ "embed"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/proof/verify/js"
)

// Options say what the page is made of besides the document.
type Options struct {
	// Facts record how components' results came to be, by id.
	Facts map[string]Fact
	// Read reads a file beside the workbook, by a slash path relative to it: a
	// picture, so that it can stand in the page, an included file, a
	// bibliography, another workbook that a link leads to. nil reads nothing
	// and leaves pictures and links unchecked.
	Read func(name string) ([]byte, error)
	// Include reads a file whose text becomes part of the page: what #+INCLUDE,
	// #+SETUPFILE and #+BIBLIOGRAPHY name, by a slash path relative to the
	// workbook, which begins with ../ for one in another directory of a site.
	// nil is Read, which serves the workbook's own directory alone.
	Include func(name string) ([]byte, error)
	// Highlight marks up code; nil leaves it plain.
	Highlight Highlighter
	// Lisp evaluates macros in Emacs Lisp; nil knows constants and common forms.
	Lisp Lisp
	// Citations writes citations by styles of CSL; nil writes them as Org's basic
	// processor does.
	Citations compile.Citations
	// Live lets readers run components in the browser; nil lets none.
	Live LiveOf
	// Foot is the HTML that Live needs once, at the end of the page.
	Foot Foot
	// Resolve leads to other pages of a site; nil knows of none.
	Resolve Resolver
	// Events are those of the run that made the results, as [RunEvents] finds
	// them.
	Events []trace.Event
	// TrailURL and ViewURL are where Page.Trail and Page.View are to be found;
	// without them [Render] puts both at the end of the page.
	TrailURL, ViewURL string
	// Head is put into the head of the page by [Render], before what the author
	// puts there: a site's style.
	Head string
	// Lang is the language of a document that does not name its own; "" is English.
	Lang string
	// Show says how much of the source readers may see: ShowExported, ShowFull
	// or ShowNone.
	Show string
}

// include reads files that become part of the text.
func (o *Options) include() source {
	if o.Include != nil {
		return source{read: o.Include, above: true}
	}
	return source{read: o.Read}
}

//go:embed style.css
var style string

//go:embed theme.js
var themeSwitch string

//go:embed proof.mjs
var proof string

// Render writes the page of a workbook. Diagnostics are links that lead
// nowhere and pictures that are not there, with their places in the file; the
// page is made nevertheless.
func Render(ctx context.Context, file string, src []byte, opts Options) ([]byte, []diag.Finding, error) {
	p, found, err := Fragment(ctx, file, src, opts)
	if err != nil {
		return nil, nil, err
	}
	var out strings.Builder
	script := js.Source + proof
	fmt.Fprintf(&out, head, html.EscapeString(p.Lang), policy(opts.Foot, "\n"+themeSwitch, "\n"+script), html.EscapeString(p.Title), describe(p), style, opts.Head+p.Head, themeSwitch)
	out.WriteString("<main>\n" + p.Header + p.TOC + p.Body + "</main>\n" + p.Provenance)
	if opts.TrailURL == "" && p.Trail != "" {
		out.WriteString("<section class=\"trail\" id=\"event-trail\" aria-label=\"Events\">\n<details>\n<summary>What happened in the run, event by event</summary>\n" + p.Trail + "</details>\n</section>\n")
	}
	if opts.ViewURL == "" && p.View != "" {
		out.WriteString("<section class=\"view\" id=\"page-source\" aria-label=\"Source\">\n<details>\n<summary>The source of this page</summary>\n" + p.View + "</details>\n</section>\n")
	}
	fmt.Fprintf(&out, tail, opts.Foot.html(), script)
	return []byte(out.String()), found, nil
}

// describe is the summary that other pages show with a link to this one.
func describe(p *Page) string {
	about := p.Description
	if about == "" {
		return "<meta property=\"og:type\" content=\"article\">\n<meta property=\"og:title\"" + attr("content", p.Title) + ">\n"
	}
	return "<meta name=\"description\"" + attr("content", about) + ">\n<meta property=\"og:type\" content=\"article\">\n<meta property=\"og:title\"" +
		attr("content", p.Title) + ">\n<meta property=\"og:description\"" + attr("content", about) + ">\n"
}

const head = `<!DOCTYPE html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="wb">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="%s">
<title>%s</title>
%s<style>
%s</style>
%s<script>
%s</script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
`

const tail = `<footer>
<p id="wb-proof" hidden><button type="button">Verify this page</button> <output aria-live="polite"></output></p>
<noscript><p>To find out whether this page is authentic, save it and run <code>wb verify FILE</code>.</p></noscript>
</footer>
%s<script type="module">
%s</script>
</body>
</html>
`
