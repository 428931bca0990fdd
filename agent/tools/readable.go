package tools

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unread are elements whose content is not for readers, blocks those that begin
// a line.
var (
	unread = []atom.Atom{atom.Script, atom.Style, atom.Head, atom.Noscript, atom.Template, atom.Svg, atom.Nav, atom.Footer, atom.Iframe, atom.Form, atom.Button}
	blocks = []atom.Atom{atom.P, atom.Div, atom.Section, atom.Article, atom.Header, atom.Main, atom.Ul, atom.Ol, atom.Table, atom.Tr, atom.Blockquote,
		atom.Pre, atom.Dl, atom.Dt, atom.Dd, atom.Br, atom.Hr, atom.Figure, atom.Figcaption, atom.Aside}
	headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
)

// readable is the text of an HTML page: headings and list items are marked,
// links keep their targets, menus and scripts are left out.
func readable(page string) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	w := &textWriter{}
	if title := titleOf(doc); title != "" {
		w.line("# " + title)
	}
	w.node(doc)
	return strings.TrimSpace(w.b.String()) + "\n"
}

func titleOf(n *html.Node) string {
	if n.DataAtom == atom.Title && n.FirstChild != nil {
		return strings.Join(strings.Fields(n.FirstChild.Data), " ")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if title := titleOf(c); title != "" {
			return title
		}
	}
	return ""
}

// textWriter collects text; white space is folded except inside pre.
type textWriter struct {
	b     strings.Builder
	pre   bool
	space bool // a blank is due before the next word
}

func (w *textWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	default:
		w.children(n)
		return
	}
	switch {
	case slices.Contains(unread, n.DataAtom):
	case slices.Contains(headings, n.DataAtom):
		w.breakLine()
		w.b.WriteString("\n" + strings.Repeat("#", 1+slices.Index(headings, n.DataAtom)) + " ")
		w.children(n)
		w.breakLine()
	case n.DataAtom == atom.Li:
		w.breakLine()
		w.b.WriteString("- ")
		w.children(n)
		w.breakLine()
	case n.DataAtom == atom.A:
		w.children(n)
		if href := attribute(n, "href"); strings.HasPrefix(href, "http") {
			w.b.WriteString(" <" + href + ">")
		}
	case n.DataAtom == atom.Td, n.DataAtom == atom.Th:
		if !w.atLineStart() {
			w.b.WriteString(" | ")
		}
		w.space = false
		w.children(n)
	case n.DataAtom == atom.Pre:
		w.breakLine()
		w.pre = true
		w.children(n)
		w.pre = false
		w.breakLine()
	case slices.Contains(blocks, n.DataAtom):
		w.breakLine()
		w.children(n)
		w.breakLine()
	default:
		w.children(n)
	}
}

func (w *textWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

func (w *textWriter) text(text string) {
	if w.pre {
		w.b.WriteString(text)
		return
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		w.space = w.space || text != ""
		return
	}
	if (w.space || strings.TrimLeft(text, " \t\r\n") != text) && w.b.Len() > 0 && !strings.HasSuffix(w.b.String(), "\n") && !strings.HasSuffix(w.b.String(), " ") {
		w.b.WriteByte(' ')
	}
	w.b.WriteString(strings.Join(words, " "))
	w.space = strings.TrimRight(text, " \t\r\n") != text
}

func (w *textWriter) atLineStart() bool {
	return w.b.Len() == 0 || strings.HasSuffix(w.b.String(), "\n")
}

func (w *textWriter) line(text string) { w.b.WriteString(text + "\n") }

func (w *textWriter) breakLine() {
	w.space = false
	if !w.atLineStart() {
		w.b.WriteByte('\n')
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
