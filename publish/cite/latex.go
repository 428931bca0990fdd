package cite

import (
	"html"
	"strings"
	"unicode/utf8"

	"wb/publish/formula"
)

// markup writes the LaTeX of a bibliography's field as HTML: accents, special
// letters, dashes, emphasis and formulas. Braces and commands it does not know
// go, what they hold stays.
func markup(tex string) string {
	if !strings.ContainsAny(tex, "\\{}$~-`'&<>\"") {
		return tex
	}
	w := &texWriter{tex: tex}
	return w.text(0)
}

// protected is markup that says which letters stay as they are, for [Entry.CSL]: those
// in braces, where title is set, but for accents and other commands.
func protected(tex string, title bool) string {
	if !title || !strings.ContainsRune(tex, '{') {
		return markup(tex)
	}
	w := &texWriter{tex: tex, protect: true}
	return w.text(0)
}

// plainText is markup without tags, for values that are not prose.
func plainText(tex string) string {
	var out strings.Builder
	for rest := markup(tex); rest != ""; {
		before, after, found := strings.Cut(rest, "<")
		out.WriteString(before)
		if !found {
			break
		}
		_, rest, _ = strings.Cut(after, ">")
	}
	return html.UnescapeString(out.String())
}

type texWriter struct {
	tex     string
	at      int
	protect bool // groups are marked
}

// accents are the combining characters of \"o and its like.
var accents = map[string]string{"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307", `"`: "\u0308",
	"u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323", "b": "\u0331", "k": "\u0328", "r": "\u030a"}

// composed are accented letters that Unicode has as one character.
var composed = func() map[string]string {
	m := map[string]string{}
	for mark, letters := range map[string]string{
		"\u0300": "aàeèiìoòuùnǹAÀEÈIÌOÒUÙ", "\u0301": "aáeéiíoóuúyýcćlĺnńrŕsśzźAÁEÉIÍOÓUÚYÝCĆLĹNŃRŔSŚZŹ", "\u0302": "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷAÂEÊIÎOÔUÛ",
		"\u0303": "aãnñoõiĩuũAÃNÑOÕ", "\u0304": "aāeēiīoōuūAĀEĒIĪOŌUŪ", "\u0307": "cċeėgġzżIİZŻ", "\u0308": "aäeëiïoöuüyÿAÄEËIÏOÖUÜ", "\u0306": "aăgğuŭAĂGĞ",
		"\u030c": "cčdďeěnňrřsštťzžCČDĎEĚNŇRŘSŠTŤZŽ", "\u030b": "oőuűOŐUŰ", "\u0327": "cçsştţCÇSŞTŢ", "\u0328": "aąeęAĄEĘ", "\u030a": "aåuůAÅUŮ", "\u0323": "sṣtṭhḥ"} {
		runes := []rune(letters)
		for i := 0; i+1 < len(runes); i += 2 {
			m[string(runes[i])+mark] = string(runes[i+1])
		}
	}
	return m
}()

var specials = map[string]string{"ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ",
	"dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘", "ldots": "…", "dots": "…",
	"textbackslash": `\`, "textasciitilde": "~", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "&": "&amp;", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": "\u2009", "-": ""}

var styledBy = map[string]string{"emph": "em", "textit": "em", "textsl": "em", "textbf": "strong", "texttt": "code", "textsuperscript": "sup", "textsubscript": "sub"}

// text reads up to the } that closes the current group, or to the end.
func (w *texWriter) text(depth int) string {
	var out strings.Builder
	for w.at < len(w.tex) {
		rest := w.tex[w.at:]
		switch c := rest[0]; {
		case c == '}':
			w.at++
			if depth > 0 {
				return out.String()
			}
		case c == '{':
			w.at++
			if depth < 50 {
				mark := w.protect && depth == 0 && !strings.HasPrefix(w.tex[w.at:], `\`)
				inner := w.text(depth + 1)
				if mark && inner != "" {
					inner = noCase + inner + "</span>"
				}
				out.WriteString(inner)
			}
		case c == '$':
			w.at++
			out.WriteString(w.formula())
		case c == '\\':
			w.at++
			out.WriteString(w.command(depth))
		case c == '~':
			w.at++
			out.WriteString("\u00a0")
		case strings.HasPrefix(rest, "---"):
			w.at += 3
			out.WriteString("—")
		case strings.HasPrefix(rest, "--"):
			w.at += 2
			out.WriteString("–")
		case strings.HasPrefix(rest, "``"):
			w.at += 2
			out.WriteString("“")
		case strings.HasPrefix(rest, "''"):
			w.at += 2
			out.WriteString("”")
		case c == '\'':
			w.at++
			out.WriteString("’")
		default:
			_, size := utf8.DecodeRuneInString(rest)
			out.WriteString(html.EscapeString(rest[:size]))
			w.at += size
		}
	}
	return out.String()
}

// formula reads up to the closing $.
func (w *texWriter) formula() string {
	end := strings.IndexByte(w.tex[w.at:], '$')
	if end < 0 {
		return "$"
	}
	tex := w.tex[w.at : w.at+end]
	w.at += end + 1
	mathml, err := formula.Inline(tex, nil)
	if err != nil {
		return "<code>" + html.EscapeString(tex) + "</code>"
	}
	return mathml
}

// command reads what follows a backslash.
func (w *texWriter) command(depth int) string {
	if w.at == len(w.tex) {
		return ""
	}
	end := w.at
	for end < len(w.tex) && isLetter(w.tex[end]) {
		end++
	}
	if end == w.at {
		_, size := utf8.DecodeRuneInString(w.tex[w.at:])
		end += size
	}
	name := w.tex[w.at:end]
	w.at = end
	if mark, ok := accents[name]; ok {
		return accented(w.argument(depth), mark)
	}
	if text, ok := specials[name]; ok {
		if isLetter(name[0]) {
			w.blank()
		}
		return text
	}
	if tag, ok := styledBy[name]; ok {
		return "<" + tag + ">" + w.argument(depth) + "</" + tag + ">"
	}
	if name == "url" {
		return w.argument(depth)
	}
	w.blank()
	return ""
}

// blank skips the white space that ends a command's name, and an empty group.
func (w *texWriter) blank() {
	if strings.HasPrefix(w.tex[w.at:], "{}") {
		w.at += 2
		return
	}
	for w.at < len(w.tex) && w.tex[w.at] == ' ' {
		w.at++
	}
}

// argument is a group, a command or one character.
func (w *texWriter) argument(depth int) string {
	for w.at < len(w.tex) && w.tex[w.at] == ' ' {
		w.at++
	}
	if w.at == len(w.tex) || depth > 50 {
		return ""
	}
	switch w.tex[w.at] {
	case '{':
		w.at++
		return w.text(depth + 1)
	case '\\':
		w.at++
		return w.command(depth + 1)
	case '}':
		return ""
	}
	_, size := utf8.DecodeRuneInString(w.tex[w.at:])
	w.at += size
	return html.EscapeString(w.tex[w.at-size : w.at])
}

// accented puts a mark on the first letter.
func accented(text, mark string) string {
	if text == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(text)
	first := strings.NewReplacer("ı", "i", "ȷ", "j").Replace(text[:size])
	if one, ok := composed[first+mark]; ok {
		return one + text[size:]
	}
	if text[0] == '<' || text[0] == '&' {
		return text
	}
	return first + mark + text[size:]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
