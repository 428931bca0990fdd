package page

import (
	"errors"
	"fmt"
	"html"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/publish/formula"
	"wb/workbook"
)

// latexOf is the text of an environment.
func (w *writer) latexOf(n *org.Node) string { return strings.TrimRight(w.own(n), " \t\n") }

// surveyFormula takes the labels of an environment; its #+NAME is one too.
func (w *writer) surveyFormula(n *org.Node) {
	tag := w.equations.Scan(w.latexOf(n), w.formulas)
	name := n.Name().Text
	if name == "" {
		return
	}
	id := w.unique(workbook.Slug(name))
	a := anchor{id: id, text: html.EscapeString(tag), node: n}
	w.addAnchor("name "+foldTitle(name), a)
	w.anchors[fmt.Sprint("at ", n.Start())] = a
	w.equations.Name(formula.Label{Name: name, ID: id, Tag: tag})
}

var environmentName = lazyregexp.New(`^\s*\\begin\{([A-Za-z0-9]+\*?)\}`)

// latexEnvironment is a formula with its number, or the source of what is no
// mathematics.
func (w *writer) latexEnvironment(n *org.Node) string {
	tex := w.latexOf(n)
	if w.set.tex == "nil" {
		return ""
	}
	m := environmentName.FindStringSubmatch(tex)
	if w.set.tex == "verbatim" || m == nil {
		return w.figure(n, "<pre class=\"math\" tabindex=\"0\"><code>"+html.EscapeString(tex)+"</code></pre>\n")
	}
	e, err := formula.Display(tex, w.formulas, w.equations)
	if err != nil {
		w.formulaError(coreStart(n), err, tex)
		return w.figure(n, "<pre class=\"math\" tabindex=\"0\"><code>"+html.EscapeString(tex)+"</code></pre>\n")
	}
	id := ""
	if e.ID != "" {
		id = attr("id", w.take(e.ID))
	}
	body := e.MathML
	if e.Tag != "" {
		body = "<div class=\"equation numbered\"" + id + ">" + body + "<span class=\"eqno\">(" + html.EscapeString(e.Tag) + ")</span></div>\n"
	} else {
		body = "<div class=\"equation\"" + id + ">" + body + "</div>\n"
	}
	return w.figure(n, body)
}

// formulaError reports a mistake in a formula that starts at offset.
func (w *writer) formulaError(offset int, err error, tex string) {
	var at *formula.Error
	if !errors.As(err, &at) {
		return
	}
	if strings.HasPrefix(w.doc.Source()[offset:], tex) {
		offset += at.Offset
	}
	w.report(offset, diag.Warning, "math", at.Hint, "%s", at.Message)
}

var refForm = lazyregexp.New(`^\\(eqref|ref)\{([^{}]+)\}$`)

// latexFragment is a formula in running text, or a reference to one.
func (w *writer) latexFragment(n *org.Node, bare string) string {
	switch w.set.tex {
	case "nil":
		return ""
	case "verbatim":
		return html.EscapeString(bare)
	}
	if m := refForm.FindStringSubmatch(bare); m != nil {
		return w.equationRef(n, m[1], m[2])
	}
	tex, display, skip := bare, false, 0
	switch {
	case strings.HasPrefix(bare, "$$"), strings.HasPrefix(bare, `\[`):
		tex, display, skip = bare[2:len(bare)-2], true, 2
	case strings.HasPrefix(bare, `\(`):
		tex, skip = bare[2:len(bare)-2], 2
	case strings.HasPrefix(bare, "$"):
		tex, skip = bare[1:len(bare)-1], 1
	case !strings.Contains(bare, "{"): // a word such as \n that is not an entity: text, as in Emacs
		return w.plain(bare, n.Start())
	}
	if !display {
		out, err := formula.Inline(tex, w.formulas)
		if err == nil {
			return out
		}
		if skip == 0 { // \command{…} outside of any formula: text
			return html.EscapeString(bare)
		}
		w.formulaError(n.Start()+skip, err, tex)
		return "<code class=\"math\">" + html.EscapeString(bare) + "</code>"
	}
	e, err := formula.Display(tex, w.formulas, w.equations)
	if err != nil {
		w.formulaError(n.Start()+skip, err, tex)
		return "<code class=\"math\">" + html.EscapeString(bare) + "</code>"
	}
	if e.Tag != "" {
		id := ""
		if e.ID != "" && !w.quiet {
			id = attr("id", w.take(e.ID))
		}
		return e.MathML + fmt.Sprintf("<span class=\"eqno\"%s>(%s)</span>", id, html.EscapeString(e.Tag))
	}
	return e.MathML
}

// equationRef is \ref or \eqref in running text.
func (w *writer) equationRef(n *org.Node, how, name string) string {
	l, ok := w.equations.Label(name)
	if !ok {
		if a, found := w.search(name); found && a.text != "" { // \ref to a figure or a table
			return w.anchorElement("#"+a.id, a.text)
		}
		return w.broken(n.Start(), "<code>"+html.EscapeString(strings.TrimRight(n.Text(), " \n"))+"</code>", "no equation has the label %s", name)
	}
	text := html.EscapeString(l.Tag)
	if how == "eqref" {
		text = "(" + text + ")"
	}
	return w.anchorElement("#"+l.ID, text)
}
