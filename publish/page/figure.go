package page

import (
	"fmt"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
)

const warning = diag.Warning

// isResult reports whether an element stands under #+RESULTS:.
func isResult(n *org.Node) bool {
	for _, k := range n.Affiliated() {
		if k.Name() == "RESULTS" {
			return true
		}
	}
	return false
}

// caption is the text of #+CAPTION:, several lines joined; "" without.
func (w *writer) caption(n *org.Node) string {
	var parts []string
	for _, k := range n.Affiliated() {
		if k.Name() == "CAPTION" && k.Value.Text != "" {
			parts = append(parts, w.inline(w.doc.ObjectsIn(k.Value.Span)))
		}
	}
	return strings.Join(parts, " ")
}

// shortCaption is the one in brackets where there is one.
func (w *writer) shortCaption(n *org.Node) string {
	for _, k := range n.Affiliated() {
		if k.Name() == "CAPTION" && k.Option.Present() {
			return w.inline(w.doc.ObjectsIn(k.Option.Span))
		}
	}
	return w.caption(n)
}

// shortCaptionText is the same for a list of captions.
func (w *writer) shortCaptionText(n *org.Node) (text string) {
	w.silent(func() { text = stripNotes(stripLinks(w.shortCaption(n))) })
	return text
}

// numbered is a caption behind its number.
func (w *writer) numbered(n *org.Node) string {
	caption := w.caption(n)
	if caption == "" {
		return ""
	}
	if k := w.counts[n.Start()]; k > 0 {
		return fmt.Sprintf("<span class=\"number\">%s %d:</span> %s", w.word(w.classOf(n)), k, caption)
	}
	return caption
}

// anchorOf is the id that #+NAME: gives an element, as an attribute.
func (w *writer) anchorOf(n *org.Node) string {
	if c := n.FirstChild(); c == nil || c.Kind() != org.KindAffiliated {
		return ""
	}
	if a, ok := w.anchors[fmt.Sprint("at ", n.Start())]; ok {
		w.placed[a.id] = true
		return attr("id", a.id)
	}
	return ""
}

// figure puts an element's caption and anchor around it, and marks results.
func (w *writer) figure(n *org.Node, body string) string {
	if body == "" {
		return ""
	}
	if c := n.FirstChild(); c == nil || c.Kind() != org.KindAffiliated {
		return body
	}
	return w.framed(n, body, w.numbered(n), false)
}

// framed is a figure with a caption below or above.
func (w *writer) framed(n *org.Node, body, caption string, above bool) string {
	id := w.anchorOf(n)
	class, made := "", ""
	if isResult(n) {
		class = " class=\"result\""
		made = w.madeBy(n)
	}
	if caption == "" && id == "" && class == "" {
		return body
	}
	if caption != "" {
		caption = "<figcaption>" + caption + "</figcaption>\n"
	}
	if above {
		return "<figure" + class + id + ">\n" + caption + body + made + "</figure>\n"
	}
	return "<figure" + class + id + ">\n" + body + made + caption + "</figure>\n"
}

// paragraph is text; one that is a picture alone is a figure.
func (w *writer) paragraph(n *org.Node) string {
	objects := w.doc.Objects(n)
	if link := onlyLink(objects); link != nil {
		if l, ok := link.Link(); ok && w.isMedia(l) {
			outer := w.current
			w.current = n
			body := w.link(link)
			w.current = outer
			return w.figure(n, body+"\n")
		}
	}
	alone := w.onlyPicture(n)
	outer := w.current
	w.current = n
	body := strings.TrimSpace(w.inline(objects))
	w.current = outer
	if body == "" {
		return ""
	}
	if alone && w.caption(n) != "" {
		return w.figure(n, "<p>"+body+"</p>\n")
	}
	if isResult(n) {
		return w.framed(n, "<p><output>"+body+"</output></p>\n", "", false) // a caption is for pictures
	}
	if strings.HasPrefix(body, `<math display="block">`) && strings.Count(body, "<math") == 1 {
		switch _, after, _ := strings.Cut(body, "</math>"); {
		case after == "":
			return w.figure(n, "<div class=\"equation\">"+body+"</div>\n")
		case strings.HasPrefix(after, `<span class="eqno"`) && strings.HasSuffix(after, "</span>") && strings.Count(after, "<") == 2:
			return w.figure(n, "<div class=\"equation numbered\">"+body+"</div>\n")
		}
	}
	if c := n.FirstChild(); c == nil || c.Kind() != org.KindAffiliated {
		return "<p>" + body + "</p>\n"
	}
	return w.decorated(n, "<p"+w.anchorOf(n)+">"+body+"</p>\n") // a caption is for pictures
}

// onlyLink is the link that a paragraph consists of, nil when there is more.
func onlyLink(objects *org.Node) *org.Node {
	var link *org.Node
	for c := range objects.Children() {
		switch {
		case c.Kind() == org.KindLink && link == nil:
			link = c
		case c.Kind() != org.KindText || strings.TrimSpace(c.Text()) != "":
			return nil
		}
	}
	return link
}

// onlyPicture reports whether a paragraph is a picture alone, which may be one that a
// link shows, or one of another server, to which a link leads.
func (w *writer) onlyPicture(n *org.Node) bool {
	link := onlyLink(w.doc.Objects(n))
	if link == nil {
		return false
	}
	l, ok := link.Link()
	return ok && (w.isPicture(l) || namesPicture(l))
}

// remotePicture is an address of a picture.
var remotePicture = lazyregexp.New(`^(?i:https?:|file:|\./)\S+$`)

// namesPicture reports whether a link would be a picture if pictures came from elsewhere, or
// has one as its description.
func namesPicture(l org.Link) bool {
	name := l.Target.Text
	if l.Form == org.BracketLink && l.Desc.Present() {
		name = strings.TrimSpace(l.Desc.Text)
	}
	return remotePicture.MatchString(name) && pictureName.MatchString(name)
}
