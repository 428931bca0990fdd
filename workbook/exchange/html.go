package exchange

import (
	"fmt"
	"html"
	"io"
	"log"
	"strings"

	goorg "github.com/niklasfasching/go-org/org"

	"wb/org"
)

// page is a page that stands by itself: title, language, style, body.
const page = `<!DOCTYPE html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; color: #1b1b1b; background: #fff }
pre, code { font-family: ui-monospace, monospace; font-size: .92em }
pre { padding: .8rem 1rem; overflow-x: auto; background: #f5f5f2; border-radius: .3rem }
table { border-collapse: collapse; margin: 1rem 0 }
td, th { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: left }
img { max-width: 100%% }
blockquote { margin-left: 0; padding-left: 1rem; border-left: .25rem solid #ddd }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } pre { background: #262624 } td, th { border-color: #444 } a { color: #8ab4f8 } }
</style>
</head>
<body>
%s</body>
</html>
`

// ToHTML writes a page that stands by itself. Give it what readers are to see:
// what workbook.Exported returns.
func ToHTML(src []byte, file string) ([]byte, error) {
	config := goorg.New()
	config.Log = log.New(io.Discard, "", 0)
	config.ReadFile = func(name string) ([]byte, error) { return nil, fmt.Errorf("%s is not included", name) }
	doc := config.Parse(strings.NewReader(withoutHidden(org.Parse(src))), file)
	body, err := doc.Write(goorg.NewHTMLWriter())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	title := doc.Get("TITLE")
	if title == "" {
		title = file
	}
	lang := doc.Get("LANGUAGE")
	if lang == "" {
		lang = "en"
	}
	return fmt.Appendf(nil, page, html.EscapeString(lang), html.EscapeString(title), body), nil
}

// withoutHidden leaves out sections that Emacs does not export.
func withoutHidden(doc *org.Document) string {
	var edits []org.Edit
	end := 0
	for h := range doc.Headlines() {
		if h.Start() >= end && (h.Comment || h.HasTag("noexport") || h.HasTag("ARCHIVE")) {
			end = h.End()
			edits = append(edits, org.Edit{Start: h.Start(), End: end})
		}
	}
	text, err := org.Apply(doc.Bytes(), edits)
	if err != nil { // sections that follow one another do not overlap
		return doc.Source()
	}
	return string(text)
}
