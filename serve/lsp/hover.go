package lsp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wb/internal/clip"
	"wb/org"
	"wb/workbook"
)

// explainWithin bounds how long a hover waits to learn whether a component is
// stale.
const explainWithin = 3 * time.Second

// hover tells what stands at a place: a header argument, a language, a name, a
// component with its last outcome.
func (s *Server) hover(ctx context.Context, p placeParams) (any, error) {
	pl, err := at(ctx, p)
	if err != nil {
		return nil, err
	}
	if text, span := s.hoverWord(pl); text != "" {
		r := pl.text.rangeOf(span)
		return hover{Contents: markup{"markdown", text}, Range: &r}, nil
	}
	if o, ok := pl.index().at(pl.offset); ok {
		if text := s.hoverSymbol(ctx, pl, o); text != "" {
			r := pl.text.rangeOf(o.span)
			return hover{Contents: markup{"markdown", text}, Range: &r}, nil
		}
	}
	if c := pl.componentAt(pl.offset); c != nil {
		return hover{Contents: markup{"markdown", s.describe(ctx, pl.analysis, c)}}, nil
	}
	return nil, nil
}

// hoverWord documents words of org and of wb.
func (s *Server) hoverWord(pl place) (string, org.Span) {
	if b, ok := pl.blockAt(pl.offset); ok && b.Lang.Start <= pl.offset && pl.offset <= b.Lang.End && b.Lang.Len() > 0 {
		return s.describeLanguage(b.Lang.Text), b.Lang.Span
	}
	n := pl.doc.At(pl.offset)
	if p, ok := n.Property(); ok && p.Key.Start-1 <= pl.offset && pl.offset <= p.Key.End {
		return describeKey(p.Key.Text), p.Key.Span
	}
	word, span := pl.wordAt(pl.offset)
	if strings.HasPrefix(word, ":") && !strings.HasSuffix(strings.TrimSpace(pl.doc.Text(span)), "::") {
		line := pl.text.line(pl.text.position(pl.offset).Line)
		if isArgumentLine(line) {
			return describeArg(word), span
		}
	}
	if key, name, ok := pl.argumentAt(pl.offset); ok && (key == "uses" || key == "profile") {
		return describeCapability(key, name), span
	}
	return "", span
}

// wordAt is the run of characters without blanks at an offset.
func (a *analysis) wordAt(offset int) (string, org.Span) {
	source := a.text.source
	blank := func(i int) bool { return strings.IndexByte(" \t\r\n", source[i]) >= 0 }
	start, end := offset, offset
	for start > 0 && !blank(start-1) {
		start--
	}
	for end < len(source) && !blank(end) {
		end++
	}
	return source[start:end], org.Span{Start: start, End: end}
}

// isArgumentLine reports whether a line holds header arguments.
func isArgumentLine(line string) bool {
	line = strings.ToLower(strings.TrimLeft(line, " \t"))
	for _, prefix := range []string{"#+begin_src", "#+header", "#+call", "#+property: header-args", ":header-args"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return strings.Contains(line, "src_") || strings.Contains(line, "call_")
}

// argumentAt is the header argument whose value holds an offset, and the word
// there.
func (a *analysis) argumentAt(offset int) (key, word string, ok bool) {
	line := a.text.position(offset).Line
	start := a.text.lines[line]
	text := a.text.line(line)
	if !isArgumentLine(text) && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), ":uses:") {
		return "", "", false
	}
	for _, w := range words(org.Token{Span: org.Span{Start: start, End: start + len(text)}, Text: text}, " \t") {
		if strings.HasPrefix(w.Text, ":") {
			key = strings.ToLower(strings.Trim(w.Text, ":"))
			continue
		}
		if w.Start <= offset && offset <= w.End {
			return key, w.Text, key != ""
		}
	}
	return "", "", false
}

func describeKey(name string) string {
	for _, k := range drawerKeys {
		if strings.EqualFold(k.name, name) {
			return "**:" + k.name + ":** — " + k.text
		}
	}
	if rest, ok := strings.CutPrefix(strings.ToLower(name), "default-"); ok {
		return "What `" + rest + "` if not given, as JSON or text."
	}
	return ""
}

func describeCapability(key, name string) string {
	if key == "profile" {
		if held := workbook.ProfileHolds(name); held != nil {
			return "Profile **" + name + "**: `" + strings.Join(held, "` `") + "`"
		}
		return ""
	}
	if text := capabilityDocs[workbook.Capability(name)]; text != "" {
		return "**" + name + "** — lets the component " + text + ". Granted with `--grant " + workbook.Capability(name) + "`."
	}
	return ""
}

// describeLanguage says what wb knows of a language.
func (s *Server) describeLanguage(lang string) string {
	if s.config.Languages == nil {
		return "**" + lang + "**"
	}
	lane, ok := s.config.Languages.Lookup(lang)
	if !ok {
		text := "There is no lane for **" + lang + "**: the block is kept and tangled, and does not run."
		if near := s.config.Languages.Nearest(lang); near != "" {
			text += " Did you mean `" + near + "`?"
		}
		return text
	}
	info := lane.Info()
	text := "**" + info.Name + "** — " + info.Summary
	if len(info.Aliases) > 0 {
		text += "\n\nAlso written `" + strings.Join(info.Aliases, "` `") + "`."
	}
	if len(info.Toolchains) > 0 {
		text += "\n\nNeeds `wb toolchain install " + strings.Join(info.Toolchains, " ") + "` (first use does it)."
	}
	return text
}

// hoverSymbol shows what a name means.
func (s *Server) hoverSymbol(ctx context.Context, pl place, o occurrence) string {
	switch o.symbol.kind {
	case symbolName, symbolPort:
		if c := pl.componentNamed(o.symbol); c != nil && (!o.def || c.Kind == workbook.KindData) {
			return s.describe(ctx, pl.analysis, c)
		}
		if c := pl.componentNamed(o.symbol); c != nil {
			return s.describe(ctx, pl.analysis, c)
		}
	case symbolInput:
		return "Nothing in this file produces **" + o.symbol.key + "**: give it with `wb run --set " + o.symbol.key + "=VALUE`."
	case symbolHeadline:
		if c := pl.declaring(o.symbol); c != nil {
			return s.describe(ctx, pl.analysis, c)
		}
		if o.def {
			return ""
		}
	}
	for _, a := range s.scope(ctx, pl.analysis, o.symbol) {
		for _, d := range a.index().of(o.symbol) {
			if d.def && (d.span != o.span || a != pl.analysis) {
				return a.excerpt(d)
			}
		}
	}
	return ""
}

// componentNamed is the component that a name or port belongs to.
func (a *analysis) componentNamed(s symbol) *workbook.Component {
	if s.kind == symbolPort {
		id, _, _ := strings.Cut(s.key, "\x00")
		return a.plan().Component(id)
	}
	for _, c := range a.plan().Components {
		if c.Name != "" && strings.EqualFold(c.Name, s.key) {
			return c
		}
	}
	return nil
}

// declaring is the component that a headline declares.
func (a *analysis) declaring(s symbol) *workbook.Component {
	for _, c := range a.plan().Components {
		if c.Dialect != workbook.DialectBabel && headlineSymbol(c.Title) == s {
			return c
		}
	}
	return nil
}

// excerpt shows the lines where a symbol is defined.
func (a *analysis) excerpt(o occurrence) string {
	line, _ := a.doc.Position(o.span.Start)
	from := max(1, line)
	if n := a.doc.At(o.span.Start); o.symbol.kind == symbolID || o.symbol.kind == symbolCustomID {
		if h, ok := a.doc.Headline(n); ok {
			from, _ = a.doc.Position(h.Start())
			if len(h.Title.Text) > 0 {
				line = from
			}
		}
	}
	var lines []string
	for n := from; n < from+12; n++ {
		span, ok := a.doc.Line(n)
		if !ok {
			break
		}
		lines = append(lines, strings.TrimRight(a.doc.Text(span), "\r"))
	}
	return fmt.Sprintf("%s:%d\n\n%s", a.file, line, fence("org", strings.Join(lines, "\n")))
}

// fence quotes text in markdown, whatever it holds.
func fence(lang, text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + ticks
}

// describe writes the description of a component.
func (s *Server) describe(ctx context.Context, a *analysis, c *workbook.Component) string {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**", c.ID)
	if c.Lang != "" {
		fmt.Fprintf(&out, " · %s", c.Lang)
	}
	if c.Shape != "" && c.Dialect != workbook.DialectBabel {
		fmt.Fprintf(&out, " · %s", c.Shape)
	}
	out.WriteString("\n\n")
	for _, in := range c.In {
		fmt.Fprintf(&out, "- in `%s`%s\n", in.Name, origin(in))
	}
	if len(c.Out) > 0 {
		fmt.Fprintf(&out, "- out `%s`\n", strings.Join(c.Out, "` `"))
	}
	if len(c.Uses) > 0 {
		fmt.Fprintf(&out, "- asks for `%s`\n", strings.Join(c.Uses, "` `"))
	}
	if c.Kind == workbook.KindData {
		if n := c.Node(); n != nil {
			out.WriteString("\n" + fence("org", clipLines(n.Text(), 15)) + "\n")
		}
		return out.String()
	}
	s.outcome(ctx, &out, a, c)
	return out.String()
}

// origin says where an input comes from.
func origin(in workbook.Input) string {
	switch {
	case in.From.Component != "" && in.Ref != "" && in.Ref != in.From.Component:
		return " from `" + in.Ref + "`"
	case in.From.Component != "":
		return " from `" + in.From.Component + "`"
	case in.Literal != nil:
		return " = `" + clip.Bytes(in.Literal.String(), 60) + "`"
	case in.Ref != "":
		return " = `" + in.Ref + "`"
	}
	return ", given from outside"
}

// outcome adds whether a component is stale and why, what it gave, what it
// cost, and when.
func (s *Server) outcome(ctx context.Context, out *strings.Builder, a *analysis, c *workbook.Component) {
	ctx, cancel := context.WithTimeout(ctx, explainWithin)
	defer cancel()
	if x, err := s.explain(ctx, a, c.ID); err != nil {
		fmt.Fprintf(out, "\nCannot say whether it would run: %s\n", clip.Bytes(err.Error(), 300))
	} else {
		verdict := "Up to date"
		if x.WouldRun {
			verdict = "Would run"
		}
		fmt.Fprintf(out, "\n%s: %s.\n", verdict, strings.TrimSuffix(x.Reason, "."))
		if x.Kept != nil {
			fmt.Fprintf(out, "\nValue: %s\n", quoteValue(x.Kept.Value.String()))
			fmt.Fprintf(out, "\n%s fuel · %s", thousands(x.Kept.Fuel), megabytes(x.Kept.Memory))
			if x.Kept.Exit != 0 {
				fmt.Fprintf(out, " · exit %d", x.Kept.Exit)
			}
			out.WriteString("\n")
		} else if n := c.Node(); n != nil && c.Dialect == workbook.DialectBabel && n.Kind() != org.KindInlineSrc && n.Kind() != org.KindInlineCall {
			if r, ok := a.doc.ResultOf(n); ok && r.Body.Len() > 0 {
				fmt.Fprintf(out, "\nLast result in the file:\n\n%s\n", fence("org", clipLines(a.doc.Text(r.Body), 15)))
			}
		}
	}
	if last, ok := lastEvent(a.file, c.ID); ok {
		fmt.Fprintf(out, "\n%s\n", last)
	}
}

// quoteValue shows a value in a line where it fits, else in a block.
func quoteValue(v string) string {
	if len(v) <= 80 && !strings.ContainsAny(v, "`\n") {
		return "`" + v + "`"
	}
	return "\n\n" + fence("", clip.Bytes(v, 1500))
}

func clipLines(s string, most int) string {
	lines := strings.SplitN(s, "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return clip.Bytes(strings.Join(lines, "\n"), 4000)
}

// thousands writes a count so that its size can be read: 1.2M.
func thousands(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.1f%s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprint(n)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
