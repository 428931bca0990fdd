package run

import (
	"context"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// codeReference is a label such as (ref:loop) at the end of a line, which is
// for readers and not for compilers.
var codeReference = lazyregexp.New(`(?m)[ \t]*\(ref:[-a-zA-Z0-9_][-a-zA-Z0-9_ ]*\)[ \t]*$`)

// expand is the source of a component as it runs: noweb references replaced,
// code references removed. lines tells where each line stands in the document
// when they do not simply follow one another.
func (r binder) expand(ctx context.Context, c *plan.Component, args org.Args) (body string, lines []diag.Position, err error) {
	body = c.Body
	if tangle.WrapOf(r.plan.Document()).In(body) && tangle.NowebWanted(args.Value(":noweb"), tangle.ForEval) {
		if body, lines, err = r.expandNoweb(ctx, c, args); err != nil {
			return "", nil, diag.Errorf(c.Pos, "%v", err).WithHint(diag.HintOf(err))
		}
	}
	if strings.Contains(body, "(ref:") {
		body = codeReference.ReplaceAllString(body, "")
	}
	return body, lines, nil
}

// expandNoweb expands line by line, so that every line of the outcome can be
// told the line it comes from: its own, or that of the reference it replaces.
// No reference spans lines, so nothing is lost by that.
func (r binder) expandNoweb(ctx context.Context, c *plan.Component, args org.Args) (string, []diag.Position, error) {
	library := &chunkLibrary{plan: r.plan}
	e := &tangle.Expander{Context: tangle.ForEval, Library: library, Wrap: tangle.WrapOf(r.plan.Document()),
		Call: func(ctx context.Context, call string) (value.Value, error) { return r.eval(ctx, c, call, nil) }}
	own := chunkOf(c.Name, c.Lang, c.Body, args)
	at := c.CodePos()
	var out []string
	var lines []diag.Position
	for i, text := range strings.Split(c.Body, "\n") {
		one := *own
		one.Body = text
		expanded, err := e.Expand(ctx, &one)
		if err != nil {
			return "", nil, err
		}
		out = append(out, expanded)
		for range strings.Count(expanded, "\n") + 1 {
			lines = append(lines, diag.Position{File: at.File, Line: at.Line + i, Col: at.Col})
		}
	}
	return strings.Join(out, "\n"), lines, nil
}

// chunkLibrary finds noweb chunks in a plan's document.
type chunkLibrary struct {
	plan *plan.Plan
	refs map[string][]*tangle.Chunk // by :noweb-ref, made when first needed
}

// Headline is the text below the heading with a CUSTOM_ID or ID.
func (l *chunkLibrary) Headline(id string) (string, bool) {
	for h := range l.plan.Document().Headlines() {
		custom, _ := h.Property("CUSTOM_ID")
		own, _ := h.Property("ID")
		if custom == id || own == id {
			return result.PlainLines(l.plan.Document().Text(h.Body())), true
		}
	}
	return "", false
}

// Named is the block with a #+NAME.
func (l *chunkLibrary) Named(id string) (*tangle.Chunk, bool) {
	b, ok := l.plan.Document().BlockNamed(id)
	if !ok || l.plan.Document().Commented(b.Node) {
		return nil, false
	}
	return l.chunk(b), true
}

// Referenced are the blocks with a :noweb-ref, in document order.
func (l *chunkLibrary) Referenced(id string) []*tangle.Chunk {
	if l.refs == nil {
		l.refs = map[string][]*tangle.Chunk{}
		for b := range l.plan.Document().Blocks(org.KindSrcBlock) {
			if c := l.chunk(b); c.Ref != "" && !l.plan.Document().Commented(b.Node) {
				l.refs[c.Ref] = append(l.refs[c.Ref], c)
			}
		}
	}
	return l.refs[id]
}

func (l *chunkLibrary) chunk(b org.Block) *tangle.Chunk {
	return chunkOf(b.Name().Text, b.Lang.Text, b.Code(), l.plan.Document().HeaderArgs(b.Node, plan.BlockDefaults...))
}

// chunkOf is a block as noweb sees it.
func chunkOf(name, lang, body string, args org.Args) *tangle.Chunk {
	c := &tangle.Chunk{Name: name, Lang: lang, Body: body, Noweb: args.Value(":noweb"), Separator: "\n"}
	c.Ref, _ = plan.ArgText(args, ":noweb-ref")
	if sep, ok := plan.ArgText(args, ":noweb-sep"); ok {
		c.Separator = sep
	}
	if prefix, ok := args.Get(":noweb-prefix"); ok {
		c.NoPrefix = prefix.Value == "no" || prefix.Value == "nil" || prefix.Value == ""
	}
	return c
}
