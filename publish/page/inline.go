package page

import (
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"

	"wb/internal/lazyregexp"
	"wb/org"
)

// inline writes the objects below a node.
func (w *writer) inline(n *org.Node) string {
	if n == nil {
		return ""
	}
	first := n.FirstChild()
	if w.set.smart && strings.ContainsAny(n.Text(), `"'`) {
		outer := w.quotes
		w.quotes = w.quotesIn(n)
		defer func() { w.quotes = outer }()
	}
	switch {
	case first == nil && n.Kind() == org.KindObjects:
		return w.plain(n.Text(), n.Start())
	case first == nil:
		return ""
	case first.Next() == nil:
		return w.object(first)
	}
	var out strings.Builder
	for c := range n.Children() {
		out.WriteString(w.object(c))
	}
	return out.String()
}

// emphases are objects that are one element around others.
var emphases = map[org.Kind]string{org.KindBold: "strong", org.KindItalic: "em", org.KindUnderline: "u", org.KindStrike: "del"}

// object writes one object. Blanks behind it belong to it.
func (w *writer) object(n *org.Node) string {
	text := n.Text()
	if n.Kind() == org.KindText {
		return w.plain(text, n.Start())
	}
	bare := strings.TrimRight(text, " \t\n")
	blanks := text[len(bare):]
	switch n.Kind() {
	case org.KindMarkup:
		return ""
	case org.KindBold, org.KindItalic, org.KindUnderline, org.KindStrike:
		inner := strings.TrimSuffix(w.inline(n), blanks)
		if !w.set.emphasis {
			return html.EscapeString(bare[:1]) + inner + html.EscapeString(bare[:1]) + blanks
		}
		tag := emphases[n.Kind()]
		return "<" + tag + ">" + inner + "</" + tag + ">" + blanks
	case org.KindCode:
		return unbroken("code", bare[1:len(bare)-1]) + blanks
	case org.KindVerbatim:
		return unbroken("samp", bare[1:len(bare)-1]) + blanks
	case org.KindSubscript, org.KindSuperscript:
		return w.script(n, blanks)
	case org.KindLink:
		return w.link(n) + blanks
	case org.KindTarget, org.KindRadioTarget:
		return w.target(n) + blanks
	case org.KindTimestamp:
		return w.timestamp(n) + blanks
	case org.KindFootnoteRef:
		return w.footnoteRef(n) + blanks
	case org.KindEntity:
		return w.entity(n)
	case org.KindLatexFragment:
		return w.latexFragment(n, bare) + blanks
	case org.KindLineBreak:
		return "<br>\n"
	case org.KindInlineSrc:
		if src, ok := n.InlineSrc(); ok {
			lines := w.highlighted(src.Lang.Text, []string{src.Code()})
			return "<code class=\"language-" + html.EscapeString(src.Lang.Text) + "\">" + lines[0] + "</code>" + blanks
		}
	case org.KindInlineCall, org.KindMacro:
		return "<code>" + html.EscapeString(bare) + "</code>" + blanks
	case org.KindExportSnippet:
		if s, ok := n.ExportSnippet(); ok && s.Backend.Text == "html" {
			return w.rawHTML(s.Value.Text, s.Value.Start) + blanks
		}
		return blanks
	case org.KindTableCell, org.KindCitationText:
		return w.inline(n)
	case org.KindCookie:
		if !w.set.cookies {
			return blanks
		}
		return "<span class=\"cookie\">" + html.EscapeString(bare) + "</span>" + blanks
	case org.KindCitation:
		return w.citation(n) + blanks
	}
	return html.EscapeString(text)
}

// script is a sub- or superscript, or the text it was written as when ^: says
// so.
func (w *writer) script(n *org.Node, blanks string) string {
	sign := n.Text()[:1]
	braced := len(n.Text()) > 1 && n.Text()[1] == '{'
	inner := strings.TrimSuffix(w.inline(n), blanks)
	if w.set.scripts == "nil" || w.set.scripts == "{}" && !braced {
		if braced {
			inner = "{" + inner + "}"
		}
		return sign + inner + blanks
	}
	tag := "sup"
	if n.Kind() == org.KindSubscript {
		tag = "sub"
	}
	return "<" + tag + ">" + inner + "</" + tag + ">" + blanks
}

// entitiesOfHTML are entities that Org spells better in HTML than in text. Where it
// makes do with another character, as with \nexists, that of text stays.
var entitiesOfHTML = map[string]string{"shy": "\u00ad", "Amacr": "Ā", "amacr": "ā", "phi": "φ", "varphi": "ϕ", "beth": "ℶ", "dalet": "ℸ", "setminus": "∖", "ast": "∗",
	"diams": "♦", "diamondsuit": "♦", "diamond": "⋄", "Diamond": "⋄", "loz": "◊"}

func (w *writer) entity(n *org.Node) string {
	e, ok := n.Entity()
	switch {
	case !ok || !w.set.entities:
		return html.EscapeString(n.Text())
	case entitiesOfHTML[e.Name] != "":
		return entitiesOfHTML[e.Name]
	}
	return html.EscapeString(strings.ReplaceAll(e.Text, " ", "\u00a0"))
}

// target is an anchor; a radio target is also its text.
func (w *writer) target(n *org.Node) string {
	name, _ := n.TargetName()
	a, known := w.anchors[fmt.Sprint("at ", n.Start())]
	inner := ""
	if n.Kind() == org.KindRadioTarget {
		if inner = w.inline(n); inner == "" {
			inner = html.EscapeString(name.Text)
		}
	}
	if !known || w.quiet {
		return inner
	}
	w.placed[a.id] = true
	return "<span" + attr("id", a.id) + ">" + inner + "</span>"
}

// plain is text between objects: escaped, with dashes, dots and quotes as
// #+OPTIONS: has them.
func (w *writer) plain(text string, at int) string {
	out := html.EscapeString(text)
	if w.set.smart && strings.ContainsAny(text, `"'`) {
		out = w.quoted(text, at, out)
	}
	if w.set.special && (strings.Contains(text, "--") || strings.Contains(text, "...") || strings.Contains(text, `\-`)) {
		out = specialStrings(out)
	}
	if w.set.keep && strings.Contains(out, "\n") {
		out = strings.ReplaceAll(out, "\n", "<br>\n")
	}
	return out
}

var (
	longDash  = lazyregexp.New(`---([^-])`)
	shortDash = lazyregexp.New(`--([^-])`)
)

// specialStrings makes dashes, dots and soft hyphens of what Org writes for them. Of
// a row of dashes the last are one, as in Emacs.
func specialStrings(escaped string) string {
	out := strings.ReplaceAll(escaped, `\-`, "\u00ad")
	out = longDash.ReplaceAllString(out, "—$1")
	out = shortDash.ReplaceAllString(out, "–$1")
	return strings.ReplaceAll(out, "...", "…")
}

// timestamp shows a date as it is written, with its day.
func (w *writer) timestamp(n *org.Node) string {
	t, ok := n.Timestamp()
	if !ok {
		return html.EscapeString(strings.TrimRight(n.Text(), " \t\n"))
	}
	text := strings.TrimRight(n.Text(), " \t\n")
	if strings.HasPrefix(w.language(), "en") && t.Diary == "" {
		text = withDays(text)
	}
	if w.set.stamps != "t" && w.current != nil && strings.TrimSpace(stampForm.ReplaceAllString(w.current.Text(), "")) == "" {
		if w.set.stamps == "nil" || t.Active != (w.set.stamps == "active") { // as in Emacs, those alone in a paragraph
			return ""
		}
	}
	return timeElement(text, t)
}

// dayless is the date of a timestamp that may not say which day of the week it is.
var dayless = lazyregexp.New(`([<\[]\d{4}-\d\d-\d\d)( +[^\s\d>\]+.:-][^\s>\]]*)?`)

// withDays gives timestamps without it the day of the week, as Org does.
func withDays(text string) string {
	return dayless.ReplaceAllStringFunc(text, func(s string) string {
		date, err := time.Parse("2006-01-02", s[1:])
		if err != nil { // it says the day, or is no date
			return s
		}
		return s + date.Format(" Mon")
	})
}

var stampForm = lazyregexp.New(`[<\[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]](?:--)?`)

// timeElement is a timestamp that machines can read too.
func timeElement(text string, t org.Timestamp) string {
	shown := strings.ReplaceAll(html.EscapeString(text), "--", "–") // of a range
	if t.Diary != "" || t.Range || !t.From.Valid() {
		return "<span class=\"date\">" + shown + "</span>"
	}
	machine := fmt.Sprintf("%04d-%02d-%02d", t.From.Year, t.From.Month, t.From.Day)
	if t.From.HasTime && t.From.Hour < 24 {
		machine += fmt.Sprintf("T%02d:%02d", t.From.Hour, t.From.Minute)
	}
	return "<time datetime=\"" + machine + "\">" + shown + "</time>"
}

// maxUnbroken is up to how many characters code in running text stays on one
// line, so that "--set x=1" does not end a line with its dashes.
const maxUnbroken = 20

// unbroken is code in running text. The style keeps it on one line, unless it is
// too long for a narrow screen.
func unbroken(tag, code string) string {
	class := ""
	if utf8.RuneCountInString(code) > maxUnbroken {
		class = " class=\"long\""
	}
	return "<" + tag + class + ">" + html.EscapeString(code) + "</" + tag + ">"
}
