package exchange

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"wb/internal/lazyregexp"
)

// inlines translates what stands inside a block.
func (r *markdownReader) inlines(n ast.Node) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out.WriteString(r.inline(c))
	}
	return footnoteMention.ReplaceAllString(out.String(), "[fn:$1]")
}

func (r *markdownReader) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		text := r.text(string(n.Value(r.source)))
		switch {
		case n.HardLineBreak():
			text += " \\\\\n"
		case n.SoftLineBreak():
			text += "\n"
		}
		return text
	case *ast.String:
		return r.text(string(n.Value))
	case *formula:
		return n.tex
	case *ast.CodeSpan:
		code := strings.ReplaceAll(r.plain(n), "\n", " ")
		if strings.Contains(code, "~") {
			return "=" + code + "="
		}
		return "~" + code + "~"
	case *ast.Emphasis:
		if n.Level == 2 {
			return "*" + r.inlines(n) + "*"
		}
		return "/" + r.inlines(n) + "/"
	case *east.Strikethrough:
		return "+" + r.inlines(n) + "+"
	case *east.TaskCheckBox:
		if n.IsChecked {
			return "[X] "
		}
		return "[ ] "
	case *ast.Link:
		if len(n.Title) > 0 {
			return snippet("md", "["+r.plain(n)+"]("+markdownTarget(string(n.Destination))+" "+quoteTitle(string(n.Title))+")")
		}
		return orgLink(string(n.Destination), r.inlines(n))
	case *ast.Image:
		if r.plain(n) == "" && len(n.Title) == 0 {
			return orgLink(string(n.Destination), "")
		}
		title := ""
		if len(n.Title) > 0 {
			title = " " + quoteTitle(string(n.Title))
		}
		return snippet("md", "!["+escapeMarkdown(r.plain(n))+"]("+markdownTarget(string(n.Destination))+title+")")
	case *ast.AutoLink:
		url := string(n.URL(r.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			return "[[mailto:" + strings.TrimPrefix(url, "mailto:") + "][" + strings.TrimPrefix(url, "mailto:") + "]]"
		}
		return "<" + url + ">"
	case *ast.RawHTML:
		var html strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			html.Write(s.Value(r.source))
		}
		return snippet("html", html.String())
	}
	return r.inlines(n)
}

func snippet(backend, text string) string { return "@@" + backend + ":" + text + "@@" }

// plain is the text of an inline element without its markup.
func (r *markdownReader) plain(n ast.Node) string {
	var out strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			value := t.Value(r.source)
			if _, isCode := n.(*ast.CodeSpan); !isCode {
				value = []byte(unescapeMarkdown(string(value)))
			}
			out.Write(value)
			if t.SoftLineBreak() {
				out.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

var (
	footnoteMention = lazyregexp.New(`\[\^([^\]\s]+)\]`)
	// orgMarkup is where markup may begin in org.
	orgMarkup = lazyregexp.New(`(^|[\s\-({'"])([*/_=~+])(\S)|(\\)([a-zA-Z(\[\\])|(<)(<)`)
)

// orgEntities are org's names of those characters.
var orgEntities = map[string]string{
	"*": `\ast{}`, "/": `\slash{}`, "_": `\under{}`, "=": `\equal{}`, "~": `\tilde{}`, "+": `\plus{}`, `\`: `\backslash{}`,
	"^": `\asciicirc{}`, "<": `\lt{}`, ">": `\gt{}`, "$": `\USD{}`, "|": `\vert{}`,
}

// text translates plain text.
func (r *markdownReader) text(s string) string {
	s = unescapeMarkdown(s)
	if !r.careful {
		return s
	}
	return orgMarkup.ReplaceAllStringFunc(s, func(found string) string {
		var out strings.Builder
		for _, part := range orgMarkup.FindStringSubmatch(found)[1:] {
			if name, ok := orgEntities[part]; ok {
				part = name
			}
			out.WriteString(part)
		}
		return out.String()
	})
}

// orgLink writes a link; what is neither a URL nor a place in the file is a
// file.
func orgLink(target, desc string) string {
	target = strings.NewReplacer("[", `\[`, "]", `\]`).Replace(unescapeMarkdown(target))
	if !hasScheme.MatchString(target) && !strings.HasPrefix(target, "#") && !strings.HasPrefix(target, "*") && target != "" {
		target = "file:" + target
	}
	if desc == "" || desc == target {
		return "[[" + target + "]]"
	}
	return "[[" + target + "][" + desc + "]]"
}

var hasScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)
