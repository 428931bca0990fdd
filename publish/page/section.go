package page

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"wb/org"
)

// document writes everything but the frame.
func (w *writer) document() string {
	return "<div id=\"content\">\n" + w.elements(w.doc.Root()) + "</div>\n"
}

// elements writes what an element holds. Sections below the depth that H: sets
// are items of a list.
func (w *writer) elements(parent *org.Node) string {
	var out strings.Builder
	out.Grow(2 * (parent.End() - parent.Start()))
	list := ""
	top := parent == w.doc.Root() && w.trees.selected != nil // what has no section is in no selected tree
	for n := range parent.Children() {
		if n.Kind() != org.KindHeadline {
			if !top {
				out.WriteString(w.element(n))
			}
			continue
		}
		head := w.heads[n.Start()]
		if head == nil { // hidden
			w.notesOf(n)
			continue
		}
		if w.set.depth == 0 || head.level <= w.set.depth {
			out.WriteString(w.section(n, head))
			continue
		}
		if list == "" {
			list = "ul"
			if head.number != "" {
				list = "ol"
			}
			out.WriteString("<" + list + " class=\"sections\">\n")
		}
		fmt.Fprintf(&out, "<li><strong id=\"%s\">%s</strong>\n%s</li>\n", head.id, w.headingLine(head), w.sectionBody(n, head))
	}
	if list != "" {
		out.WriteString("</" + list + ">\n")
	}
	return out.String()
}

// section is a heading with what stands below it.
func (w *writer) section(n *org.Node, head *heading) string {
	line := w.headingLine(head)
	level := head.level + 1
	tag, role := fmt.Sprintf("h%d", level), ""
	if level > 6 {
		tag, role = "div", fmt.Sprintf(" role=\"heading\" aria-level=\"%d\"", level)
	}
	container, own := ownClass(head, "HTML_CONTAINER_CLASS"), ownClass(head, "HTML_HEADLINE_CLASS")
	return fmt.Sprintf("<section%s aria-labelledby=\"%s\">\n<%s id=\"%s\"%s%s>%s</%s>\n%s</section>\n", container, head.id, tag, head.id, role, own, line, tag, w.sectionBody(n, head))
}

// ownClass is the class that a property of a heading's own drawer gives.
func ownClass(head *heading, property string) string {
	if class := ownProperties(head.Headline)[property]; class != "" {
		return attr("class", class)
	}
	return ""
}

// headingLine is the text of a heading: number, keyword, priority, title, tags.
func (w *writer) headingLine(head *heading) string {
	h := head.Headline
	title := w.inline(w.doc.Objects(h.Node))
	head.title = stripNotes(stripLinks(title))
	if alt, ok := h.Property("ALT_TITLE"); ok {
		head.title = html.EscapeString(alt)
	}
	w.headings = append(w.headings, head)
	w.placed[head.id] = true
	var line strings.Builder
	if head.number != "" {
		fmt.Fprintf(&line, "<span class=\"section-number\">%s.</span> ", head.number)
	}
	if h.Keyword.Present() && w.set.todo {
		class := "todo"
		if h.Done {
			class = "todo done"
		}
		fmt.Fprintf(&line, "<span class=\"%s\">%s</span> ", class, html.EscapeString(h.Keyword.Text))
	}
	if h.Priority.Present() && w.set.priority {
		fmt.Fprintf(&line, "<span class=\"priority\">[%s]</span> ", html.EscapeString(h.Priority.Text))
	}
	line.WriteString(title)
	if tags := h.LocalTags(); len(tags) > 0 && w.set.tags != "nil" {
		line.WriteString(" <span class=\"tags\">" + html.EscapeString(strings.Join(tags, " ")) + "</span>")
	}
	return line.String()
}

func (w *writer) sectionBody(n *org.Node, head *heading) string {
	if w.trees.titleOnly(head.Headline) {
		return ""
	}
	return w.elements(n)
}

// contents lists the headings, when there are enough to choose from.
func (w *writer) contents() string {
	if w.set.toc == 0 || !w.set.tocSet && len(w.headings) < 3 {
		return ""
	}
	return w.contentsOf(w.headings, w.set.toc, true)
}

// contentsOf is a list of headings, nested as the sections are.
func (w *writer) contentsOf(all []*heading, depth int, landmark bool) string {
	all = slices.DeleteFunc(slices.Clone(all), func(h *heading) bool { return !h.toc || h.level > depth })
	if len(all) == 0 {
		return ""
	}
	var out strings.Builder
	if landmark {
		fmt.Fprintf(&out, "<nav aria-label=\"%s\">\n", w.word("Contents"))
	} else {
		out.WriteString("<div class=\"contents\">\n")
	}
	class := " class=\"toc\""
	var open []int
	for _, h := range all {
		for len(open) > 1 && open[len(open)-1] > h.level {
			out.WriteString("</li>\n</ul>\n")
			open = open[:len(open)-1]
		}
		if len(open) == 0 || open[len(open)-1] < h.level {
			if len(open) > 0 {
				out.WriteString("\n")
			}
			out.WriteString("<ul" + class + ">\n")
			class = ""
			open = append(open, h.level)
		} else {
			out.WriteString("</li>\n")
		}
		number := ""
		if h.number != "" {
			number = h.number + " "
		}
		fmt.Fprintf(&out, "<li><a href=\"#%s\">%s%s</a>", h.id, number, h.title)
	}
	for range open {
		out.WriteString("</li>\n</ul>\n")
	}
	if landmark {
		return out.String() + "</nav>\n"
	}
	return out.String() + "</div>\n"
}
