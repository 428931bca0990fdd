package result

import (
	"fmt"
	"slices"
	"strings"

	"wb/internal/value"
	"wb/org"
	"wb/workbook/format"
)

// Writer turns results into edits of one document.
type Writer struct {
	Doc   *org.Document
	Edits []org.Edit
}

// Block writes the result of a source block or call line.
func (w *Writer) Block(block *org.Node, r *Result) {
	if r.insertsNothing() {
		return
	}
	at := FindPlace(w.Doc, block)
	name := block.Name().Text
	text := r.Text()
	switch {
	case !at.exists:
		w.insert(at, name, r, text)
	case !r.Words.Has("replace"):
		w.accumulate(at, r, text)
	case r.Hash != "" && at.hash != r.Hash:
		w.rehash(at, name, r, text)
	default:
		w.replace(at, r, text)
	}
}

// keywordLine is the #+RESULTS: line of new results.
func keywordLine(indent int, name, hash string) string {
	if hash != "" {
		hash = "[" + hash + "]"
	}
	if name != "" {
		name = " " + name
	}
	return indentText(indent) + "#+RESULTS" + hash + ":" + name + "\n"
}

// insert adds results that were not there: a blank line, the keyword, the
// text, and a blank line unless one follows already.
func (w *Writer) insert(at place, name string, r *Result, text string) {
	before, after := "\n", ""
	source := w.Doc.Source()
	pos := at.line.Start
	if pos > 0 && source[pos-1] != '\n' {
		before = "\n\n"
	}
	if !blankLineAt(source, pos) {
		after = "\n"
	}
	w.edit(at.line, before+keywordLine(at.indent, name, r.Hash)+r.indented(text, at)+after)
}

func blankLineAt(source string, pos int) bool {
	line, _, _ := strings.Cut(source[pos:], "\n")
	return strings.TrimSpace(line) == ""
}

// replace puts text in the place of the old result. Prose that an earlier run
// wrote (:results raw and the like) counts as old only if it is unchanged.
func (w *Writer) replace(at place, r *Result, text string) {
	old := at.Old
	if old.Len() == 0 {
		old = w.previous(at, r, text)
	}
	w.edit(old, w.below(at)+ShiftLines(text, at.indent))
}

// below is the line end that a #+RESULTS: line at the very end of the file
// lacks.
func (w *Writer) below(at place) string {
	if at.line.End > 0 && w.Doc.Source()[at.line.End-1] != '\n' {
		return "\n"
	}
	return ""
}

// previous is the extent of what the last run wrote, or of what is about to be
// written, when it stands below the keyword letter by letter.
func (w *Writer) previous(at place, r *Result, text string) org.Span {
	rest := w.Doc.Source()[at.line.End:]
	for _, candidate := range []string{text, r.Before} {
		candidate = w.lineEnds(ShiftLines(candidate, at.indent))
		if candidate != "" && strings.HasPrefix(rest, candidate) {
			return org.Span{Start: at.line.End, End: at.line.End + len(candidate)}
		}
	}
	return at.Old
}

// rehash replaces keyword and result together: their hash differs. Whatever
// element stands below the keyword goes; other keywords between them stay.
func (w *Writer) rehash(at place, name string, r *Result, text string) {
	span := org.Span{Start: at.line.End, End: at.line.End}
	if n := w.Doc.At(at.line.Start); n != nil && n.Kind() == org.KindAffiliated {
		span = org.Span{Start: n.Parent().Start() + len(n.Parent().Text()) - len(CoreText(n.Parent())), End: n.Parent().End()}
	}
	after := ""
	if !blankLineAt(w.Doc.Source(), span.End) {
		after = "\n"
	}
	indent := w.expectedIndent(at)
	text = keywordLine(indent, name, r.Hash) + ShiftLines(text, indent) + after
	if span.Start == at.line.End {
		w.edit(org.Span{Start: at.line.Start, End: span.End}, text)
		return
	}
	w.edit(at.line, "")
	w.edit(span, text)
}

// expectedIndent is where Emacs puts a #+RESULTS: line that it writes anew: as
// deep as the element above it.
func (w *Writer) expectedIndent(at place) int {
	n := w.Doc.At(at.line.Start)
	if n.Kind() == org.KindAffiliated {
		if below := n.Next(); below != nil && below.Kind() == org.KindAffiliated {
			return Indentation(below.Text()) // it stays, and the keyword goes below it
		}
		n = n.Parent()
	}
	var above *org.Node
	for c := range n.Parent().Children() {
		if c == n {
			break
		}
		if c.Kind() != org.KindBlank {
			above = c
		}
	}
	if above == nil {
		return at.indent
	}
	return Indentation(above.Text())
}

// accumulate adds to the present result: below it for append, else above. Rows that
// come next to a table become part of it and are aligned with it; below
// anything else they are not indented, as in Emacs.
func (w *Writer) accumulate(at place, r *Result, text string) {
	prepend := !r.Words.Has("append")
	if at.table && strings.HasPrefix(text, "|") {
		keywords, old := splitKeywords(ShiftLines(PlainLines(w.Doc.Text(at.Old)), -at.indent))
		rows, formulas := splitFormulas(old)
		if prepend {
			rows = text + rows
		} else {
			rows += text
		}
		w.edit(at.Old, ShiftLines(keywords+format.AlignText(rows)+formulas, at.indent))
		return
	}
	pos := at.Old.End
	if prepend {
		pos = at.Old.Start
	}
	before := w.below(at)
	if pos > at.line.End && w.Doc.Source()[pos-1] != '\n' {
		before = "\n"
	}
	w.edit(org.Span{Start: pos, End: pos}, before+r.indented(text, at))
}

// indented moves text to where the #+RESULTS: line stands; tables that are
// appended stay at the left, as in Emacs.
func (r *Result) indented(text string, at place) string {
	if _, isList := r.asList(); isList && r.Words.Has("append") {
		return text
	}
	return ShiftLines(text, at.indent)
}

// splitKeywords parts the keywords above a table from it.
func splitKeywords(table string) (keywords, rest string) {
	for l := range strings.Lines(table) {
		if strings.HasPrefix(strings.TrimLeft(l, " \t"), "|") {
			break
		}
		keywords += l
	}
	return keywords, table[len(keywords):]
}

// splitFormulas parts a table's rows from the #+TBLFM: lines below them.
func splitFormulas(table string) (rows, formulas string) {
	end := 0
	for l := range strings.Lines(table) {
		if !strings.HasPrefix(strings.TrimLeft(l, " \t"), "|") {
			break
		}
		end += len(l)
	}
	return table[:end], table[end:]
}

// Inline writes the result of a src_lang{…} or call_name(…) in running text:
// {{{results(=value=)}}} after it, replacing the one that stands there.
func (w *Writer) Inline(object org.Span, r *Result) error {
	if r.insertsNothing() {
		return nil
	}
	if err := r.checkInline(); err != nil {
		return err
	}
	text := r.inlineText()
	if old, found := w.InlineResult(object.End); found {
		w.edit(old, text)
		return nil
	}
	if text != "" {
		w.edit(w.previousInline(object.End, r, text), " "+text)
	}
	return nil
}

// previousInline is the extent of bare text that the last run wrote, or that
// is about to be written, after an inline block; empty when it is not there.
func (w *Writer) previousInline(end int, r *Result, text string) org.Span {
	rest := w.Doc.Source()[end:]
	for _, candidate := range []string{text, r.Before} {
		if candidate != "" && strings.HasPrefix(rest, " "+candidate) {
			return org.Span{Start: end, End: end + 1 + len(candidate)}
		}
	}
	return org.Span{Start: end, End: end}
}

// InlineResult finds the results macro that follows an inline block, blanks
// and one line break between, within the same paragraph. (That of a heading may
// stand on the line below.)
func (w *Writer) InlineResult(end int) (org.Span, bool) {
	source := w.Doc.Source()
	if around := w.Doc.At(end - 1); around != nil && !strings.HasPrefix(around.Text(), "*") {
		source = source[:around.End()]
	}
	start := end
	for start < len(source) && strings.IndexByte(" \t\r\n", source[start]) >= 0 {
		start++
	}
	gap := source[end:start]
	if strings.Count(gap, "\n") > 1 || !strings.HasPrefix(source[start:], "{{{results(") {
		return org.Span{}, false
	}
	stop := strings.Index(source[start:], ")}}}")
	if stop < 0 || strings.Contains(source[start:start+stop], "\n\n") {
		return org.Span{}, false
	}
	return org.Span{Start: start, End: start + stop + len(")}}}")}, true
}

// checkInline refuses what running text cannot hold.
func (r *Result) checkInline() error {
	what := ""
	switch {
	case r.Words.Has("table"):
		what = "`:results table'"
	case r.Words.Has("drawer"):
		what = "`:results drawer'"
	case r.Value.Kind() == value.List && !r.empty():
		what = "a list"
	case strings.Contains(strings.TrimRight(Display(r.Value), "\n"), "\n"):
		what = "a result of several lines"
	case r.Words.Has("list"):
		what = "`:results list'"
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("%s cannot be part of running text", what)
}

// inlineText is the result as it stands in running text.
func (r *Result) inlineText() string {
	text := ""
	switch {
	case r.empty(): // what wraps it shows that it ran
	case r.Words.Has("file"):
		text = r.Link()
	default:
		text = Display(r.Value)
	}
	if !r.Words.Has("raw") {
		text = strings.TrimRight(text, "\n")
	}
	if !r.Words.Has("raw") || r.Words.Has("file") {
		text = escapeMacroArgument(text)
	}
	if r.Wrapped {
		return r.inlineWrap(text)
	}
	switch {
	case r.Words.Has("html"):
		return "{{{results(@@html:" + text + "@@)}}}"
	case r.Words.Has("latex"):
		return "{{{results(@@latex:" + text + "@@)}}}"
	case r.Words.Has("org"):
		return "{{{results(src_org{" + text + "})}}}"
	case r.Words.Has("code"):
		return "{{{results(src_" + r.Lang + "[" + r.switches() + "]{" + text + "})}}}"
	case r.Words.Has("raw"):
		return text
	case r.Words.Has("file"):
		return "{{{results(" + text + ")}}}"
	case r.empty():
		return ""
	}
	return "{{{results(=" + text + "=)}}}"
}

// inlineWrap obeys :wrap in running text.
func (r *Result) inlineWrap(text string) string {
	words := strings.Fields(r.Wrap)
	if len(words) == 0 {
		return "{{{results(" + text + ")}}}"
	}
	switch strings.ToLower(words[0]) {
	case "no", "nil":
		return text
	case "export":
		backend := "none"
		if len(words) > 1 {
			backend = words[1]
		}
		return "{{{results(@@" + backend + ":" + text + "@@)}}}"
	case "example":
		return "{{{results(=" + text + "=)}}}"
	case "src":
		head := "none"
		if len(words) > 1 {
			head = words[1]
		}
		if len(words) > 2 {
			head += "[" + strings.Join(words[2:], " ") + "]"
		}
		return "{{{results(src_" + head + "{" + text + "})}}}"
	}
	return "{{{results(" + text + ")}}}"
}

// escapeMacroArgument protects commas, doubling backslashes before them.
func escapeMacroArgument(s string) string {
	var out strings.Builder
	slashes := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ',' {
			out.WriteString(strings.Repeat(`\`, slashes+1))
		}
		if s[i] == '\\' {
			slashes++
		} else {
			slashes = 0
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// edit records a change; text that already exists changes nothing.
func (w *Writer) edit(span org.Span, text string) {
	text = w.lineEnds(text)
	if w.Doc.Text(span) == text {
		return
	}
	w.Edits = append(w.Edits, org.Edit{Start: span.Start, End: span.End, New: text})
}

// Settled are the edits without those that others overrule: of two results for
// the same place the later one counts, as it would in Emacs, and what lies
// inside text that is replaced goes with it.
func (w *Writer) Settled() []org.Edit {
	edits := slices.Clone(w.Edits)
	slices.SortStableFunc(edits, func(a, b org.Edit) int { return a.Start - b.Start })
	var kept []org.Edit
	for _, e := range edits {
		if n := len(kept); n > 0 && e.Start < kept[n-1].End {
			if e.Start == kept[n-1].Start && e.End >= kept[n-1].End {
				kept[n-1] = e
			}
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// lineEnds gives text the line ends of the document.
func (w *Writer) lineEnds(text string) string {
	if !w.Doc.CRLF() {
		return text
	}
	return strings.ReplaceAll(PlainLines(text), "\n", "\r\n")
}

func PlainLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
