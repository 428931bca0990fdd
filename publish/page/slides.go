package page

import (
	"context"
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"wb/internal/diag"
	"wb/proof/verify/js"
)

//go:embed slides.css
var slidesStyle string

//go:embed slides.js
var slidesScript string

// Slides writes a workbook as slides in one page that needs nothing but itself: the
// title is the first, and each heading of the first and of the second level begins
// another. Without a script they stand below one another; on paper each has its sheet.
// What is between #+begin_notes and #+end_notes is for the speaker.
func Slides(ctx context.Context, file string, src []byte, opts Options) ([]byte, []diag.Finding, error) {
	opts.Show, opts.TrailURL = ShowNone, ""
	p, found, err := Fragment(ctx, file, src, opts)
	if err != nil {
		return nil, nil, err
	}
	slides, err := slidesOf(p)
	if err != nil {
		return nil, nil, err
	}
	script := js.Source + proof
	var out strings.Builder
	fmt.Fprintf(&out, head, html.EscapeString(p.Lang), policy(Foot{}, "\n"+themeSwitch, "\n"+slidesScript, "\n"+script), html.EscapeString(p.Title), describe(p),
		style+slidesStyle, "<link rel=\"icon\" href=\"data:,\">\n"+opts.Head+p.Head, themeSwitch)
	out.WriteString("<main class=\"deck\" id=\"content\">\n")
	for i, nodes := range slides {
		fmt.Fprintf(&out, "<div class=\"slide\" role=\"group\" aria-roledescription=\"slide\" aria-label=\"%d / %d\">\n<div class=\"fit\">\n", i+1, len(slides))
		for _, n := range nodes {
			if err := nethtml.Render(&out, n); err != nil {
				return nil, nil, err
			}
		}
		out.WriteString("</div>\n</div>\n")
	}
	out.WriteString("</main>\n<p class=\"at\" aria-live=\"polite\"></p>\n<script>\n" + slidesScript + "</script>\n")
	fmt.Fprintf(&out, tail, "", script)
	return []byte(out.String()), found, nil
}

// slidesOf takes a page apart at its sections of the first two levels.
func slidesOf(p *Page) ([][]*nethtml.Node, error) {
	nodes, err := nethtml.ParseFragment(strings.NewReader(p.Header+p.Body), &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return nil, err
	}
	var first []*nethtml.Node
	var sections []*nethtml.Node
	for _, n := range nodes {
		if !hasAttribute(n, "id", "content") {
			if isSection(n) {
				sections = append(sections, n)
			} else {
				first = append(first, n)
			}
			continue
		}
		for _, c := range without(n) {
			if isSection(c) {
				sections = append(sections, c)
			} else {
				first = append(first, c)
			}
		}
	}
	slides := [][]*nethtml.Node{first}
	for _, section := range sections {
		slides = append(slides, []*nethtml.Node{section})
		var within []*nethtml.Node
		for c := section.FirstChild; c != nil; c = c.NextSibling {
			if isSection(c) {
				within = append(within, c)
			}
		}
		for _, c := range within {
			section.RemoveChild(c)
			slides = append(slides, []*nethtml.Node{c})
		}
	}
	return slices.DeleteFunc(slides, func(slide []*nethtml.Node) bool {
		return !slices.ContainsFunc(slide, func(n *nethtml.Node) bool { return n.Type == nethtml.ElementNode })
	}), nil
}

func isSection(n *nethtml.Node) bool {
	return n.Type == nethtml.ElementNode && n.Data == "section"
}

func hasAttribute(n *nethtml.Node, name, value string) bool {
	return slices.ContainsFunc(n.Attr, func(a nethtml.Attribute) bool { return a.Key == name && a.Val == value })
}

// without are the children of a node, which they leave.
func without(n *nethtml.Node) []*nethtml.Node {
	var out []*nethtml.Node
	for n.FirstChild != nil {
		out = append(out, n.FirstChild)
		n.RemoveChild(n.FirstChild)
	}
	return out
}
