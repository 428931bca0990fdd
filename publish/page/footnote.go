package page

import (
	"fmt"
	"html"
	"strings"

	"wb/org"
)

// note is a footnote that the text refers to.
type note struct {
	label  string
	inline *org.Node // the reference that holds its text
	body   string    // HTML
	refs   int       // references in the text
}

// footnoteRef numbers footnotes by their first reference.
func (w *writer) footnoteRef(n *org.Node) string {
	if !w.set.footnotes || w.quiet {
		return ""
	}
	number, first := w.noteOf(n)
	f := w.notes[number-1]
	f.refs++
	refs := f.refs
	if first { // its own references are numbered before those that follow here
		f.body = w.noteBody(f, number)
	}
	id := fmt.Sprintf("fnref:%d", number)
	if refs > 1 {
		id = fmt.Sprintf("fnref:%d-%d", number, refs)
	}
	return w.noteLink(id, number)
}

// noteOf is the number of the note that a reference is for, and whether it is the
// first one for it.
func (w *writer) noteOf(n *org.Node) (number int, first bool) {
	ref, _ := n.FootnoteRef()
	label := "note " + ref.Label.Text
	if ref.Label.Text == "" {
		label = fmt.Sprint("note at ", n.Start())
	}
	if number, ok := w.numbers[label]; ok {
		return number, false
	}
	number = len(w.notes) + 1
	w.numbers[label] = number
	f := &note{label: ref.Label.Text}
	if ref.Inline {
		f.inline = n
	}
	w.notes = append(w.notes, f)
	if !ref.Inline && w.defined[ref.Label.Text] == nil && !w.definedInline(ref.Label.Text) {
		w.complain(n, "missing-footnote", "footnote %s is not defined", ref.Label.Text)
	}
	return number, true
}

// notesOf lists the notes that a section for footnotes itself refers to. The
// section is not shown, so nothing leads to them.
func (w *writer) notesOf(section *org.Node) {
	if h, ok := section.Headline(); !ok || !w.set.footnotes || w.quiet || h.Title.Text != footnoteSection || w.trees.private(h) {
		return
	}
	if !strings.Contains(section.Text(), "[fn:") {
		return
	}
	for n := range w.doc.AllObjects(org.KindFootnoteRef) {
		if n.Start() < section.Start() || n.End() > section.End() || within(n, org.KindFootnote) {
			continue
		}
		if number, first := w.noteOf(n); first {
			w.notes[number-1].body = w.noteBody(w.notes[number-1], number)
		}
	}
}

// within reports whether a node is part of one of this kind.
func within(n *org.Node, kind org.Kind) bool {
	for a := n.Parent(); a != nil; a = a.Parent() {
		if a.Kind() == kind {
			return true
		}
	}
	return false
}

// noteMark is the first reference to a note.
func (w *writer) noteMark(number int) string {
	return w.noteLink(fmt.Sprintf("fnref:%d", number), number)
}

func (w *writer) noteLink(id string, number int) string {
	return fmt.Sprintf("<sup class=\"footref\"><a id=\"%s\" href=\"#fn:%d\" role=\"doc-noteref\" aria-label=\"%s %d\">%d</a></sup>", w.take(id), number, w.word("Footnote"), number, number)
}

// definedInline reports whether some reference holds the text of a footnote.
func (w *writer) definedInline(label string) bool {
	if !strings.Contains(w.doc.Source(), "[fn:"+label+":") {
		return false
	}
	for n := range w.doc.AllObjects(org.KindFootnoteRef) {
		if f, ok := n.FootnoteRef(); ok && f.Inline && f.Label.Text == label {
			return true
		}
	}
	return false
}

// take marks an id of the writer's own as used.
func (w *writer) take(id string) string {
	w.placed[id] = true
	if !w.ids[id] {
		w.ids[id] = true
		w.idList = append(w.idList, id)
	}
	return id
}

// footnotes writes the notes.
func (w *writer) footnotes() string {
	if len(w.notes) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("<section class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"" + w.word("Footnotes") + "\">\n<ol>\n")
	for i, note := range w.notes {
		body, back := note.body, ""
		for k := 1; k <= note.refs; k++ {
			id, mark, label := fmt.Sprintf("fnref:%d", i+1), "↩", w.word("Back to the text")
			if k > 1 { // the name has to have what is seen, for who says it to their computer
				id, mark, label = fmt.Sprintf("fnref:%d-%d", i+1, k), fmt.Sprintf("↩<sup>%d</sup>", k), fmt.Sprintf("%s ↩%d", label, k)
			}
			back += fmt.Sprintf(" <a class=\"footback\" href=\"#%s\" role=\"doc-backlink\" aria-label=\"%s\">%s</a>", id, label, mark)
		}
		switch before, ok := strings.CutSuffix(body, "</p>\n"); {
		case ok:
			body = before + back + "</p>\n"
		case back != "":
			body += "<p>" + strings.TrimSpace(back) + "</p>\n"
		}
		fmt.Fprintf(&out, "<li id=\"%s\">%s</li>\n", w.take(fmt.Sprintf("fn:%d", i+1)), strings.TrimSpace(body))
	}
	return out.String() + "</ol>\n</section>\n"
}

func (w *writer) noteBody(f *note, number int) string {
	outer, outerNote := w.current, w.noting
	w.noting = number
	defer func() { w.current, w.noting = outer, outerNote }()
	if definition := w.defined[f.label]; definition != nil && f.label != "" {
		w.current = nil
		return w.elements(definition)
	}
	if f.inline == nil && f.label != "" {
		for n := range w.doc.AllObjects(org.KindFootnoteRef) {
			if r, ok := n.FootnoteRef(); ok && r.Inline && r.Label.Text == f.label {
				f.inline = n
				break
			}
		}
	}
	if f.inline == nil {
		return "<p><code>" + html.EscapeString(f.label) + "</code></p>\n"
	}
	w.current = f.inline
	return "<p>" + strings.TrimSpace(w.inline(f.inline)) + "</p>\n"
}
