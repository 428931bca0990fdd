package page

import (
	"context"
	"strings"

	"wb/internal/lazyregexp"
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
// drawers that Org keeps to the author, code or results that :exports keeps back,
// settings that the page obeys by leaving something out, what is for other
// formats, and macros that nothing they see uses.
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
		case org.KindComment, org.KindCommentBlock, org.KindClock, org.KindPlanning:
			hide(n.Span())
		case org.KindPropertyDrawer:
			own := true
			for p := range n.Children() {
				if programLine.MatchString(p.Text()) {
					own = false
				}
			}
			for p := range n.Children() {
				if prop := p.Text(); own || !programLine.MatchString(prop) && !drawerEnds.MatchString(prop) {
					hide(p.Span())
				}
			}
		case org.KindDrawer:
			if d, ok := n.Drawer(); ok && !settings.drawers.has(d.Label.Text) {
				hide(n.Span())
			}
		case org.KindExportBlock:
			if b, ok := n.Block(); ok && !strings.EqualFold(b.Lang.Text, "html") {
				hide(n.Span())
			}
		case org.KindKeyword:
			if k, ok := n.Keyword(); ok && settings.unsaid(k.Name()) {
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
	for k := range doc.Keywords("MACRO") {
		if line, _ := doc.Position(k.Start()); !usesMacro(doc, shown, k) {
			shown[line-1] = false
		}
	}
	return shown
}

// unsaid reports whether a keyword says something that the page leaves out.
func (s *settings) unsaid(keyword string) bool {
	switch keyword {
	case "EMAIL":
		return !s.email
	case "AUTHOR":
		return !s.author
	case "DATE":
		return !s.date
	}
	return strings.HasPrefix(keyword, "LATEX") || strings.HasPrefix(keyword, "BEAMER") || strings.HasPrefix(keyword, "TEXINFO")
}

// usesMacro reports whether a line that readers see uses a macro, be it the
// definition of another.
func usesMacro(doc *org.Document, shown []bool, macro org.Keyword) bool {
	name, _, _ := strings.Cut(macro.Value.Text, " ")
	call := "{{{" + strings.ToLower(name)
	own, _ := doc.Position(macro.Start())
	for i, line := range strings.Split(strings.ToLower(doc.Source()), "\n") {
		if at := strings.Index(line, call); i+1 != own && shown[i] && at >= 0 {
			if rest := line[at+len(call):]; strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "}}}") {
				return true
			}
		}
	}
	return false
}

var (
	homePath = lazyregexp.New(`(/home/|/Users/|\b[A-Za-z]:\\Users\\)[^\s"'()\]]+`)
	session  = lazyregexp.New(`[ \t]*:session[ \t]+[^ \t\r\n:\]]+`)
	// programLine is a property that says what a component is.
	programLine = lazyregexp.New(`(?i)^[ \t]*:(in|out|sig|deps|uses|profile|lang|default-[^ \t:]+|header-args[^ \t]*):`)
	drawerEnds  = lazyregexp.New(`(?i)^[ \t]*:(PROPERTIES|END):[ \t]*\r?\n?$`)
	ownLine     = lazyregexp.New(`(?i)^[ \t]*(#\+|:header-args)|(src|call)_[^ \t]+\[`)
)

// redacted is the source without what lines that readers see say to the author
// alone: comments in the text, and in settings and header arguments the names of
// sessions and of places in somebody's home directory. Lines keep their numbers.
func redacted(doc *org.Document) string {
	var out strings.Builder
	at, src := 0, doc.Source()
	for n := range doc.AllObjects(org.KindExportSnippet) {
		if s, ok := n.ExportSnippet(); ok && strings.EqualFold(s.Backend.Text, "comment") && n.Start() >= at {
			out.WriteString(src[at:n.Start()] + strings.Repeat("\n", strings.Count(n.Text(), "\n")))
			at = n.End()
		}
	}
	lines := strings.Split(out.String()+src[at:], "\n")
	for i, line := range lines {
		if ownLine.MatchString(line) {
			lines[i] = homePath.ReplaceAllString(session.ReplaceAllString(line, ""), "…")
		}
	}
	return strings.Join(lines, "\n")
}
