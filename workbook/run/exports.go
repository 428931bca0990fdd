package run

import (
	"context"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// Exported is the document as its readers are to see it: :exports says of each
// block, call and piece of code in running text whether its code, its results,
// both or none are shown, as in Emacs, and :noweb whether references in the
// code are filled in. Results are those that stand in the document; nothing
// runs. Sections that Emacs does not export (COMMENT, :ARCHIVE:) stay as they
// are, for the exporter to leave out.
func Exported(ctx context.Context, file string, src []byte) ([]byte, error) {
	text, err := org.Apply(src, Exports(ctx, plan.New(file, src)))
	if err != nil {
		return nil, err
	}
	return resultMacro.ReplaceAllFunc(text, expandResultMacro), nil
}

// Exports are the edits that make of a document what its readers are to see,
// as [Exported] describes it; they do not overlap. Macros, {{{results(…)}}}
// among them, are left to be expanded.
func Exports(ctx context.Context, p *plan.Plan) []org.Edit {
	x := &exporter{ctx: ctx, plan: p, doc: p.Document()}
	for n := range x.doc.Nodes(org.KindSrcBlock, org.KindCall) {
		if !plan.IsResult(n) && !x.hidden(n) {
			x.element(n)
		}
	}
	for _, c := range x.plan.Components {
		if (c.Kind == plan.KindInline || c.Kind == plan.KindInlineCall) && !x.hidden(c.Node()) {
			x.inline(c)
		}
	}
	slices.SortFunc(x.edits, func(a, b org.Edit) int { return a.Start - b.Start })
	w := &result.Writer{Doc: x.doc, Edits: x.edits}
	return w.Settled()
}

// resultMacro is {{{results(…)}}}, which stands for its argument.
var resultMacro = lazyregexp.New(`\{\{\{results\(((?:[^)]|\)[^}]|\)\}[^}]|\)\}\}[^}])*)\)\}\}\}`)

func expandResultMacro(macro []byte) []byte {
	argument := resultMacro.FindSubmatch(macro)[1]
	return escapedComma.ReplaceAll(argument, []byte("$1,"))
}

// escapedComma is a comma as escapeMacroArgument writes it, for which half of
// the backslashes stand.
var escapedComma = lazyregexp.New(`\\((?:\\\\)*),`)

type exporter struct {
	ctx   context.Context
	plan  *plan.Plan
	doc   *org.Document
	edits []org.Edit
}

// hidden reports whether an exporter leaves the section of a node out.
func (x *exporter) hidden(n *org.Node) bool {
	if x.doc.Commented(n) {
		return true
	}
	for a := range n.Ancestors() {
		if h, ok := a.Headline(); ok {
			return x.doc.Archived(h)
		}
	}
	return false
}

// exportsOf is the value of :exports, "code" by default.
func exportsOf(args org.Args) string {
	if word := args.Value(":exports"); word != "" {
		return word
	}
	return "code"
}

// element handles a block or a call line. A call has no code to show.
func (x *exporter) element(n *org.Node) {
	lang := ""
	if b, ok := n.Block(); ok {
		lang = b.Lang.Text
	}
	if lang == "" && n.Kind() == org.KindSrcBlock {
		return
	}
	args := x.doc.HeaderArgs(n, plan.DefaultsFor(lang)...)
	what := exportsOf(args)
	if what == "none" || what == "code" {
		x.removeResult(n)
	}
	switch {
	case what == "none":
		x.edits = append(x.edits, org.Edit{Start: n.Start(), End: n.End()})
	case what == "results", n.Kind() == org.KindCall && what == "both":
		x.remove(org.Span{Start: n.Start(), End: n.End()})
	case n.Kind() == org.KindCall:
		x.edits = append(x.edits, org.Edit{Start: n.Start(), End: n.End()})
	default:
		x.code(n, args)
	}
}

// remove deletes lines and the blank lines below them.
func (x *exporter) remove(s org.Span) {
	source := x.doc.Source()
	for s.End < len(source) {
		line, _, found := strings.Cut(source[s.End:], "\n")
		if strings.TrimSpace(line) != "" || !found {
			break
		}
		s.End += len(line) + 1
	}
	x.edits = append(x.edits, org.Edit{Start: s.Start, End: s.End})
}

// removeResult deletes a result and the blank lines above it.
func (x *exporter) removeResult(n *org.Node) {
	result, ok := x.doc.ResultOf(n)
	if !ok {
		return
	}
	start := len(strings.TrimRight(x.doc.Source()[:result.Line.Start], " \r\t\n"))
	if _, rest, found := strings.Cut(x.doc.Source()[start:result.Line.Start], "\n"); found {
		start = result.Line.Start - len(rest)
	}
	x.edits = append(x.edits, org.Edit{Start: start, End: max(result.Line.End, result.Body.End)})
}

// code fills in noweb references, or takes them out for strip-export.
func (x *exporter) code(n *org.Node, args org.Args) {
	b, ok := n.Block()
	body := b.Code()
	if !ok || !tangle.WrapOf(x.plan.Document()).In(body) {
		return
	}
	expanded := body
	switch noweb := args.Value(":noweb"); {
	case noweb == "strip-export":
		expanded = tangle.WrapOf(x.plan.Document()).Strip(body)
	case tangle.NowebWanted(noweb, tangle.ForExport):
		e := &tangle.Expander{Context: tangle.ForExport, Wrap: tangle.WrapOf(x.plan.Document()), Library: &chunkLibrary{plan: x.plan}, Call: x.standing}
		text, err := e.Expand(x.ctx, chunkOf(n.Name().Text, b.Lang.Text, body, args))
		if err != nil {
			return // lint says what is wrong; readers see the reference
		}
		expanded = text
	}
	if expanded != body {
		indent := result.Indentation(x.doc.Text(b.Begin))
		x.edits = append(x.edits, org.Edit{Start: b.Body.Start, End: b.Body.End, New: result.ShiftLines(org.Escape(result.EndLine(expanded)), indent)})
	}
}

// standing is the value that stands below a block for <<name()>>.
func (x *exporter) standing(_ context.Context, call string) (value.Value, error) {
	c := x.plan.Referred(plan.ParseReference(call).Name)
	if c == nil {
		n, ok := x.doc.Named(plan.ParseReference(call).Name)
		if !ok {
			return value.Nil(), nil
		}
		c = plan.Standing(n)
	}
	return (&runner{plan: x.plan}).standingResult(c), nil
}

// inline handles code in running text.
func (x *exporter) inline(c *plan.Component) {
	w := &result.Writer{Doc: x.doc}
	old, found := w.InlineResult(c.Span().End)
	what := exportsOf(c.Args)
	if found && (what == "none" || what == "code") {
		x.edits = append(x.edits, org.Edit{Start: c.Span().End, End: old.End})
	}
	if what == "none" || what == "results" || c.Kind == plan.KindInlineCall {
		end := c.Span().End
		for end < len(x.doc.Source()) && strings.IndexByte(" \t", x.doc.Source()[end]) >= 0 && (found || what == "none") {
			end++
		}
		if !found || what == "results" || c.Kind == plan.KindInlineCall {
			x.edits = append(x.edits, org.Edit{Start: c.Span().Start, End: end})
		} else {
			x.edits = append(x.edits, org.Edit{Start: c.Span().Start, End: c.Span().End})
		}
	}
}
