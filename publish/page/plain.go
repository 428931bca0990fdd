package page

import (
	"html"
	"strings"
	"unicode/utf8"

	"wb/internal/lazyregexp"
)

var (
	anchorTag = lazyregexp.New(`</?a(?:\s[^>]*)?>`)
	noteMark  = lazyregexp.New(`<sup class="footref">.*?</sup>`)
	idAttr    = lazyregexp.New(` id="[^"]*"`)
)

// stripLinks takes links and anchors out of text that stands in a link.
func stripLinks(text string) string {
	if strings.Contains(text, "<a") {
		text = anchorTag.ReplaceAllString(text, "")
	}
	if strings.Contains(text, ` id="`) {
		text = idAttr.ReplaceAllString(text, "")
	}
	return text
}

// stripNotes takes references to footnotes out of text that is shown twice.
func stripNotes(text string) string {
	if !strings.Contains(text, `<sup class="footref">`) {
		return text
	}
	return noteMark.ReplaceAllString(text, "")
}

// unread are elements whose text is no prose.
var unread = []string{"annotation", "svg", "style", "script"}

// plainText is HTML without its tags, for titles and search indexes.
func plainText(body string) string {
	if !strings.ContainsAny(body, "<&") {
		return body
	}
	var out strings.Builder
	out.Grow(len(body) / 2)
	for rest := body; rest != ""; {
		before, after, found := strings.Cut(rest, "<")
		out.WriteString(before)
		if !found {
			break
		}
		tag, next, _ := strings.Cut(after, ">")
		rest = next
		name, _, _ := strings.Cut(strings.TrimPrefix(tag, "/"), " ")
		for _, skip := range unread {
			if tag == skip || strings.HasPrefix(tag, skip+" ") {
				_, rest, _ = strings.Cut(rest, "</"+skip+">")
			}
		}
		if blockTags[name] {
			out.WriteByte(' ')
		}
	}
	return html.UnescapeString(out.String())
}

var blockTags = map[string]bool{"p": true, "li": true, "td": true, "th": true, "br": true, "div": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true,
	"dt": true, "dd": true, "pre": true, "figcaption": true, "tr": true, "section": true, "blockquote": true, "summary": true, "caption": true}

// proofOfWork are the lines under results, which are no text of the author's.
var proofOfWork = lazyregexp.New(`(?s)<p class="made">.*?</p>`)

// indexText is what a search index holds of a page.
func indexText(body string) string {
	if strings.Contains(body, `<p class="made">`) {
		body = proofOfWork.ReplaceAllString(body, "")
	}
	return strings.Join(strings.Fields(plainText(body)), " ")
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
