package api

import (
	"bytes"
	"encoding/json"
	"html/template"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"wb/internal/clip"
	"wb/internal/lazyregexp"
	"wb/workbook/exchange"
)

// What agents and tools write is shown as what it is: JSON indented, differences in
// colour, Markdown and org set. Whoever wrote it, it becomes text and plain elements:
// no HTML of its own, no pictures from elsewhere, no links that run anything.

// maxShown is how much of a text is shown set; longer ones are shown as they are.
const maxShown = 256 << 10

// The forms that text is shown in.
const (
	formPlain    = "text"
	formJSON     = "json"
	formDiff     = "diff"
	formMarkdown = "markdown"
	formOrg      = "org"
)

var (
	orgMark      = lazyregexp.New(`(?m)^(#\+[A-Za-z_]+:|#\+begin_|\*+ .*\n\s*:PROPERTIES:|\*+ (TODO|DONE) )`)
	markdownMark = lazyregexp.New("(?m)^(#{1,6} \\S|```|[-*] \\S|\\d+\\. \\S|> \\S|\\|.*\\|\\s*$)|\\*\\*\\S|`[^`\n]+`|\\]\\(")
)

// formOf finds the format of a text, for a file by its name.
func formOf(text, name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".org":
		return formOrg
	case ".md", ".markdown":
		return formMarkdown
	case ".diff", ".patch":
		return formDiff
	case ".json":
		if json.Valid([]byte(text)) {
			return formJSON
		}
	}
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || len(text) > maxShown:
		return formPlain
	case strings.ContainsAny(trimmed[:1], "{[") && json.Valid([]byte(trimmed)):
		return formJSON
	case strings.HasPrefix(trimmed, "--- ") && strings.Contains(trimmed, "\n+++ "), strings.HasPrefix(trimmed, "diff --git "):
		return formDiff
	}
	return formPlain
}

// proseForm is the format of a model's text: they write Markdown unless they write org.
func proseForm(text string) string {
	switch form := formOf(text, ""); {
	case form != formPlain || len(text) > maxShown:
		return form
	case orgMark.MatchString(text):
		return formOrg
	case markdownMark.MatchString(text):
		return formMarkdown
	}
	return formPlain
}

// shown is a text as HTML.
type shown struct {
	HTML   template.HTML
	Form   string
	Source string // of what is set; "" where it is shown as it is
}

// showProse shows what a model said.
func showProse(text string) shown { return show(text, proseForm(text), true) }

// showOutput shows what a tool gave, of a file where it has a name.
func showOutput(text, name string) shown { return show(text, formOf(text, name), false) }

func show(text, form string, prose bool) shown {
	switch form {
	case formJSON:
		return shown{HTML: jsonHTML(text), Form: form}
	case formDiff:
		return shown{HTML: diffHTML(text), Form: form}
	case formMarkdown:
		return shown{markdownHTML(text), form, text}
	case formOrg:
		return shown{markdownHTML(string(exchange.ToMarkdown([]byte(text), exchange.Readable))), form, text}
	}
	if prose {
		return shown{HTML: template.HTML(`<div class="text">` + template.HTMLEscapeString(text) + `</div>`), Form: form}
	}
	return shown{HTML: preformatted(template.HTMLEscapeString(text)), Form: form}
}

// preformatted is escaped text that keeps its lines, and can be scrolled by keyboard.
func preformatted(safe string) template.HTML {
	return template.HTML(`<pre tabindex="0">` + safe + `</pre>`)
}

// diffHTML marks the lines that came and went.
func diffHTML(text string) template.HTML {
	var b strings.Builder
	for line := range strings.Lines(text) {
		safe := template.HTMLEscapeString(line)
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff "):
			safe = `<span class="hunk">` + safe + `</span>`
		case strings.HasPrefix(line, "+"):
			safe = `<ins>` + safe + `</ins>`
		case strings.HasPrefix(line, "-"):
			safe = `<del>` + safe + `</del>`
		}
		b.WriteString(safe)
	}
	return preformatted(b.String())
}

var jsonToken = lazyregexp.New(`("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null`)

// jsonHTML is JSON over several lines, its parts marked.
func jsonHTML(source string) template.HTML {
	text := indented(source)
	var b strings.Builder
	at := 0
	for _, m := range jsonToken.FindAllSubmatchIndex([]byte(text), -1) {
		b.WriteString(template.HTMLEscapeString(text[at:m[0]]))
		class := "num"
		switch {
		case m[4] >= 0:
			class = "key"
		case m[2] >= 0:
			class = "str"
		}
		b.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(text[m[0]:m[1]]) + `</span>`)
		at = m[1]
	}
	b.WriteString(template.HTMLEscapeString(text[at:]))
	return preformatted(b.String())
}

// indented is JSON over several lines; what is not JSON as it is.
func indented(source string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(source), "", "  ") != nil {
		return source
	}
	return b.String()
}

// commonMark writes no HTML of the author's and no scheme that runs anything.
var commonMark = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Strikethrough, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(harmless{}, 100))))
})

func markdownHTML(source string) template.HTML {
	var b bytes.Buffer
	if err := commonMark().Convert([]byte(source), &b); err != nil {
		return preformatted(template.HTMLEscapeString(source))
	}
	return template.HTML(`<div class="prose">` + b.String() + `</div>`)
}

// harmless fits a document of somebody's into a page: its headings stand below the
// page's own and leave out none, pictures become links, and links reveal to no host where
// they were followed.
type harmless struct{}

func (harmless) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	level := 2
	var pictures []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			level = min(n.Level+2, level+1, 6)
			n.Level = level
		case *ast.Image:
			pictures = append(pictures, n)
		case *ast.Link:
			n.SetAttributeString("rel", []byte("noopener noreferrer nofollow"))
		}
		return ast.WalkContinue, nil
	})
	for _, n := range pictures {
		link := ast.NewLink()
		link.Destination = n.Destination
		link.SetAttributeString("rel", []byte("noopener noreferrer nofollow"))
		link.AppendChild(link, ast.NewString([]byte("picture: ")))
		for c := n.FirstChild(); c != nil; {
			next := c.NextSibling()
			link.AppendChild(link, c)
			c = next
		}
		n.Parent().ReplaceChild(n.Parent(), n, link)
	}
}

// argument is one argument of a call, as it is read best.
type argument struct {
	Name  string
	Short string // a value that fits into a line
	Long  shown
}

// proseArguments are the arguments that models write for people and for other models.
var proseArguments = []string{"result", "task", "answer", "question", "text", "title", "instruction"}

// argumentsOf takes the arguments of a call apart: texts are shown as texts, with their
// lines, everything else as JSON.
func argumentsOf(raw json.RawMessage) []argument { return arguments(raw, false) }

// literalArguments are the same to the letter: nothing that somebody decides about may
// be set so that a part of it is not seen.
func literalArguments(raw json.RawMessage) []argument { return arguments(raw, true) }

func arguments(raw json.RawMessage, literal bool) []argument {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return []argument{{Long: show(string(raw), formOf(string(raw), ""), false)}}
	}
	var all []argument
	file := fileIn(raw)
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return []argument{{Long: shown{HTML: preformatted(template.HTMLEscapeString(string(raw)))}}}
		}
		a := argument{Name: name.(string)}
		var s string
		switch isText := json.Unmarshal(value, &s) == nil; {
		case isText && !strings.Contains(s, "\n") && len(s) <= 160:
			a.Short = s
		case isText && literal:
			a.Long = show(s, formPlain, false)
		case isText && slices.Contains(proseArguments, a.Name):
			a.Long = showProse(s)
		case isText:
			a.Long = show(s, formOf(s, file), false)
		case len(value) <= 80:
			a.Short = string(value)
		default:
			a.Long = shown{HTML: jsonHTML(string(value)), Form: formJSON}
		}
		all = append(all, a)
	}
	return all
}

// unmarked is text without the commonest marks of Markdown.
var unmarked = strings.NewReplacer("**", "", "`", "", "### ", "", "## ", "", "# ", "")

// inLine is the beginning of a text in one line.
func inLine(text string) string {
	return clip.Chars(unmarked.Replace(strings.Join(strings.Fields(text), " ")), 140)
}

// gist summarises a call in a line.
func gist(raw json.RawMessage) string {
	var parts []string
	for _, a := range argumentsOf(raw) {
		text := a.Short
		if text == "" {
			continue
		}
		if a.Name != "path" && a.Name != "task" && a.Name != "result" && a.Name != "pipeline" && a.Name != "query" {
			text = a.Name + " " + text
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 && len(raw) > 2 {
		var fields map[string]any
		if json.Unmarshal(raw, &fields) == nil {
			for _, v := range fields {
				if s, ok := v.(string); ok {
					return inLine(s)
				}
			}
		}
		return clip.Chars(string(raw), 100)
	}
	return clip.Chars(strings.Join(parts, " · "), 140)
}

// fileIn is the file that a call names, "" for none.
func fileIn(raw json.RawMessage) string {
	var named struct{ Path, File string }
	_ = json.Unmarshal(raw, &named) // of other arguments nothing is wanted
	if named.Path != "" {
		return named.Path
	}
	return named.File
}

// pictureTypes are the files that the page shows as pictures.
var pictureTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}
