package page

import (
	"html"
	"strings"
	"unicode/utf8"

	"wb/internal/lazyregexp"
)

var (
	anchorTag = lazyregexp.New(`</?a(?:\s[^>]*)?>`)
	noteMarks = lazyregexp.New(`<sup class="footref">.*?</sup>`)
	idAttr    = lazyregexp.New(` id="[^"]*"`)
)

// stripLinks takes links and anchors out of text that stands in a link. The
// marks of footnotes stay: see [withoutNotes].
func stripLinks(text string) string {
	if !strings.Contains(text, "<a") && !strings.Contains(text, ` id="`) {
		return text
	}
	var out strings.Builder
	pos := 0
	for _, m := range noteMarks.FindAllStringIndex(text, -1) {
		out.WriteString(bare(text[pos:m[0]]))
		out.WriteString(text[m[0]:m[1]])
		pos = m[1]
	}
	out.WriteString(bare(text[pos:]))
	return out.String()
}

func bare(text string) string {
	return idAttr.ReplaceAllString(anchorTag.ReplaceAllString(text, ""), "")
}

// withoutNotes cuts the marks of footnotes out of a link's text: they are
// links themselves and come behind it.
func withoutNotes(text string) (rest, notes string) {
	if !strings.Contains(text, `<sup class="footref">`) {
		return text, ""
	}
	return noteMarks.ReplaceAllString(text, ""), strings.Join(noteMarks.FindAllString(text, -1), "")
}

// stripNotes takes references to footnotes out of text that is shown twice.
func stripNotes(text string) string {
	if !strings.Contains(text, `<sup class="footref">`) {
		return text
	}
	return noteMarks.ReplaceAllString(text, "")
}

// unread are elements whose text is not prose.
var unread = []string{"annotation", "svg", "style", "script"}

// plainText is HTML without its tags, for titles and search indexes.
func plainText(body string) string {
	if !strings.ContainsAny(body, "<&") {
		return body
	}
	var out strings.Builder
	out.Grow(len(body) / 2)
	for rest := body; rest != ""; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:i])
		rest = rest[i+1:]
		i = strings.IndexByte(rest, '>')
		if i < 0 {
			break
		}
		tag := rest[:i]
		rest = skipUnread(tag, rest[i+1:])
		if breaksText(tag) {
			out.WriteByte(' ')
		}
	}
	return html.UnescapeString(out.String())
}

// madeTag opens the line under a result, which is not text of the author's.
const madeTag = `p class="made"`

// skipUnread skips the rest of an element whose text is not prose.
func skipUnread(tag, rest string) string {
	if tag == madeTag {
		_, rest, _ = strings.Cut(rest, "</p>")
		return rest
	}
	if tag == "" || strings.IndexByte("as", tag[0]) < 0 {
		return rest
	}
	for _, skip := range unread {
		if tag == skip || strings.HasPrefix(tag, skip) && tag[len(skip)] == ' ' {
			_, rest, _ = strings.Cut(rest, "</"+skip+">")
		}
	}
	return rest
}

// breaksText reports whether words on either side of a tag are apart.
func breaksText(tag string) bool {
	tag = strings.TrimPrefix(tag, "/")
	if i := strings.IndexByte(tag, ' '); i >= 0 {
		tag = tag[:i]
	}
	switch tag {
	case "p", "li", "td", "th", "br", "br/", "div", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "pre", "figcaption", "tr", "section", "blockquote", "summary", "caption":
		return true
	}
	return false
}

// indexText is the text of a page for a search index.
func indexText(body string) string {
	text := plainText(body)
	var out strings.Builder
	out.Grow(len(text))
	for word := range strings.FieldsSeq(text) {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}

// clean is a source as the writer reads it: no carriage returns, and no
// characters that HTML cannot hold.
func clean(src []byte) string {
	s := string(src)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.Contains(s, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if strings.ContainsAny(s, "\x00\r\f") {
		s = strings.NewReplacer("\x00", " ", "\r", " ", "\f", " ").Replace(s)
	}
	return s
}
