package exchange

import (
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"wb/org"
)

// formula is $…$ or $$…$$ in a paragraph, as GitHub, Jupyter and pandoc read it:
// nothing inside is markup. The opening mark stands before a character that is
// no blank, the closing one behind such a character and not before a digit.
type formula struct {
	ast.BaseInline
	tex string // with its marks
}

var kindFormula = ast.NewNodeKind("Formula")

func (f *formula) Kind() ast.NodeKind            { return kindFormula }
func (f *formula) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

// formulas adds formulas to a Markdown parser.
type formulas struct{}

func (formulas) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(formulas{}, 150)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(formulas{}, 150)))
}

func (formulas) Trigger() []byte { return []byte{'$'} }

func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	lineNumber, at := block.Position()
	var rest strings.Builder // of the paragraph
	for line, _ := block.PeekLine(); line != nil; line, _ = block.PeekLine() {
		rest.Write(line)
		block.AdvanceLine()
	}
	block.SetPosition(lineNumber, at)
	tex := formulaAt(rest.String())
	if tex == "" {
		return nil
	}
	for range strings.Count(tex, "\n") {
		block.AdvanceLine()
	}
	block.Advance(len(tex) - strings.LastIndexByte(tex, '\n') - 1)
	return &formula{tex: tex}
}

// formulaAt is the formula that s begins with.
func formulaAt(s string) string {
	mark := "$"
	if strings.HasPrefix(s, "$$") {
		mark = "$$"
	}
	inner := s[len(mark):]
	for from := 0; ; {
		i := strings.Index(inner[from:], mark)
		if i < 0 || strings.Contains(inner[:from+i], "\n\n") {
			return ""
		}
		end := from + i
		body, after := inner[:end], inner[end+len(mark):]
		if isFormula(mark, body, after) {
			return mark + body + mark
		}
		from = end + 1
	}
}

func isFormula(mark, body, after string) bool {
	if strings.TrimSpace(body) == "" || strings.HasSuffix(body, `\`) {
		return false
	}
	if mark == "$$" {
		return true
	}
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
	return !blank(body[0]) && !blank(body[len(body)-1]) && (after == "" || after[0] < '0' || after[0] > '9')
}

func (formulas) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindFormula, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, err := w.WriteString(html.EscapeString(n.(*formula).tex))
			return ast.WalkContinue, err
		}
		return ast.WalkContinue, nil
	})
}

// formulaMarkdown writes a LaTeX fragment with dollars. ok is false when Markdown
// would read it as something else.
func formulaMarkdown(n *org.Node) (md string, ok bool) {
	blanks := trailingBlanks(n.Text())
	tex := strings.TrimSuffix(n.Text(), blanks)
	switch {
	case strings.HasPrefix(tex, `\(`):
		tex = "$" + strings.TrimSpace(tex[2:len(tex)-2]) + "$"
	case strings.HasPrefix(tex, `\[`):
		tex = "$$" + tex[2:len(tex)-2] + "$$"
	case !strings.HasPrefix(tex, "$"):
		return "", false
	}
	return tex + blanks, formulaAt(tex) == tex
}
