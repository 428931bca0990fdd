package page

import (
	"fmt"
	"strconv"
	"strings"

	"wb/org"
)

// list writes a plain list. What its first item is, the list is.
func (w *writer) list(n *org.Node) string {
	l, ok := n.List()
	if !ok {
		return ""
	}
	tag := "ul"
	switch {
	case l.Tagged:
		tag = "dl"
	case l.Ordered:
		tag = "ol"
	}
	attrs := w.attributes(n, blockAttributes)
	if l.Ordered && !l.Tagged {
		switch c := l.Items[0].Bullet.Text[0]; {
		case 'a' <= c && c <= 'z':
			attrs = withAttr(attrs, "type", "a")
		case 'A' <= c && c <= 'Z':
			attrs = withAttr(attrs, "type", "A")
		}
	}
	var out strings.Builder
	boxes := false
	for _, item := range l.Items {
		boxes = boxes || item.Checkbox.Present()
		w.listItem(&out, l, item)
	}
	if boxes {
		attrs = withAttr(attrs, "class", strings.TrimSpace("checklist "+attrs["class"]))
	}
	return "<" + tag + attrs.String() + ">\n" + out.String() + "</" + tag + ">\n"
}

func withAttr(a attributes, name, value string) attributes {
	if a == nil {
		a = attributes{}
	}
	a[name] = value
	return a
}

func (w *writer) listItem(out *strings.Builder, l org.List, item org.Item) {
	body := w.itemBody(item)
	box := ""
	switch item.Checkbox.Text {
	case "[X]", "[x]":
		box = "<span class=\"box\" role=\"img\" aria-label=\"done\">☑</span> "
	case "[ ]":
		box = "<span class=\"box\" role=\"img\" aria-label=\"to do\">☐</span> "
	case "[-]":
		box = "<span class=\"box\" role=\"img\" aria-label=\"partly done\">◪</span> "
	}
	tag := ""
	if item.Tag.Present() {
		outer := w.current
		w.current = item.Node
		tag = strings.TrimSpace(w.inline(w.doc.Objects(item.Node)))
		w.current = outer
	}
	switch {
	case l.Tagged:
		if tag == "" {
			tag = "(no term)"
		}
		fmt.Fprintf(out, "<dt>%s%s</dt>\n<dd>%s</dd>\n", box, tag, body)
		return
	case tag != "":
		body = "<strong>" + tag + "</strong>: " + body
	}
	value := ""
	if item.Counter.Present() && l.Ordered {
		at, err := strconv.Atoi(item.Counter.Text)
		if err != nil && len(item.Counter.Text) == 1 { // [@c] is the third
			at = int(item.Counter.Text[0]|0x20) - 'a' + 1
		}
		value = fmt.Sprintf(" value=\"%d\"", at)
	}
	if rest, ok := strings.CutPrefix(body, "<p>"); ok && box != "" {
		box, body = "<p>"+box, rest
	}
	fmt.Fprintf(out, "<li%s>%s%s</li>\n", value, box, body)
}

// itemBody is the content of an item; its first paragraph needs no element of its
// own unless more paragraphs follow.
func (w *writer) itemBody(item org.Item) string {
	var parts []string
	paragraphs := 0
	for c := range item.Children() {
		body := w.element(c)
		if body == "" {
			continue
		}
		if c.Kind() == org.KindParagraph {
			paragraphs++
		}
		parts = append(parts, body)
	}
	if paragraphs == 1 && len(parts) > 0 {
		if inner, ok := strings.CutPrefix(parts[0], "<p>"); ok {
			parts[0] = strings.TrimSuffix(inner, "</p>\n")
			if len(parts) > 1 {
				parts[0] += "\n"
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, ""))
}
