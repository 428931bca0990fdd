package page

import (
	"context"
	"strings"

	"wb/org"
	"wb/workbook"
)

// What Options.Show says of a workbook's source.
const (
	ShowExported = ""     // the lines that readers see on the page anyway, in one form or another
	ShowFull     = "full" // all of it
	ShowNone     = "none"
)

// public reports for each line of a workbook's source whether readers may see
// it. They do not see sections that are not exported, comments, logs, planning,
// property drawers, and code or results that :exports keeps back.
func public(ctx context.Context, plan *workbook.Plan) []bool {
	doc := plan.Document()
	shown := make([]bool, doc.LineCount()+1)
	for i := range shown {
		shown[i] = true
	}
	hide := func(s org.Span) {
		if s.End <= s.Start {
			return
		}
		first, col := doc.Position(s.Start)
		if col > 1 && strings.TrimSpace(doc.Source()[s.Start-col+1:s.Start]) != "" {
			first++ // something stands before it
		}
		last, _ := doc.Position(s.End - 1)
		for i := first; i <= last; i++ {
			shown[i-1] = false
		}
	}
	settings := readSettings(doc)
	trees := newShownTrees(doc, &settings)
	for n := range doc.All() {
		switch n.Kind() {
		case org.KindHeadline:
			h, _ := n.Headline()
			switch {
			case trees.private(h):
				hide(n.Span())
			case trees.titleOnly(h):
				first, _ := doc.Position(n.Start())
				if line, ok := doc.Line(first); ok {
					hide(org.Span{Start: line.End, End: n.End()})
				}
			}
		case org.KindComment, org.KindCommentBlock, org.KindClock, org.KindPlanning, org.KindPropertyDrawer:
			hide(n.Span())
		case org.KindDrawer:
			if d, ok := n.Drawer(); ok && strings.EqualFold(d.Label.Text, "LOGBOOK") {
				hide(n.Span())
			}
		}
	}
	for _, e := range workbook.Exports(ctx, plan) {
		if !strings.Contains(doc.Source()[e.Start:e.End], "\n") {
			continue // a part of a line
		}
		for at := e.Start; at < e.End; {
			end := e.End
			if i := strings.IndexByte(doc.Source()[at:e.End], '\n'); i >= 0 {
				end = at + i + 1
			}
			line := strings.TrimSpace(doc.Source()[at:end])
			if line != "" && !strings.Contains(e.New, line) {
				hide(org.Span{Start: at, End: end})
			}
			at = end
		}
	}
	return shown
}
