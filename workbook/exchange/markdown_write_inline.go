package exchange

import (
	"html"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// inlineMarkdown translates the objects below a node.
func inlineMarkdown(doc *org.Document, n *org.Node) string {
	if n == nil {
		return ""
	}
	var out strings.Builder
	for c := range n.Children() {
		out.WriteString(objectMarkdown(doc, c))
	}
	return out.String()
}

func objectMarkdown(doc *org.Document, n *org.Node) string {
	inner := func() string { return inlineMarkdown(doc, n) }
	switch n.Kind() {
	case org.KindText:
		return escapeMarkdown(n.Text())
	case org.KindMarkup:
		return ""
	case org.KindBold:
		return emphasis(doc, n, "**", inner())
	case org.KindItalic:
		return emphasis(doc, n, "*", inner())
	case org.KindStrike:
		return "~~" + inner() + "~~"
	case org.KindUnderline:
		return "<u>" + inner() + "</u>"
	case org.KindCode, org.KindVerbatim:
		return codeSpan(n.Text()[1:len(strings.TrimRight(n.Text(), " \t\n"))-1]) + trailingBlanks(n.Text())
	case org.KindLink:
		return linkMarkdown(doc, n)
	case org.KindEntity:
		if e, ok := n.Entity(); ok && e.Text != "" {
			return escapeMarkdown(e.Text)
		}
	case org.KindLatexFragment:
		if md, ok := formulaMarkdown(n); ok {
			return md
		}
	case org.KindLineBreak:
		return "\\\n"
	case org.KindFootnoteRef:
		if f, ok := n.FootnoteRef(); ok && !f.Inline && f.Label.Present() {
			return "[^" + f.Label.Text + "]" + trailingBlanks(n.Text())
		}
	case org.KindExportSnippet:
		s, _ := n.ExportSnippet()
		switch s.Backend.Text {
		case "html", "md", "markdown":
			return s.Value.Text + trailingBlanks(n.Text())
		}
	case org.KindTableCell:
		return inner()
	}
	return escapeMarkdown(n.Text())
}

func trailingBlanks(text string) string { return text[len(strings.TrimRight(text, " \t\n")):] }

// emphasis puts marks around text; blanks that org counts to the object stay
// outside.
func emphasis(_ *org.Document, n *org.Node, mark, inner string) string {
	blanks := trailingBlanks(n.Text())
	return mark + strings.TrimSuffix(inner, blanks) + mark + blanks
}

func codeSpan(code string) string {
	ticks := "`"
	for strings.Contains(code, ticks) {
		ticks += "`"
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		code = " " + code + " "
	}
	return ticks + code + ticks
}

// linkTarget is a link's target as Markdown has it: files without "file:".
func linkTarget(target string) string {
	target = strings.NewReplacer(`\[`, "[", `\]`, "]").Replace(target)
	return strings.TrimPrefix(target, "file:")
}

func linkMarkdown(doc *org.Document, n *org.Node) string {
	link, _ := n.Link()
	blanks := trailingBlanks(n.Text())
	target := markdownTarget(linkTarget(link.Target.Text))
	switch link.Form {
	case org.BracketLink:
		if link.Desc.Present() {
			desc := inlineMarkdown(doc, doc.ObjectsIn(link.Desc.Span))
			return "[" + desc + "](" + target + ")" + blanks
		}
		if isImage(link.Target.Text) {
			return "![](" + target + ")" + blanks
		}
		return "[" + escapeMarkdown(linkTarget(link.Target.Text)) + "](" + target + ")" + blanks
	case org.PlainLink:
		return n.Text()
	}
	return strings.TrimRight(n.Text(), " \t\n") + blanks
}

var imageName = lazyregexp.New(`(?i)\.(png|jpe?g|gif|svg|webp|avif|bmp|tiff?)$`)

func isImage(target string) bool { return imageName.MatchString(target) }

// markdownTarget writes a link's target, in pointed brackets where it needs
// them.
func markdownTarget(target string) string {
	if target == "" || strings.ContainsAny(target, " ()<>*_\\") {
		return "<" + strings.NewReplacer("<", `\<`, ">", `\>`, `\`, `\\`).Replace(target) + ">"
	}
	return target
}

func quoteTitle(title string) string { return `"` + strings.ReplaceAll(title, `"`, `\"`) + `"` }

var (
	// special are characters that mean something in the middle of a line.
	special   = lazyregexp.New("[\\\\`*<>\\[\\]|$]|_|~~|&[#A-Za-z0-9]+;")
	wordByte  = lazyregexp.New(`^[\pL\pN]$`)
	lineStart = lazyregexp.New(`^(\s*)([-+](?:\s|$)|#{1,6}(?:\s|$)|>|=+\s*$|-+\s*$|\d{1,9}[.)](?:\s|$)|~~~|:?-+:?\s*\|)`)
)

// escapeMarkdown protects what Markdown would read as markup. An underscore
// inside a word is none.
func escapeMarkdown(s string) string {
	var out strings.Builder
	last := 0
	for _, m := range special.FindAllStringIndex(s, -1) {
		out.WriteString(s[last:m[0]])
		found := s[m[0]:m[1]]
		last = m[1]
		if found == "$" {
			if formulaAt(s[m[0]:]) != "" {
				out.WriteByte('\\')
			}
			out.WriteByte('$')
			continue
		}
		inWord := m[0] > 0 && m[1] < len(s) && wordByte.MatchString(s[m[0]-1:m[0]]) && wordByte.MatchString(s[m[1]:m[1]+1])
		switch {
		case found == "_" && inWord, found == ">" || found == "|":
			out.WriteString(found)
		case found == "[" && strings.HasPrefix(s[m[0]:], "[^"), found == "]" && isFootnoteEnd(s[:m[0]]):
			out.WriteString(found)
		case found == "[" && checkboxStart.MatchString(s[m[0]:]) && m[0] == 0, found == "]" && checkboxHead.MatchString(s[:m[0]]):
			out.WriteString(found)
		default:
			out.WriteString(`\` + found)
		}
	}
	out.WriteString(s[last:])
	return out.String()
}

var (
	checkboxStart = lazyregexp.New(`^\[[ xX]\] `)
	checkboxHead  = lazyregexp.New(`^\[[ xX]$`)
	footnoteHead  = lazyregexp.New(`\[\^[^\]\s]+$`)
)

func isFootnoteEnd(before string) bool { return footnoteHead.MatchString(before) }

// unescapeMarkdown takes backslashes and character references out of text.
func unescapeMarkdown(s string) string {
	return html.UnescapeString(backslashed.ReplaceAllString(s, "$1"))
}

var backslashed = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")

// protectLineStart keeps a line of text from looking like a list, a heading or
// a quote.
func protectLineStart(line string) string {
	m := lineStart.FindStringSubmatchIndex(line)
	if m == nil {
		return line
	}
	at := m[4]
	for at < m[5] && line[at] >= '0' && line[at] <= '9' {
		at++
	}
	return line[:at] + `\` + line[at:]
}
