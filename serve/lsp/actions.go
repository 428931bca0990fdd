package lsp

import (
	"context"
	"slices"
	"strings"

	"wb/org"
	"wb/workbook"
	"wb/workbook/format"
)

// codeActions offers what can be done about the findings in a range, and with
// the block there.
func (s *Server) codeActions(ctx context.Context, p codeActionParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	wanted := func(kind string) bool {
		return len(p.Context.Only) == 0 || slices.ContainsFunc(p.Context.Only, func(only string) bool {
			return kind == only || strings.HasPrefix(kind, only+".")
		})
	}
	actions := []codeAction{}
	if wanted("quickfix") {
		actions = append(actions, s.quickFixes(a, p.Range)...)
	}
	if wanted("refactor") {
		actions = append(actions, s.refactorings(a, a.text.offset(p.Range.Start))...)
	}
	if wanted("source.fixAll.wb") {
		if edits := a.fixAll(s); len(edits) > 0 {
			actions = append(actions, codeAction{Title: "Fix all misspellings", Kind: "source.fixAll.wb", Edit: s.changesFor(a, edits)})
		}
	}
	if wanted("source") {
		if edits := a.tidied(); len(edits) > 0 {
			actions = append(actions, codeAction{Title: "Align tables, tags and properties", Kind: "source", Edit: s.changesFor(a, edits)})
		}
		actions = append(actions, s.runActions(a, p.Range.Start)...)
	}
	return actions, nil
}

// quickFixes are the fixes of the findings that touch a range.
func (s *Server) quickFixes(a *analysis, r textRange) []codeAction {
	var actions []codeAction
	for _, f := range a.findings(s.config.Languages) {
		d := a.diagnostic(f, "wb")
		if d.Range.End.before(r.Start) || r.End.before(d.Range.Start) {
			continue
		}
		for i, fix := range a.fixes(f) {
			actions = append(actions, codeAction{Title: fix.title, Kind: "quickfix", Diagnostics: []diagnostic{d},
				Preferred: i == 0 && strings.HasPrefix(fix.title, "Change to "), Edit: s.changesFor(a, fix.edits)})
		}
	}
	return actions
}

// fixAll corrects every misspelt word at once.
func (a *analysis) fixAll(s *Server) []org.Edit {
	var edits []org.Edit
	for _, f := range a.findings(s.config.Languages) {
		if meant.MatchString(f.Hint) {
			if list := a.fixes(f); len(list) > 0 {
				edits = append(edits, list[0].edits...)
			}
		}
	}
	slices.SortFunc(edits, func(x, y org.Edit) int { return x.Start - y.Start })
	end, apart := 0, edits[:0]
	for _, e := range edits {
		if e.Start >= end {
			apart = append(apart, e)
			end = e.End
		}
	}
	return apart
}

// refactorings are changes that keep what the workbook means.
func (s *Server) refactorings(a *analysis, offset int) []codeAction {
	b, ok := a.blockAt(offset)
	if !ok || b.Name().Text != "" {
		return nil
	}
	c := a.componentOf(b.Node)
	if c == nil || c.Dialect != workbook.DialectBabel {
		return nil
	}
	indent := leadingBlanks(a.doc.Text(b.Begin))
	return []codeAction{{Title: "Name this block", Kind: "refactor",
		Edit: s.changesFor(a, insert(b.Start(), indent+"#+NAME: "+c.ID+"\n"))}}
}

// runActions offer to run what stands at a place.
func (s *Server) runActions(a *analysis, at position) []codeAction {
	if s.config.Run == nil {
		return nil
	}
	var actions []codeAction
	if c := a.componentAt(a.text.offset(at)); c != nil {
		actions = append(actions, codeAction{Title: "Run " + c.ID, Kind: "source",
			Command: &command{Title: "Run " + c.ID, Command: "wb.runBlock", Arguments: []any{a.uri, at.Line}}})
	}
	return append(actions, codeAction{Title: "Run the workbook", Kind: "source",
		Command: &command{Title: "Run the workbook", Command: "wb.run", Arguments: []any{a.uri}}})
}

// codeLenses put "Run" above each block.
func (s *Server) codeLenses(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	lenses := []codeLens{}
	if s.config.Run == nil {
		return lenses, nil
	}
	for _, c := range a.plan().Components {
		if c.Node() == nil || c.Kind != workbook.KindBlock && c.Kind != workbook.KindCall {
			continue
		}
		at := a.text.position(c.Node().Start())
		lenses = append(lenses, codeLens{Range: textRange{at, at},
			Command: &command{Title: "▶ Run " + c.ID, Command: "wb.runBlock", Arguments: []any{a.uri, a.text.position(a.offset(c.Pos.Line, c.Pos.Col)).Line}}})
	}
	return lenses, nil
}

// tidied are the edits of `wb fmt`.
func (a *analysis) tidied() []org.Edit {
	edits, _ := format.Edits(a.doc, format.Options{})
	return edits
}

// formatting is `wb fmt` on the text.
func (s *Server) formatting(ctx context.Context, p placeParams) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return a.text.edits(a.tidied()), nil
}

// rangeFormatting is the part of `wb fmt` that changes a range.
func (s *Server) rangeFormatting(ctx context.Context, p struct {
	TextDocument documentID `json:"textDocument"`
	Range        textRange  `json:"range"`
}) (any, error) {
	a, err := look(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	span := a.text.span(p.Range)
	edits := slices.DeleteFunc(a.tidied(), func(e org.Edit) bool { return e.End <= span.Start && e.Start < span.Start || e.Start >= span.End })
	return a.text.edits(edits), nil
}
