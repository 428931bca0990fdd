package exchange

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"wb/internal/lazyregexp"
	"wb/org"
)

// FromMarkdown translates Markdown (CommonMark with GitHub's tables, task lists
// and strikethrough) into org. Should blocks that are right by themselves not
// fit together, all of the text is carried along as it is.
func FromMarkdown(src []byte) []byte {
	md, restore := restoreEnds(strings.ReplaceAll(string(src), "\r\n", "\n"))
	return []byte(restore(fromMarkdown(md)))
}

func fromMarkdown(src string) string {
	if text, ok := wholeWas(src); ok {
		return text
	}
	front, body := cutFrontMatter(src)
	r := &markdownReader{md: commonMark(), source: []byte(body)}
	text := chunks{exact: true}
	text.add(frontMatter(front))
	r.document(&text)
	if again := cutFront(joinPieces(cutPieces(text.String()), trustAll)); look(r.md, again) != look(r.md, body) {
		return strings.TrimSuffix(frontMatter(front)+"\n"+exportBlock("markdown", body), "\n") + "\n"
	}
	return text.String()
}

// document translates the blocks of the text. Where a comment tells what org
// said, and the Markdown below it is still what that becomes, org's text is
// taken.
func (r *markdownReader) document(out *chunks) {
	rest := len(r.source) // where what is not translated yet begins, once a block was taken whole
	root := r.md.Parser().Parse(text.NewReader(r.source))
	var above ast.NodeKind
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch {
		case isSeparator(n):
			out.blanks += r.blanksAbove(n)
			continue
		case r.isJoint(n):
			out.blanks, out.joined = 0, true
			continue
		}
		out.blanks += r.blanksAbove(n)
		if !out.joined {
			out.blanks = max(out.blanks, apart(above, n.Kind()))
		}
		above = n.Kind()
		was, end, ok := r.was(n)
		if !ok {
			out.add(r.topBlock(n))
			out.parts(n)
			continue
		}
		out.add(was)
		for next := n.NextSibling(); next != nil && r.lineStart(max(0, next.Pos())) < end; next = n.NextSibling() {
			n = next
		}
		below := len(r.source)
		if next := n.NextSibling(); next != nil {
			below = r.lineStart(max(0, next.Pos()))
		}
		if strings.TrimSpace(string(r.source[end:below])) != "" { // a block goes on below: read it anew
			rest = end
			break
		}
	}
	if rest < len(r.source) {
		below := &markdownReader{md: r.md, source: r.source[rest:]}
		below.document(out)
		return
	}
	out.blanks = 0
	for end := len(r.source); out.b.Len() > 0 && strings.HasSuffix(string(r.source[:end]), "\n\n"); end-- {
		out.b.WriteByte('\n')
	}
}

// apart is how many blank lines org needs between two blocks, so that they do
// not become one.
func apart(above, below ast.NodeKind) int {
	switch {
	case above == ast.KindList && below == ast.KindList:
		return 2
	case above == ast.KindParagraph && below == ast.KindParagraph:
		return 1
	}
	return 0
}

// blanksAbove counts the blank lines above a block.
func (r *markdownReader) blanksAbove(n ast.Node) int {
	count := 0
	above := r.source[:r.lineStart(max(0, n.Pos()))]
	for len(above) > 0 {
		above = above[:len(above)-1]
		start := bytes.LastIndexByte(above, '\n') + 1
		if len(bytes.TrimSpace(above[start:])) > 0 {
			break
		}
		count++
		above = above[:start]
	}
	return count
}

// isJoint reports whether a block is the comment that stands for no blank line.
func (r *markdownReader) isJoint(n ast.Node) bool {
	html, ok := n.(*ast.HTMLBlock)
	return ok && r.comment(html) == joint
}

// was is the org text that a comment keeps, and where its translation ends. ok
// is false when the Markdown below is something else.
func (r *markdownReader) was(n ast.Node) (text string, end int, ok bool) {
	html, isHTML := n.(*ast.HTMLBlock)
	if !isHTML {
		return "", 0, false
	}
	comment := r.comment(html)
	text, ok = uncarried(comment, wasOpen)
	if !ok {
		return "", 0, false
	}
	start := r.lineStart(n.Pos()) + len(comment)
	md := pieceMarkdown(text)
	return text, start + len(md), md != "" && start <= len(r.source) && bytes.HasPrefix(r.source[start:], []byte(md))
}

// comment is the source of an HTML block.
func (r *markdownReader) comment(n *ast.HTMLBlock) string {
	body := r.lines(n)
	if n.HasClosure() {
		body += string(n.ClosureLine.Value(r.source))
	}
	return body
}

func frontMatter(front string) string {
	if front == "" {
		return ""
	}
	return "#+begin_export yaml\n" + org.Escape(front) + "#+end_export\n"
}

// cutFront is the text below the front matter.
func cutFront(src string) string {
	_, body := cutFrontMatter(src)
	return body
}

// cutFrontMatter parts the YAML between "---" lines at the top, without them,
// from the rest.
func cutFrontMatter(src string) (front, body string) {
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", src
	}
	if rest, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "\n", rest
	}
	end := strings.Index(rest, "\n---\n")
	if end < 0 {
		return "", src
	}
	return rest[:end+1], rest[end+len("\n---\n"):]
}

// chunks are blocks of org text with as many blank lines between them as the
// Markdown has, where exact is set, and else with one, unless the one above is a
// keyword that belongs to the one below.
type chunks struct {
	b      strings.Builder
	joined bool
	blanks int // lines above the next block
	exact  bool
}

func (c *chunks) add(block string) {
	joins := strings.HasPrefix(block, joinMark)
	block = strings.TrimPrefix(block, joinMark)
	if block == "" {
		return
	}
	if c.b.Len() > 0 && !c.joined && c.blanks == 0 && !c.exact {
		c.blanks = 1
	}
	c.b.WriteString(strings.Repeat("\n", c.blanks))
	c.blanks = 0
	c.b.WriteString(block)
	if !strings.HasSuffix(block, "\n") {
		c.b.WriteByte('\n')
	}
	c.joined = joins
}

func (c *chunks) String() string { return c.b.String() }

// joinMark begins a chunk that the next one belongs to.
const joinMark = "\x00"

// topBlock translates a block if that looks the same back in Markdown, and
// carries it along as it is otherwise.
func (r *markdownReader) topBlock(n ast.Node) string {
	if n.Kind() == ast.KindHTMLBlock || n.Kind() == ast.KindLinkReferenceDefinition {
		return r.block(n)
	}
	want := appearance(r.md, n, r.source)
	for _, r.careful = range []bool{false, true} {
		block := r.block(n)
		if look(r.md, plainMarkdown([]byte(block))) == want {
			return block
		}
	}
	return exportBlock("markdown", r.region(n))
}

func exportBlock(backend, body string) string {
	return "#+begin_export " + backend + "\n" + org.Escape(strings.TrimRight(body, "\n")+"\n") + "#+end_export\n"
}

// region is the source of a top-level block.
func (r *markdownReader) region(n ast.Node) string {
	end := len(r.source)
	if next := n.NextSibling(); next != nil && next.Pos() >= 0 {
		end = r.lineStart(next.Pos())
	}
	return strings.Trim(string(r.source[r.lineStart(max(0, n.Pos())):end]), "\n") + "\n"
}

func (r *markdownReader) lineStart(pos int) int {
	return bytes.LastIndexByte(r.source[:pos], '\n') + 1
}

// block translates one block; the text ends in a newline.
func (r *markdownReader) block(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Heading:
		return strings.Repeat("*", n.Level) + " " + strings.ReplaceAll(r.inlines(n), "\n", " ") + "\n"
	case *ast.Paragraph, *ast.TextBlock:
		return r.paragraph(n)
	case *ast.ThematicBreak:
		return "-----\n"
	case *ast.CodeBlock:
		return "#+begin_example\n" + org.Escape(r.lines(n)) + "#+end_example\n"
	case *ast.FencedCodeBlock:
		return r.fence(n)
	case *ast.HTMLBlock:
		return r.html(n)
	case *ast.Blockquote:
		return "#+begin_quote\n" + r.blocks(n) + "#+end_quote\n"
	case *ast.List:
		return r.list(n)
	case *east.Table:
		return r.table(n)
	case *ast.LinkReferenceDefinition:
		return exportBlock("markdown", r.region(n))
	}
	return exportBlock("markdown", r.region(n))
}

// blocks translates the children of a block.
func (r *markdownReader) blocks(n ast.Node) string {
	var out chunks
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out.add(r.block(c))
		out.parts(c)
	}
	return out.String()
}

// parts puts two blank lines between lists, which org would take for one.
func (c *chunks) parts(n ast.Node) {
	next := n.NextSibling()
	if next != nil && isSeparator(next) {
		next = next.NextSibling()
	}
	if next != nil && n.Kind() == ast.KindList && next.Kind() == ast.KindList && !c.exact {
		c.b.WriteByte('\n')
	}
}

// isSeparator reports whether a block is the empty comment between two lists.
func isSeparator(n ast.Node) bool {
	html, ok := n.(*ast.HTMLBlock)
	return ok && html.Lines().Len() == 0 && html.HasClosure()
}

func (r *markdownReader) lines(n ast.Node) string {
	var out strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		out.Write(line.Value(r.source))
	}
	text := out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// footnoteLabel begins a paragraph that defines a footnote.
var footnoteLabel = lazyregexp.New(`^\[\^([^\]\s]+)\]:[ \t]*`)

// paragraph translates a paragraph; a picture alone in it keeps its text as a
// caption.
func (r *markdownReader) paragraph(n ast.Node) string {
	if image, ok := n.FirstChild().(*ast.Image); ok && image.NextSibling() == nil && len(image.Title) == 0 {
		if alt := r.plain(image); alt != "" && !strings.Contains(alt, "\n") {
			return "#+CAPTION: " + alt + "\n" + orgLink(string(image.Destination), "") + "\n"
		}
	}
	body := r.inlines(n)
	if m := footnoteLabel.FindStringSubmatch(string(r.lines(n))); m != nil {
		if rest, ok := strings.CutPrefix(body, "[fn:"+m[1]+"]:"); ok {
			return "[fn:" + m[1] + "] " + strings.TrimLeft(rest, " \t") + "\n"
		}
	}
	return body + "\n"
}

// fence translates fenced code; what stands behind the language stays.
func (r *markdownReader) fence(n *ast.FencedCodeBlock) string {
	info := ""
	if n.Info != nil {
		info = strings.TrimSpace(string(n.Info.Segment.Value(r.source)))
	}
	body := org.Escape(r.lines(n))
	switch info {
	case "":
		return "#+begin_example\n" + body + "#+end_example\n"
	case "org-verse":
		return "#+begin_verse\n" + body + "#+end_verse\n"
	case "org-latex":
		return r.lines(n)
	}
	if strings.TrimSpace(r.lines(n)) != "" && org.Dedent(r.lines(n)) != r.lines(n) && !strings.Contains(info, " -i") {
		lang, rest, _ := strings.Cut(info, " ")
		info = strings.TrimSpace(lang + " -i " + rest)
	}
	return "#+begin_src " + info + "\n" + body + "#+end_src\n"
}

// html carries HTML along, and unpacks org that was carried in a comment.
func (r *markdownReader) html(n *ast.HTMLBlock) string {
	body := r.comment(n)
	if strings.TrimSpace(body) == listSeparator {
		return ""
	}
	if text, ok := uncarried(body, orgOpen); ok {
		return text
	}
	if text, ok := uncarried(body, orgJoin); ok {
		return joinMark + text
	}
	if _, ok := uncarried(body, wasOpen); ok { // its translation has been changed
		return ""
	}
	return exportBlock("html", body)
}

// list translates a list. Items of a loose list have blank lines between them.
func (r *markdownReader) list(n *ast.List) string {
	var out strings.Builder
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = fmt.Sprintf("%d%c ", number, n.Marker)
			if number == n.Start && number != 1 {
				marker += fmt.Sprintf("[@%d] ", number)
			}
			number++
		}
		indent := strings.Repeat(" ", 2)
		if n.IsOrdered() {
			indent = strings.Repeat(" ", strings.IndexByte(marker, ' ')+1)
		}
		var body chunks
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			if _, isText := c.(*ast.TextBlock); isText && c.NextSibling() != nil {
				body.add(joinMark + r.block(c))
			} else {
				body.add(r.block(c))
			}
		}
		text := body.String()
		for i, line := range strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n") {
			switch {
			case i == 0:
				out.WriteString(strings.TrimRight(marker+line, " "))
			case strings.TrimSpace(line) == "":
				out.WriteString(line)
			default:
				out.WriteString(indent + line)
			}
		}
		out.WriteByte('\n')
		if !n.IsTight && item.NextSibling() != nil {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// table translates a table; a header without text was not there in org.
func (r *markdownReader) table(n *east.Table) string {
	var out strings.Builder
	cookies, aligned := "|", false
	for _, a := range n.Alignments {
		cookie := map[east.Alignment]string{east.AlignLeft: "<l>", east.AlignRight: "<r>", east.AlignCenter: "<c>"}[a]
		aligned = aligned || cookie != ""
		cookies += " " + cookie + " |"
	}
	if aligned {
		out.WriteString(cookies + "\n")
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		line, empty := "|", true
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text := strings.ReplaceAll(r.inlines(cell), "|", `\vert{}`)
			empty = empty && text == ""
			line += " " + text + " |"
		}
		_, isHeader := row.(*east.TableHeader)
		if isHeader && empty {
			continue
		}
		out.WriteString(line + "\n")
		if isHeader {
			out.WriteString("|" + strings.Repeat("---+", len(n.Alignments)-1) + "---|\n")
		}
	}
	return out.String()
}
