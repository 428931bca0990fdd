package page

import (
	"fmt"
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/publish/manifest"
)

// inline writes the objects below a node.
func (w *writer) inline(n *org.Node) string {
	if n == nil {
		return ""
	}
	var out strings.Builder
	for c := range n.Children() {
		out.WriteString(w.object(c))
	}
	return out.String()
}

// wrapped are objects that are one element around others.
var wrapped = map[org.Kind]string{org.KindBold: "strong", org.KindItalic: "em", org.KindUnderline: "u", org.KindStrike: "del",
	org.KindSubscript: "sub", org.KindSuperscript: "sup"}

func (w *writer) object(n *org.Node) string {
	text := n.Text()
	bare := strings.TrimRight(text, " \t\n")
	blanks := text[len(bare):]
	if tag, ok := wrapped[n.Kind()]; ok {
		inner := w.inline(n)
		return "<" + tag + ">" + strings.TrimSuffix(inner, blanks) + "</" + tag + ">" + blanks
	}
	switch n.Kind() {
	case org.KindMarkup:
		return ""
	case org.KindCode:
		return "<code>" + html.EscapeString(bare[1:len(bare)-1]) + "</code>" + blanks
	case org.KindVerbatim:
		return "<samp>" + html.EscapeString(bare[1:len(bare)-1]) + "</samp>" + blanks
	case org.KindLink:
		return w.link(n) + blanks
	case org.KindTarget, org.KindRadioTarget:
		if t, ok := n.TargetName(); ok && n.Kind() == org.KindTarget {
			return fmt.Sprintf("<a id=\"%s\"></a>", w.anchors["name "+t.Text]) + blanks
		}
		return html.EscapeString(strings.Trim(bare, "<>")) + blanks
	case org.KindTimestamp:
		return w.timestamp(n) + blanks
	case org.KindFootnoteRef:
		return w.footnoteRef(n) + blanks
	case org.KindEntity:
		if e, ok := n.Entity(); ok && e.Text != "" {
			return html.EscapeString(e.Text)
		}
	case org.KindLatexFragment:
		return "<code class=\"math\">" + html.EscapeString(bare) + "</code>" + blanks
	case org.KindLineBreak:
		return "<br>\n"
	case org.KindInlineSrc:
		if src, ok := n.InlineSrc(); ok {
			return "<code>" + html.EscapeString(src.Body.Text) + "</code>" + blanks
		}
	case org.KindExportSnippet:
		if s, ok := n.ExportSnippet(); ok {
			if s.Backend.Text == "html" {
				return s.Value.Text + blanks
			}
			return blanks
		}
	case org.KindMacro:
		return w.macro(n) + blanks
	case org.KindTableCell, org.KindCitationText:
		return w.inline(n)
	case org.KindCookie:
		return "<span class=\"cookie\">" + html.EscapeString(bare) + "</span>" + blanks
	case org.KindCitation:
		return "<cite>" + html.EscapeString(strings.TrimSuffix(strings.TrimPrefix(bare, "[cite:"), "]")) + "</cite>" + blanks
	}
	return html.EscapeString(text)
}

// macro shows a result marked by {{{results(…)}}}; others are Emacs's to
// expand and show as they are written.
func (w *writer) macro(n *org.Node) string {
	m, _ := n.Macro()
	if strings.EqualFold(m.Key.Text, "results") && len(m.Args) > 0 {
		span := org.Span{Start: m.Args[0].Start, End: m.Args[len(m.Args)-1].End}
		return "<output>" + w.inline(w.doc.ObjectsIn(span)) + "</output>"
	}
	return html.EscapeString(strings.TrimRight(n.Text(), " \t\n"))
}

func (w *writer) timestamp(n *org.Node) string {
	t, ok := n.Timestamp()
	shown := html.EscapeString(strings.Trim(strings.TrimRight(n.Text(), " \t\n"), "<>[]"))
	if !ok || t.Diary != "" || t.Range {
		return "<span class=\"date\">" + shown + "</span>"
	}
	day := regexp.MustCompile(`^\d{4}-\d\d-\d\d`).FindString(shown)
	if day == "" {
		return "<span class=\"date\">" + shown + "</span>"
	}
	return fmt.Sprintf("<time datetime=\"%s\">%s</time>", day, shown)
}

// schemes are those that links may have; others, javascript: above all, are
// shown as text.
var schemes = map[string]bool{"http": true, "https": true, "mailto": true, "ftp": true, "tel": true, "doi": true, "did": true}

var pictureName = lazyregexp.New(`(?i)\.(png|jpe?g|gif|svg|webp|avif)$`)

func (w *writer) link(n *org.Node) string {
	l, ok := n.Link()
	if !ok {
		return html.EscapeString(n.Text())
	}
	text := html.EscapeString(strings.TrimPrefix(l.Target.Text, "file:"))
	described := l.Form == org.BracketLink && l.Desc.Present()
	if described {
		text = w.inline(w.doc.ObjectsIn(l.Desc.Span))
	}
	switch l.Type {
	case "file", "attachment":
		if manifest.Private(path.Clean(l.Path)) {
			return "<code>" + text + "</code>" // stays with the author
		}
		if !described && pictureName.MatchString(l.Path) {
			return fmt.Sprintf("<img src=\"%s\" alt=\"%s\">", html.EscapeString(w.picture(l.Path, n)), html.EscapeString(w.altOf(n, l.Path)))
		}
		return anchorTo(w.fileLink(l), text)
	case "fuzzy", "custom-id", "id", "coderef", "radio":
		return w.internal(n, l, text, described)
	case "doi":
		return anchorTo("https://doi.org/"+l.Path, text)
	}
	if !schemes[l.Type] {
		return text
	}
	if !described && pictureName.MatchString(l.Path) {
		return anchorTo(l.Type+":"+l.Path, text) // a picture from elsewhere would be a request
	}
	return anchorTo(l.Type+":"+l.Path, text)
}

func anchorTo(href, text string) string {
	return "<a href=\"" + html.EscapeString(href) + "\">" + stripLinks(text) + "</a>"
}

// fileLink leads to the page of another workbook, or to the file.
func (w *writer) fileLink(l org.Link) string {
	u := url.URL{Path: l.Path}
	if doc, ok := strings.CutSuffix(l.Path, ".org"); ok {
		u.Path = doc + ".html"
	}
	href := u.String()
	if custom, ok := strings.CutPrefix(l.Search, "#"); ok {
		href += "#" + url.PathEscape(custom)
	}
	return href
}

// internal leads to a place of the page; one that is not there is a mistake.
func (w *writer) internal(n *org.Node, l org.Link, text string, described bool) string {
	key := strings.ToLower(l.Path)
	switch l.Type {
	case "custom-id":
		key = "#" + strings.TrimPrefix(l.Path, "#")
		if !described {
			text = html.EscapeString(strings.TrimPrefix(l.Path, "#"))
		}
	case "id":
		key = "id " + l.Path
	case "coderef":
		return "<code>" + text + "</code>"
	}
	id, ok := w.anchors[key]
	if !ok {
		id, ok = w.anchors[strings.ToLower(strings.TrimPrefix(l.Path, "*"))]
	}
	if !ok {
		w.complain(n, "broken-link", "%s leads nowhere", l.Target.Text)
		return text
	}
	if !described {
		text = strings.TrimPrefix(text, "*")
	}
	return anchorTo("#"+id, text)
}

// altOf is what stands for a picture: :alt of #+ATTR_HTML, else its caption,
// else its name.
func (w *writer) altOf(n *org.Node, name string) string {
	for a := range n.Ancestors() {
		for _, k := range a.Affiliated() {
			if strings.EqualFold(k.Key.Text, "ATTR_HTML") {
				if _, alt, ok := strings.Cut(k.Value.Text, ":alt "); ok {
					alt, _, _ = strings.Cut(alt, " :")
					return strings.Trim(strings.TrimSpace(alt), `"`)
				}
			}
		}
		for _, k := range a.Affiliated() {
			if strings.EqualFold(k.Key.Text, "CAPTION") {
				return k.Value.Text
			}
		}
	}
	return name
}

var anchorTag = lazyregexp.New(`</?a[^>]*>`)

// stripLinks takes links out of text that stands in a link.
func stripLinks(text string) string { return anchorTag.ReplaceAllString(text, "") }

// note is a footnote that the text refers to.
type note struct {
	label string
	body  string
}

// footnoteRef numbers footnotes by their first reference.
func (w *writer) footnoteRef(n *org.Node) string {
	ref, _ := n.FootnoteRef()
	label := ref.Label.Text
	if label == "" {
		label = fmt.Sprint("at ", n.Start())
	}
	number, seen := w.numbers[label]
	if !seen {
		number = len(w.notes) + 1
		w.numbers[label] = number
		w.notes = append(w.notes, note{label: label})
		body := ""
		switch definition := w.named[label]; {
		case ref.Inline:
			body = "<p>" + w.inline(n) + "</p>\n"
		case definition != nil:
			body = w.elements(definition)
		default:
			w.complain(n, "missing-footnote", "footnote %s is not defined", label)
		}
		w.notes[number-1].body = body
		return fmt.Sprintf("<sup><a id=\"fnref-%d\" href=\"#fn-%d\" aria-label=\"Footnote %d\">%d</a></sup>", number, number, number, number)
	}
	return fmt.Sprintf("<sup><a href=\"#fn-%d\" aria-label=\"Footnote %d\">%d</a></sup>", number, number, number)
}

func (w *writer) footnotes() string {
	if len(w.notes) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("<section class=\"footnotes\" aria-label=\"Footnotes\">\n<ol>\n")
	for i, n := range w.notes {
		fmt.Fprintf(&out, "<li id=\"fn-%d\">%s<a href=\"#fnref-%d\" aria-label=\"Back to the text\">↩</a></li>\n", i+1, n.body, i+1)
	}
	return out.String() + "</ol>\n</section>\n"
}
