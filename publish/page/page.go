// Package page writes a workbook as one HTML page: semantic, readable without
// styles, scripts or a network, in light, dark and on paper.
//
// It reads org through our own tree (wb/org) and shows what Emacs would export:
// :exports, :noexport:, COMMENT and archived sections are respected, drawers,
// planning and properties stay with the author. Each result says how it came
// to be, the plan is a picture in the page, and everything a component's
// outcome depended on stands in a table at the end.
//
// The page asks nobody for anything: its style, its pictures and its verifier
// are in it, and its content security policy forbids the rest.
package page

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"path"
	"strings"

	_ "embed"

	"wb/compile"
	"wb/org"
	"wb/publish/verify/js"
	"wb/trace"
)

// Fact is what is known about how a component's result came to be.
type Fact struct {
	ID     string
	Lang   string
	Pos    compile.Position
	Source string // sha256 of code, arguments and shape
	Result string // sha256 of the value as JSON, "" when nothing is kept
	Tools  string // lane and compiler, with its digest
	Fuel   int64  // units used
	Memory int64  // bytes, at most
	Kept   bool   // a result made from exactly this source is known
}

// Options say what the page is made of besides the document.
type Options struct {
	// Facts are what is known about components, by id.
	Facts map[string]Fact
	// Read reads a picture beside the workbook, so that it can stand in the
	// page; nil leaves pictures as links.
	Read func(name string) ([]byte, error)
	// Highlight marks up code; nil leaves it plain.
	Highlight Highlighter
	// Live lets readers run components in the browser; nil lets none.
	Live LiveOf
	// Foot is what Live's HTML needs once, at the end of the page.
	Foot Foot
	// Resolve leads to other pages of a site; nil knows of none.
	Resolve Resolver
	// Events are the events of the runs that made the results, as [Events]
	// reads them.
	Events []trace.Event
	// TrailURL and ViewURL are where Page.Trail and Page.View are to be found;
	// without them [Render] puts both at the end of the page.
	TrailURL, ViewURL string
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
func Render(ctx context.Context, file string, src []byte, opts Options) ([]byte, []compile.Diagnostic, error) {
	p, found, err := Fragment(ctx, file, src, opts)
	if err != nil {
		return nil, nil, err
	}
	var out strings.Builder
	script := js.Source + proof
	fmt.Fprintf(&out, head, html.EscapeString(p.Lang), policy(opts.Foot, "\n"+themeSwitch, "\n"+script), html.EscapeString(p.Title), style, themeSwitch)
	out.WriteString("<main>\n" + p.Header + p.TOC + p.Body + "</main>\n" + p.Provenance)
	fmt.Fprintf(&out, tail, opts.Foot.html(), script)
	return []byte(out.String()), found, nil
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
<style>
%s</style>
<script>
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

func (w *writer) language() string {
	if k, ok := w.doc.Setting("LANGUAGE"); ok && k.Text != "" {
		return k.Text
	}
	return "en"
}

func (w *writer) title() string {
	if k, ok := w.doc.Setting("TITLE"); ok && k.Text != "" {
		return k.Text
	}
	return strings.TrimSuffix(path.Base(w.file), ".org")
}

func (w *writer) inlineTitle() string {
	if k, ok := w.doc.Setting("TITLE"); ok && k.Text != "" {
		return w.inline(w.doc.ObjectsIn(k.Span))
	}
	return html.EscapeString(w.title())
}

// byline is who wrote the document and when, as it says itself.
func (w *writer) byline() string {
	var parts []string
	for _, name := range []string{"SUBTITLE", "AUTHOR", "DATE"} {
		if k, ok := w.doc.Setting(name); ok && k.Text != "" {
			parts = append(parts, html.EscapeString(k.Text))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "<p class=\"byline\">" + strings.Join(parts, " · ") + "</p>\n"
}

// option is a switch of #+OPTIONS:, such as toc:nil; "" when it is not there.
func (w *writer) option(name string) string {
	value := ""
	for k := range w.doc.Keywords("OPTIONS") {
		for field := range strings.FieldsSeq(k.Value.Text) {
			if v, ok := strings.CutPrefix(field, name+":"); ok {
				value = v
			}
		}
	}
	return value
}

// contents lists the headings, when there are enough to choose from.
func (w *writer) contents() string {
	if w.option("toc") == "nil" || len(w.headings) < 3 {
		return ""
	}
	var out strings.Builder
	out.WriteString("<nav aria-label=\"Contents\">\n<ol class=\"toc\">\n")
	for _, h := range w.headings {
		if h.level <= 3 {
			fmt.Fprintf(&out, "<li class=\"l%d\"><a href=\"#%s\">%s</a></li>\n", h.level, h.id, h.text)
		}
	}
	return out.String() + "</ol>\n</nav>\n"
}

// picture is where an image's bytes are: in the page when they can be read.
func (w *writer) picture(name string, n *org.Node) string {
	if w.opts.Read == nil {
		return name
	}
	data, err := w.opts.Read(name)
	if err != nil {
		w.complain(n, "missing-image", "%s is not there", name)
		return name
	}
	kind := mime.TypeByExtension(strings.ToLower(path.Ext(name)))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}
