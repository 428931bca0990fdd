package page

import "strings"

// Passage is a part of a page that a search can find: what stands below a heading,
// up to the next one.
type Passage struct {
	ID    string // of the heading; "" for what stands before the first, and for footnotes
	Title string // of the heading, plain text
	Text  string // without markup, the heading left out
}

// passages takes the HTML of a page apart at its headings.
func (w *writer) passages(body string) []Passage {
	var out []Passage
	at, current := 0, Passage{}
	add := func(end int) {
		current.Text = indexText(body[at:end])
		out = append(out, current)
	}
	for _, h := range w.headings {
		mark := attr("id", h.id)
		i := strings.Index(body[at:], mark)
		if i < 0 {
			continue
		}
		end := at + strings.LastIndexByte(body[:at+i], '<') - at
		add(end)
		at += i
		if shut := strings.Index(body[at:], "</h"); shut >= 0 && shut < maxHeadingLine {
			at += shut
			at += strings.IndexByte(body[at:], '>') + 1
		} else {
			at += strings.IndexByte(body[at:], '>') + 1 // a heading that is an item of a list
		}
		current = Passage{ID: h.id, Title: indexText(h.title)}
	}
	if notes := strings.Index(body[at:], `<section class="footnotes"`); notes >= 0 {
		add(at + notes)
		at, current = at+notes, Passage{}
	}
	add(len(body))
	return out
}

// maxHeadingLine bounds where the end of a heading is looked for.
const maxHeadingLine = 4 << 10
