package leak

import (
	"bytes"
	"html"
	"strings"
)

// shown is the text of a page as its author wrote it, as far as can be told, line
// by line where it stands on the page. Markup cuts words in two: ghp_abc in a
// paragraph of Org's is ghp<sub>abc</sub>, and every token of highlighted code
// has an element of its own.
func shown(page []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(page))
	for rest := page; ; {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			out.Write(rest)
			break
		}
		out.Write(rest[:at])
		rest = rest[at:]
		end := bytes.IndexByte(rest, '>')
		if end < 0 {
			out.Write(rest)
			break
		}
		tag := rest[:end+1]
		rest = rest[end+1:]
		name, closing := tagName(tag)
		switch {
		case closing && inline[name]:
		case inline[name]:
			out.WriteString(written[name])
		default:
			out.WriteByte(' ')
		}
		keepLines(&out, tag)
		if !closing && (name == "script" || name == "style") { // read as it is by whoever asked
			close := bytes.Index(rest, []byte("</"+name))
			if close < 0 {
				close = len(rest)
			}
			keepLines(&out, rest[:close])
			rest = rest[close:]
		}
	}
	return []byte(typed.Replace(html.UnescapeString(out.String())))
}

// inline are elements that do not end a word.
var inline = set("a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var wbr")

// written is the text that Org writes for an element.
var written = map[string]string{"sub": "_", "sup": "^"}

// typed undoes what typography makes of what was typed.
var typed = strings.NewReplacer("—", "---", "–", "--", "…", "...", "’", "'", "‘", "'", "“", `"`, "”", `"`, "\u00ad", "", "\u2060", "")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// tagName takes <name …>, </name> and <!…> apart.
func tagName(tag []byte) (name string, closing bool) {
	tag = tag[1 : len(tag)-1]
	if closing = bytes.HasPrefix(tag, []byte("/")); closing {
		tag = tag[1:]
	}
	end := bytes.IndexFunc(tag, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
	if end < 0 {
		end = len(tag)
	}
	return strings.ToLower(string(tag[:end])), closing
}

// keepLines writes the line ends of what is left out.
func keepLines(out *bytes.Buffer, left []byte) {
	for range bytes.Count(left, []byte("\n")) {
		out.WriteByte('\n')
	}
}
