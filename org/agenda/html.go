package agenda

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// style is how the page looks, in light and dark.
const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
td{padding:.15rem .6rem .15rem 0;vertical-align:top}
td:nth-child(-n+3){white-space:nowrap;color:GrayText}
td:last-child{text-align:right;color:GrayText}
.state{font-weight:bold}.done .title{text-decoration:line-through}
.habit{font-family:monospace;white-space:pre}
h2.today{text-decoration:underline}`

// HTML writes the view as a page.
func (v *View) HTML(w io.Writer) error {
	out := &lines{w: w}
	title := html.EscapeString(strings.TrimSuffix(v.Title, ":"))
	out.line(`<!DOCTYPE html>`)
	out.line(`<html lang="en">`)
	out.line(`<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`)
	out.line("<title>" + title + "</title><style>" + style + "</style></head>")
	out.line("<body>")
	out.line("<h1>" + title + "</h1>")
	out.items(v.Items, v.Groups)
	for _, page := range v.Days {
		class := ""
		if page.Today {
			class = ` class="today"`
		}
		out.line(fmt.Sprintf(`<h2%s><time datetime="%s">%s</time></h2>`, class, page.Date, html.EscapeString(page.Date.title())))
		out.items(page.Items, page.Groups)
	}
	out.line("</body>")
	out.line("</html>")
	return out.err
}

func (l *lines) items(items []*Item, groups []Group) {
	for _, g := range groups {
		l.line("<h3>" + html.EscapeString(g.Name) + "</h3>")
		l.items(g.Items, nil)
	}
	if len(items) == 0 {
		return
	}
	l.line("<table>")
	for _, item := range items {
		l.line(item.html())
	}
	l.line("</table>")
}

// html is one row: category, time, why, headline, tags.
func (i *Item) html() string {
	class := ""
	if i.Done {
		class = ` class="done"`
	}
	clock := i.Time
	if i.End != "" {
		clock += "–" + i.End
	}
	text := linked(i.Title)
	if i.Habit != "" {
		text += ` <span class="habit" aria-hidden="true">` + html.EscapeString(i.Habit) + "</span>"
	}
	if i.Entry.Priority != "" {
		text = "[#" + html.EscapeString(i.Entry.Priority) + "] " + text
	}
	if i.State != "" {
		text = `<span class="state">` + html.EscapeString(i.State) + "</span> " + text
	}
	cell := func(text string) string { return "<td>" + html.EscapeString(text) + "</td>" }
	return fmt.Sprintf(`<tr%s title="%s">`, class, html.EscapeString(fmt.Sprintf("%s:%d", i.File, i.Line))) +
		cell(i.Category) + cell(clock) + cell(i.Leader) + `<td class="title">` + text + "</td>" + cell(strings.Join(i.Tags, " ")) + "</tr>"
}

// linked is a title in which links to the web can be followed; of others it shows
// the description.
func linked(title string) string {
	var b strings.Builder
	at := 0
	for _, m := range bracketLink.FindAllStringSubmatchIndex(title, -1) {
		b.WriteString(html.EscapeString(title[at:m[0]]))
		target, text := title[m[2]:m[3]], title[m[2]:m[3]]
		if m[4] >= 0 {
			text = title[m[4]:m[5]]
		}
		if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "mailto:") {
			fmt.Fprintf(&b, `<a href="%s">%s</a>`, html.EscapeString(target), html.EscapeString(text))
		} else {
			b.WriteString(html.EscapeString(text))
		}
		at = m[1]
	}
	return b.String() + html.EscapeString(title[at:])
}
