package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// bracket reads what starts with "[": a link, a footnote reference, a
// citation, a timestamp or a statistics cookie.
func (p *objectParser) bracket(j *objectJob, pos int) (object, bool) {
	if pos+1 >= j.end {
		return object{}, false
	}
	rest := p.src[pos:j.end]
	switch c := rest[1]; {
	case c == '[':
		if j.set.has(KindLink) {
			return p.bracketLink(j, pos)
		}
	case c == 'f' || c == 'F':
		if j.set.has(KindFootnoteRef) && hasPrefixFold(rest, "[fn:") {
			return p.footnoteRef(j, pos)
		}
	case c == 'c' || c == 'C':
		if j.set.has(KindCitation) {
			return p.citation(j, pos)
		}
	default:
		if j.set.has(KindTimestamp) {
			if o, ok := p.timestamp(j, pos); ok {
				return o, true
			}
		}
		if j.set.has(KindCookie) {
			if end := cookieEnd(p.src, pos, j.end); end > 0 {
				return object{kind: KindCookie, start: pos, end: end}, true
			}
		}
	}
	return object{}, false
}

// timestamp reads a timestamp or a range of two.
func (p *objectParser) timestamp(j *objectJob, pos int) (object, bool) {
	if !isDate(p.src, pos+1, j.end) {
		return object{}, false
	}
	// Ask before looking: the closing bracket may be far away, or nowhere.
	square, ok := p.find.next("]", pos, j.end)
	angle, found := p.find.next(">", pos, j.end)
	if !ok && !found {
		return object{}, false
	}
	if !ok || found && angle < square {
		square = angle
	}
	if _, ok := p.find.next("\n", pos, square); ok {
		return object{}, false
	}
	t, ok := readTimestamp(p.doc, pos, j.end)
	return object{kind: KindTimestamp, start: pos, end: t.End}, ok
}

// cookieEnd matches "[1/3]" or "[33%]", digits optional.
func cookieEnd(s string, pos, end int) int {
	i := pos + 1
	for i < end && isDigit(s[i]) {
		i++
	}
	if i < end && s[i] == '/' {
		for i++; i < end && isDigit(s[i]); i++ {
		}
	} else if i < end && s[i] == '%' {
		i++
	} else {
		return 0
	}
	if i < end && s[i] == ']' {
		return i + 1
	}
	return 0
}

// footnoteRef reads [fn:label], [fn:label:text] or [fn::text].
func (p *objectParser) footnoteRef(j *objectJob, pos int) (object, bool) {
	start := pos + len("[fn:")
	label := skipName(p.src, start, j.end)
	if label == j.end || label == start && p.src[label] != ':' || p.src[label] != ':' && p.src[label] != ']' {
		return object{}, false
	}
	end, _, ok := p.find.pair(pos, j.end)
	if !ok {
		return object{}, false
	}
	o := object{kind: KindFootnoteRef, start: pos, end: end}
	if p.src[label] == ':' {
		o.innerStart, o.innerEnd, o.set = label+1, end-1, standardSet
	}
	return o, true
}

// FootnoteRef is a reference to a footnote, or a footnote written in place.
type FootnoteRef struct {
	*Node
	Label  Token // absent when anonymous
	Inline bool  // the text stands here, in [Node.Contents]
}

// FootnoteRef reads a node of [KindFootnoteRef].
func (n *Node) FootnoteRef() (FootnoteRef, bool) {
	if n.kind != KindFootnoteRef {
		return FootnoteRef{}, false
	}
	start := n.start + len("[fn:")
	end := skipName(n.doc.text, start, n.end)
	f := FootnoteRef{Node: n, Inline: n.doc.text[end] == ':'}
	if end > start {
		f.Label = n.token(Span{start, end})
	}
	return f, true
}

// angle reads what starts with "<": a target, a radio target, a timestamp or
// an angle link.
func (p *objectParser) angle(j *objectJob, pos int) (object, bool) {
	rest := p.src[pos:j.end]
	switch {
	case strings.HasPrefix(rest, "<<"):
		if o, ok := p.target(j, pos, "<<<", ">>>", KindRadioTarget); ok {
			o.set = minimalSet
			return o, true
		}
		o, ok := p.target(j, pos, "<<", ">>", KindTarget)
		o.innerStart = 0
		return o, ok
	case strings.HasPrefix(rest, "<%%("):
		return p.diary(j, pos)
	}
	if j.set.has(KindTimestamp) {
		if o, ok := p.timestamp(j, pos); ok {
			return o, true
		}
	}
	if j.set.has(KindLink) {
		return p.angleLink(j, pos)
	}
	return object{}, false
}

// target reads text between marks; it may hold neither "<", ">" nor a line
// ending, and neither starts nor ends with a blank.
func (p *objectParser) target(j *objectJob, pos int, open, close string, kind Kind) (object, bool) {
	if !j.set.has(kind) || !strings.HasPrefix(p.src[pos:j.end], open) {
		return object{}, false
	}
	start := pos + len(open)
	end := start
	for end < j.end && strings.IndexByte("<>\n\r", p.src[end]) < 0 {
		end++
	}
	if end == start || isBlank(p.src[start]) || isBlank(p.src[end-1]) || !strings.HasPrefix(p.src[end:j.end], close) {
		return object{}, false
	}
	return object{kind: kind, start: pos, end: end + len(close), innerStart: start, innerEnd: end}, true
}

// diary reads <%%(sexp) 10:00>.
func (p *objectParser) diary(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindTimestamp) {
		return object{}, false
	}
	end, ok := p.find.next(">", pos, j.end)
	if !ok {
		return object{}, false
	}
	if _, ok := p.find.next("\n", pos, end); ok {
		return object{}, false
	}
	if paren, ok := p.find.prev(")", pos+len("<%%("), end); !ok || paren == pos+len("<%%(") {
		return object{}, false
	}
	return object{kind: KindTimestamp, start: pos, end: end + 1}, true
}

// TargetName returns the text of a target or a radio target.
func (n *Node) TargetName() (Token, bool) {
	switch n.kind {
	case KindTarget:
		return n.token(Span{n.start + 2, n.end - 2}), true
	case KindRadioTarget:
		return n.token(Span{n.start + 3, n.end - 3}), true
	}
	return Token{}, false
}

// macro reads {{{name}}} or {{{name(args)}}}.
func (p *objectParser) macro(j *objectJob, pos int) (object, bool) {
	rest := p.src[pos:j.end]
	if !j.set.has(KindMacro) || !strings.HasPrefix(rest, "{{{") || len(rest) < 4 || !isAlpha(rest[3]) {
		return object{}, false
	}
	end := nameEnd(p.src, pos+3, j.end)
	switch {
	case strings.HasPrefix(p.src[end:j.end], "}}}"):
		return object{kind: KindMacro, start: pos, end: end + 3}, true
	case strings.HasPrefix(p.src[end:j.end], "("):
		if close, ok := p.find.next(")}}}", end+1, j.end); ok {
			return object{kind: KindMacro, start: pos, end: close + 4}, true
		}
	}
	return object{}, false
}

// Macro is {{{name(args)}}}.
type Macro struct {
	*Node
	Key  Token   // the name as written; Org ignores its case
	Args []Token // cut at commas that no backslash protects; nil without parentheses
}

// Macro reads a node of [KindMacro].
func (n *Node) Macro() (Macro, bool) {
	if n.kind != KindMacro {
		return Macro{}, false
	}
	s := n.doc.text
	key := nameEnd(s, n.start+3, n.end)
	m := Macro{Node: n, Key: n.token(Span{n.start + 3, key})}
	if s[key] != '(' {
		return m, true
	}
	start, end := key+1, n.end-len(")}}}")
	for i := start; i <= end; i++ {
		if i == end || s[i] == ',' && s[i-1] != '\\' {
			m.Args = append(m.Args, n.token(trimSpan(s, start, i)))
			start = i + 1
		}
	}
	return m, true
}

// snippet reads @@backend:text@@.
func (p *objectParser) snippet(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindExportSnippet) || !strings.HasPrefix(p.src[pos:j.end], "@@") {
		return object{}, false
	}
	name := pos + 2
	end := name
	for end < j.end && (isAlnum(p.src[end]) || p.src[end] == '-') {
		end++
	}
	if end == name || end == j.end || p.src[end] != ':' {
		return object{}, false
	}
	close, ok := p.find.next("@@", end+1, j.end)
	return object{kind: KindExportSnippet, start: pos, end: close + 2}, ok
}

// ExportSnippet is @@backend:value@@.
type ExportSnippet struct {
	*Node
	Backend, Value Token
}

// ExportSnippet reads a node of [KindExportSnippet].
func (n *Node) ExportSnippet() (ExportSnippet, bool) {
	if n.kind != KindExportSnippet {
		return ExportSnippet{}, false
	}
	colon := n.start + strings.IndexByte(n.Text(), ':')
	return ExportSnippet{n, n.token(Span{n.start + 2, colon}), n.token(Span{colon + 1, n.end - 2})}, true
}

// dollar reads $x$ or $$x$$.
func (p *objectParser) dollar(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindLatexFragment) || pos+2 >= j.end {
		return object{}, false
	}
	if p.src[pos+1] == '$' {
		end, ok := p.find.next("$$", pos+2, j.end)
		return object{kind: KindLatexFragment, start: pos, end: end + 2}, ok
	}
	if pos > j.start && p.src[pos-1] == '$' || strings.IndexByte(" \t\n,.;", p.src[pos+1]) >= 0 {
		return object{}, false
	}
	end, ok := p.find.next("$", pos+1, j.end)
	if !ok || strings.IndexByte(" \t\n,.", p.src[end-1]) >= 0 || !p.endsMath(end+1, j.end) {
		return object{}, false
	}
	return object{kind: KindLatexFragment, start: pos, end: end + 1}, true
}

// endsMath reports whether the character at pos may follow $x$.
func (p *objectParser) endsMath(pos, end int) bool {
	if pos >= end {
		return true
	}
	if c := p.src[pos]; c < utf8.RuneSelf {
		return isSpace(c) || strings.IndexByte("!\"#,.:;?@`()<>[]{}'", c) >= 0
	}
	r, _ := utf8.DecodeRuneInString(p.src[pos:end])
	return unicode.IsPunct(r) || isSpaceRune(r)
}

// backslash reads what starts with "\": a line break, an entity or a LaTeX
// fragment.
func (p *objectParser) backslash(j *objectJob, pos int) (object, bool) {
	s := p.src
	if pos+1 >= j.end {
		return object{}, false
	}
	switch c := s[pos+1]; {
	case c == '\\':
		if !j.set.has(KindLineBreak) || pos > j.start && s[pos-1] == '\\' {
			return object{}, false
		}
		end := skipBlanks(s, pos+2, j.end)
		if end < j.end && s[end] == '\r' {
			end++
		}
		if end < j.end && s[end] != '\n' {
			return object{}, false
		}
		return object{kind: KindLineBreak, start: pos, end: min(end+1, j.end)}, true
	case c == '(' || c == '[':
		if !j.set.has(KindLatexFragment) {
			return object{}, false
		}
		close := `\)`
		if c == '[' {
			close = `\]`
		}
		end, ok := p.find.next(close, pos+2, j.end)
		return object{kind: KindLatexFragment, start: pos, end: end + 2}, ok
	}
	if end := entityEnd(s, pos, j.end); end > 0 && j.set.has(KindEntity) {
		return object{kind: KindEntity, start: pos, end: end}, true
	}
	if end := latexMacroEnd(s, pos, j.end); end > 0 && j.set.has(KindLatexFragment) {
		return object{kind: KindLatexFragment, start: pos, end: end}, true
	}
	return object{}, false
}

// latexMacroEnd matches \name, an optional star, and any number of [x] and
// {x} without brackets or line endings inside.
func latexMacroEnd(s string, pos, end int) int {
	i := pos + 1
	for i < end && isAlpha(s[i]) {
		i++
	}
	if i == pos+1 {
		return 0
	}
	if i < end && s[i] == '*' {
		i++
	}
	for i < end && (s[i] == '[' || s[i] == '{') {
		stop, close := "[]\n{}", byte(']')
		if s[i] == '{' {
			stop, close = "{}\n", '}'
		}
		k := i + 1
		for k < end && strings.IndexByte(stop, s[k]) < 0 {
			k++
		}
		if k == end || s[k] != close {
			break
		}
		i = k + 1
	}
	return i
}

// inlineSrc reads src_lang[args]{code}.
func (p *objectParser) inlineSrc(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindInlineSrc) || !strings.HasPrefix(p.src[pos:j.end], "src_") || !p.atWordStart(j, pos) {
		return object{}, false
	}
	lang := pos + len("src_")
	at := p.find.stop(" \t\n[{", lang, j.end)
	if at == lang || at == j.end {
		return object{}, false
	}
	if p.src[at] == '[' {
		after, _, ok := p.find.pair(at, j.end)
		if !ok {
			return object{}, false
		}
		at = after
	}
	if at == j.end || p.src[at] != '{' {
		return object{}, false
	}
	end, _, ok := p.find.pair(at, j.end)
	return object{kind: KindInlineSrc, start: pos, end: end}, ok
}

// InlineSrc is "src_lang[args]{code}" in text.
type InlineSrc struct {
	*Node
	Lang Token
	Args Token // header arguments
	Body Token // the code as written; see [InlineSrc.Code]
}

// InlineSrc reads a node of [KindInlineSrc].
func (n *Node) InlineSrc() (InlineSrc, bool) {
	if n.kind != KindInlineSrc {
		return InlineSrc{}, false
	}
	s := n.doc.text
	start := n.start + len("src_")
	at := start
	for s[at] != '[' && s[at] != '{' {
		at++
	}
	src := InlineSrc{Node: n, Lang: n.token(Span{start, at})}
	if after, ok := pairEnd(s, at, n.end, '[', ']'); ok {
		src.Args = n.token(Span{at + 1, after - 1})
		at = after
	}
	src.Body = n.token(Span{at + 1, n.end - 1})
	return src, true
}

// Code returns the code as Org runs it: a line ending and the indentation
// behind it become one space.
func (s InlineSrc) Code() string { return joinLines(s.Body.Text) }

func joinLines(text string) string {
	if strings.IndexByte(text, '\n') < 0 {
		return text
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimLeft(lines[i], " \t")
	}
	return strings.Join(lines, " ")
}

// inlineCall reads call_name[inside](args)[end].
func (p *objectParser) inlineCall(j *objectJob, pos int) (object, bool) {
	if !j.set.has(KindInlineCall) || !strings.HasPrefix(p.src[pos:j.end], "call_") || !p.atWordStart(j, pos) {
		return object{}, false
	}
	name := pos + len("call_")
	at := p.find.stop(" \t\n[(", name, j.end)
	if at == name || at == j.end {
		return object{}, false
	}
	if p.src[at] == '[' {
		after, _, ok := p.find.pair(at, j.end)
		if !ok {
			return object{}, false
		}
		at = after
	}
	if at == j.end || p.src[at] != '(' {
		return object{}, false
	}
	end, _, ok := p.find.pair(at, j.end)
	if !ok {
		return object{}, false
	}
	if end < j.end && p.src[end] == '[' {
		if after, _, ok := p.find.pair(end, j.end); ok {
			end = after
		}
	}
	return object{kind: KindInlineCall, start: pos, end: end}, true
}

// InlineResult returns the macro {{{results(…)}}} that follows an inline
// source block or call, with the blanks before it: the bytes that a new
// result replaces. The node must come from [Document.Objects].
func (n *Node) InlineResult() (Span, bool) {
	next := n.next
	start := n.end
	if next != nil && next.kind == KindText && strings.Trim(next.Text(), " \t\r\n") == "" {
		next = next.next
	}
	if next == nil || next.kind != KindMacro {
		return Span{}, false
	}
	if m, _ := next.Macro(); !strings.EqualFold(m.Key.Text, "results") {
		return Span{}, false
	}
	return Span{start, next.end}, true
}
