package exchange

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"wb/internal/lazyregexp"
)

// orgOpen and orgJoin open an HTML comment that carries org text; orgJoin says
// that what follows belongs to it without a blank line, as to a #+NAME:.
const (
	orgOpen  = "<!--org\n"
	orgJoin  = "<!--org+\n"
	orgClose = "-->"
)

// listSeparator keeps two lists apart.
const listSeparator = "<!-- -->"

// commonMark parses Markdown as GitHub does, formulas included. Footnotes stay text, "[^1]" and
// "[^1]: …", so that unreferenced ones are not lost.
func commonMark() goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(referenceDefinitions{}, 100)),
	)
	return goldmark.New(goldmark.WithParser(p),
		goldmark.WithExtensions(formulas{}, extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(html.WithUnsafe()))
}

// referenceDefinitions takes "[label]: url" lines out of paragraphs, but not
// footnotes, which look alike.
type referenceDefinitions struct{}

func (referenceDefinitions) Transform(p *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if lines := p.Lines(); lines.Len() > 0 {
		first := lines.At(0)
		if bytes.HasPrefix(bytes.TrimLeft(first.Value(reader.Source()), " "), []byte("[^")) {
			return
		}
	}
	parser.LinkReferenceParagraphTransformer.Transform(p, reader, pc)
}

// appearance is a block as HTML without its invisible parts: blanks between
// elements, and how tight a list is written.
func appearance(md goldmark.Markdown, n ast.Node, source []byte) string {
	var out bytes.Buffer
	if err := md.Renderer().Render(&out, source, n); err != nil {
		return ""
	}
	words := strings.Fields(unseen.ReplaceAllString(out.String(), ""))
	return strings.Join(words, " ")
}

// unseen are comments that only the way back to org reads.
var unseen = lazyregexp.New(`(?s)<!-- -->|<!--\+-->|<!--org:[a-z]+-->|<!--org[=+]?\n.*?-->`)

// look is the appearance of a Markdown text. (Rendering changes the tree, so
// that each is rendered once.)
func look(md goldmark.Markdown, markdown string) string {
	source := []byte(markdown)
	return appearance(md, md.Parser().Parse(text.NewReader(source)), source)
}

// markdownReader translates parsed Markdown. With careful set, characters that
// org could read as markup become entities.
type markdownReader struct {
	md      goldmark.Markdown
	source  []byte
	careful bool
}
