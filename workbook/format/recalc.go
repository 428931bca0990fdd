package format

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"wb/compile"
	"wb/internal/diag"
	"wb/org"
	"wb/tangle/elisp"
)

// Recalc returns src with every table that has a #+TBLFM: recalculated and aligned
// by Org itself, once and in order of the document, as
// org-table-recalculate-buffer-tables does. Everything else stays as it is. A
// table that Org cannot recalculate stays, too, and is among the findings; fields
// in which Org writes #ERROR are warnings. book is named as Emacs is to call the
// document, and runs the blocks that formulas call.
func Recalc(ctx context.Context, emacs compile.Evaluator, file string, book *compile.Document, src []byte) ([]byte, []diag.Finding, error) {
	doc := org.Parse(src)
	tables := withFormulas(doc)
	if len(tables) == 0 {
		return src, nil, nil
	}
	text, windows := doc.Source(), strings.Contains(doc.Source(), "\r\n")
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	places := make([]string, len(tables))
	for i, t := range tables {
		places[i] = fmt.Sprint(1 + utf8.RuneCountInString(unix(text[:t.rows.Start])))
	}
	e, err := emacs.Evaluation(ctx, &compile.Document{Name: book.Name, Text: unix(text), Call: book.Call})
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	answer, err := e.Evaluate(ctx, "(wb--recalculate '("+strings.Join(places, " ")+"))", 0)
	if err != nil {
		return nil, nil, err
	}
	items, _ := elisp.Items(answer)
	if len(items) != len(tables) {
		return nil, nil, fmt.Errorf("of %d tables Emacs recalculated %d", len(tables), len(items))
	}
	var edits []org.Edit
	var found []diag.Finding
	for i, t := range tables {
		now := elisp.Princ(elisp.Car(elisp.Cdr(items[i])))
		finding := diag.Finding{Pos: diag.Position{File: file}, Code: "formula"}
		finding.Pos.Line, finding.Pos.Col = doc.Position(t.formula)
		switch before := unix(doc.Text(t.rows)); {
		case elisp.IsNil(elisp.Car(items[i])):
			finding.Severity, finding.Message = diag.Error, "cannot be applied, so the table stays as it is: "+now
			found = append(found, finding)
			continue
		case strings.Count(now, "#ERROR") > 0:
			finding.Severity, finding.Message = diag.Warning, "gives #ERROR in some fields"
			found = append(found, finding)
			fallthrough
		case now != before:
			if !strings.HasSuffix(before, "\n") {
				now = strings.TrimSuffix(now, "\n")
			}
			if windows {
				now = strings.ReplaceAll(now, "\n", "\r\n")
			}
			edits = append(edits, org.Replace(t.rows, now))
		}
	}
	out, err := org.Apply(src, edits)
	return out, found, err
}

// formulaTable is a table with formulas.
type formulaTable struct {
	rows    org.Span // whole lines
	formula int      // where the first formula stands
}

// withFormulas are the tables of a document that have formulas, in order.
func withFormulas(doc *org.Document) []formulaTable {
	var all []formulaTable
	for n := range doc.Nodes(org.KindTable) {
		t, ok := n.Table()
		if !ok || len(t.Formulas) == 0 || len(t.Rows) == 0 {
			continue
		}
		start := strings.LastIndexByte(doc.Source()[:t.Rows[0].Start()], '\n') + 1
		all = append(all, formulaTable{org.Span{Start: start, End: t.Rows[len(t.Rows)-1].End()}, t.Formulas[0].Value.Start})
	}
	return all
}
