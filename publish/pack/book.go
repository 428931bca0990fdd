package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/proof/manifest"
	"wb/publish/page"
	"wb/workbook"
)

// Book is a workbook as an EPUB 3: what its page shows, without what only a page can
// do. The same document gives the same bytes.
func Book(ctx context.Context, from workbook.Book) ([]byte, []diag.Finding, error) {
	root, err := os.OpenRoot(filepath.Dir(from.File))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	read := reader(root)
	p, found, err := page.Fragment(ctx, from.File, from.Source, page.Options{Read: read, Show: page.ShowNone, Lisp: page.LispOf(from.Lanes, from.Source), Citations: from.Lanes.Citations()})
	if err != nil {
		return nil, nil, err
	}
	b := &book{page: p}
	chapters, err := b.chapters(p.Header + p.Body)
	if err != nil {
		return nil, nil, err
	}
	data, err := b.write(chapters)
	return data, found, err
}

// book is an EPUB that is being made.
type book struct {
	page  *page.Page
	files []bookFile // pictures
	where map[string]string
}

type bookFile struct {
	name, kind string
	data       []byte
}

// chapter is a file of the book's text.
type chapter struct {
	name, title, id string
	nodes           []*nethtml.Node
	mathml          bool
	svg             bool
}

// chapters takes the text apart at its sections of the first level.
func (b *book) chapters(body string) ([]*chapter, error) {
	around := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := nethtml.ParseFragment(strings.NewReader(body), around)
	if err != nil {
		return nil, err
	}
	first := &chapter{name: "text-0.xhtml", title: b.page.Title}
	out := []*chapter{first}
	add := func(n *nethtml.Node) {
		current := out[len(out)-1]
		if n.Type == nethtml.ElementNode && n.Data == "section" && attribute(n, "aria-labelledby") != "" {
			current = &chapter{name: fmt.Sprintf("text-%d.xhtml", len(out)), id: attribute(n, "aria-labelledby"), title: headingOf(n)}
			out = append(out, current)
		}
		current.nodes = append(current.nodes, n)
	}
	for _, n := range nodes {
		if attribute(n, "id") != "content" {
			add(n)
			continue
		}
		for c := n.FirstChild; c != nil; {
			next := c.NextSibling
			n.RemoveChild(c)
			add(c)
			c = next
		}
	}
	b.where = map[string]string{}
	for _, c := range out {
		for _, n := range c.nodes {
			for d := range descendants(n) {
				if id := attribute(d, "id"); id != "" {
					b.where[id] = c.name
				}
			}
		}
	}
	for _, c := range out {
		for _, n := range c.nodes {
			for d := range descendants(n) {
				b.adapt(c, d)
			}
		}
	}
	return out, nil
}

// descendants are a node and all below it.
func descendants(n *nethtml.Node) func(func(*nethtml.Node) bool) {
	return func(yield func(*nethtml.Node) bool) {
		if !yield(n) {
			return
		}
		for d := range n.Descendants() {
			if !yield(d) {
				return
			}
		}
	}
}

func attribute(n *nethtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// headingOf is the text of a section's heading.
func headingOf(section *nethtml.Node) string {
	for d := range section.Descendants() {
		if d.Type == nethtml.ElementNode && (strings.HasPrefix(d.Data, "h") && len(d.Data) == 2 || attribute(d, "role") == "heading") {
			var text strings.Builder
			for t := range d.Descendants() {
				if t.Type == nethtml.TextNode {
					text.WriteString(t.Data)
				}
			}
			return strings.Join(strings.Fields(text.String()), " ")
		}
	}
	return ""
}

// unfit are attributes that a page has for its reader's browser, and that mean
// nothing, or are not part of XHTML, in a book.
var unfit = map[string]bool{"tabindex": true, "preload": true, "data-lang": true}

// adapt makes an element of a page one of a book: links lead to its files, and
// pictures are files of it.
func (b *book) adapt(c *chapter, n *nethtml.Node) {
	if n.Type != nethtml.ElementNode {
		return
	}
	c.mathml = c.mathml || n.Data == "math"
	c.svg = c.svg || n.Data == "svg"
	var kept []nethtml.Attribute
	for _, a := range n.Attr {
		switch {
		case unfit[a.Key]:
			continue
		case a.Key == "id":
			a.Val = xmlID(a.Val)
		case a.Key == "aria-labelledby":
			a.Val = xmlID(a.Val)
		case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
			at, there := b.where[a.Val[1:]]
			if !there { // what only the page has: how results were made
				continue
			}
			if at == c.name {
				at = ""
			}
			a.Val = at + "#" + xmlID(a.Val[1:])
		case a.Key == "href" && !strings.Contains(a.Val, ":"): // a file that is not part of the book
			continue
		case a.Key == "href":
			if _, err := url.Parse(a.Val); err != nil {
				a.Val = strings.ReplaceAll(a.Val, "%", "%25")
			}
		case a.Key == "src" && strings.HasPrefix(a.Val, "data:"):
			a.Val = b.picture(a.Val)
		}
		kept = append(kept, a)
	}
	n.Attr = kept
	if n.Data == "img" && attribute(n, "src") == "" {
		n.Data, n.DataAtom = "span", atom.Span
		n.Attr = nil
	}
}

// xmlID is an id as XML takes it.
func xmlID(id string) string {
	id = unfitID.ReplaceAllString(id, "_")
	if id != "" && strings.IndexByte("0123456789-.", id[0]) >= 0 {
		return "i" + id
	}
	return id
}

var unfitID = lazyregexp.New(`[^\p{L}\p{Nd}_.-]`)

// picture takes a picture out of the text.
func (b *book) picture(src string) string {
	head, text, _ := strings.Cut(strings.TrimPrefix(src, "data:"), ",")
	kind, _, _ := strings.Cut(head, ";")
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return src
	}
	ext := strings.TrimSuffix(strings.TrimPrefix(kind[strings.IndexByte(kind, '/')+1:], "x-"), "+xml")
	name := "media/" + manifest.SHA256(data)[:16] + "." + ext
	for _, f := range b.files {
		if f.name == name {
			return name
		}
	}
	if kind == "image/svg+xml" {
		data = doctype.ReplaceAll(data, nil) // it names a file elsewhere
	}
	b.files = append(b.files, bookFile{name, kind, data})
	return name
}

var doctype = lazyregexp.New(`(?s)<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>`)

// write packs the book.
func (b *book) write(chapters []*chapter) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	put := func(name string, method uint16, data []byte) error {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	if err := put("mimetype", zip.Store, []byte("application/epub+zip")); err != nil {
		return nil, err
	}
	files := []bookFile{
		{"META-INF/container.xml", "", []byte(containerXML)},
		{"OEBPS/book.opf", "", []byte(b.opf(chapters))},
		{"OEBPS/nav.xhtml", "", []byte(b.xhtml(&chapter{title: b.page.Title}, b.nav(chapters)))},
		{"OEBPS/style.css", "", []byte(bookStyle)},
	}
	for _, c := range chapters {
		files = append(files, bookFile{"OEBPS/" + c.name, "", []byte(b.xhtml(c, xhtmlOf(c.nodes)))})
	}
	for _, f := range b.files {
		files = append(files, bookFile{"OEBPS/" + f.name, "", f.data})
	}
	for _, f := range files {
		if err := put(f.name, zip.Deflate, f.data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

const containerXML = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
`

const bookStyle = `body { line-height: 1.5; } pre, code, samp, kbd { font-family: monospace; font-size: .9em; } pre { white-space: pre-wrap; }
table { border-collapse: collapse; } td, th { padding: .2em .6em; border-bottom: 1px solid #999; text-align: start; } .r { text-align: end; }
figure { margin: 1em 0; } figcaption, caption, .byline, .made { font-size: .9em; color: #555; } img { max-width: 100%; }
blockquote { margin: 1em 2em; } .todo, .tags { font-size: .7em; } .broken { text-decoration: none; color: inherit; }
`

// opf is the book's package document.
func (b *book) opf(chapters []*chapter) string {
	var items, spine strings.Builder
	for i, c := range chapters {
		properties := ""
		var has []string
		if c.mathml {
			has = append(has, "mathml")
		}
		if c.svg {
			has = append(has, "svg")
		}
		if has != nil {
			properties = ` properties="` + strings.Join(has, " ") + `"`
		}
		fmt.Fprintf(&items, "<item id=\"t%d\" href=\"%s\" media-type=\"application/xhtml+xml\"%s/>\n", i, c.name, properties)
		fmt.Fprintf(&spine, "<itemref idref=\"t%d\"/>\n", i)
	}
	for i, f := range b.files {
		fmt.Fprintf(&items, "<item id=\"m%d\" href=\"%s\" media-type=\"%s\"/>\n", i, f.name, html.EscapeString(f.kind))
	}
	date, modified := "", "1980-01-01T00:00:00Z"
	if day := dayForm.FindString(b.page.Date); day != "" {
		date, modified = "<dc:date>"+day+"</dc:date>\n", day+"T00:00:00Z"
	}
	author := ""
	if b.page.Author != "" {
		author = "<dc:creator>" + html.EscapeString(b.page.Author) + "</dc:creator>\n"
	}
	sum := manifest.SHA256(b.page.Source)
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="%s">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:%s-%s-5%s-8%s-%s</dc:identifier>
<dc:title>%s</dc:title>
<dc:language>%s</dc:language>
%s%s<meta property="dcterms:modified">%s</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
%s</manifest>
<spine>
%s</spine>
</package>
`, b.page.Lang, sum[:8], sum[8:12], sum[12:15], sum[15:18], sum[18:30], html.EscapeString(b.page.Title), b.page.Lang, author, date, modified, items.String(), spine.String())
}

var dayForm = lazyregexp.New(`\d{4}-\d\d-\d\d`)

// nav is the book's table of contents.
func (b *book) nav(chapters []*chapter) string {
	var out strings.Builder
	out.WriteString("<nav xmlns:epub=\"http://www.idpf.org/2007/ops\" epub:type=\"toc\"><h1>" + html.EscapeString(b.page.Title) + "</h1>\n<ol>\n")
	for _, c := range chapters {
		fmt.Fprintf(&out, "<li><a href=\"%s\">%s</a></li>\n", c.name, html.EscapeString(c.title))
	}
	return out.String() + "</ol></nav>\n"
}

// xhtml is a file of the book.
func (b *book) xhtml(c *chapter, body string) string {
	title := c.title
	if title == "" {
		title = b.page.Title
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="%s" lang="%s">
<head><meta charset="utf-8"/><title>%s</title><link rel="stylesheet" href="style.css"/></head>
<body>
%s</body>
</html>
`, b.page.Lang, b.page.Lang, html.EscapeString(title), body)
}

// xhtmlOf writes nodes as XML.
func xhtmlOf(nodes []*nethtml.Node) string {
	var out strings.Builder
	for _, n := range nodes {
		xmlNode(&out, n)
	}
	return out.String()
}

// spaces are the namespaces of elements within XHTML.
var spaces = map[string]string{"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}

func xmlNode(out *strings.Builder, n *nethtml.Node) {
	switch n.Type {
	case nethtml.TextNode:
		out.WriteString(html.EscapeString(n.Data))
	case nethtml.ElementNode:
		out.WriteString("<" + n.Data)
		if space := spaces[n.Data]; space != "" {
			out.WriteString(` xmlns="` + space + `"`)
		}
		for _, a := range n.Attr {
			if a.Key == "xmlns" {
				continue
			}
			name := a.Key
			if a.Namespace != "" {
				name = a.Namespace + ":" + name
			}
			out.WriteString(" " + name + `="` + html.EscapeString(a.Val) + `"`)
		}
		if n.FirstChild == nil {
			out.WriteString("/>")
			return
		}
		out.WriteString(">")
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			xmlNode(out, c)
		}
		out.WriteString("</" + n.Data + ">")
	}
}
