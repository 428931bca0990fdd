package interp

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// A word becomes fields in the order that POSIX gives: braces, tilde, then
// parameters, commands and arithmetic, splitting at IFS, and names of files.
// Between those steps its text is a list of runs, each of which remembers what
// may still happen to it, so that nothing is quoted and read again.

// kind says what may still happen to the text of a run.
type kind uint8

const (
	written kind = iota // stands in the script: may be a pattern, is not split
	result              // comes from an unquoted expansion: may be a pattern, is split
	quoted              // neither
	border              // no text: the next element of a list is a field of its own
)

type run struct {
	text string
	kind kind
}

// expansion is the expansion of one word.
type expansion struct {
	sh   *Shell
	runs []run
	// joined asks for one string: lists are joined rather than kept apart.
	joined bool
	// value tells that the word is assigned: a tilde counts after colons too.
	value bool
	// document tells that this is a here-document, where " is a character.
	document bool
	// braces counts the ${…} around: \} is a brace there.
	braces int
	// nothing tells that "$@" stood for no field at all.
	nothing bool
}

func (e *expansion) add(text string, k kind) {
	if text != "" || k == quoted {
		e.runs = append(e.runs, run{text, k})
	}
}

// text is the expanded word as one string.
func (e *expansion) text() string {
	if len(e.runs) == 1 {
		return e.runs[0].text
	}
	return joinRuns(e.runs)
}

func joinRuns(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.text)
	}
	return b.String()
}

// fields expands words with splitting and names of files.
func (sh *Shell) fields(words ...*syntax.Word) []string {
	var list []string
	for _, w := range words {
		if text, ok := isPlain(w); ok {
			list = append(list, text)
			continue
		}
		for _, w := range sh.braces(w) {
			e := expansion{sh: sh, value: looksAssigned(w)}
			e.word(w)
			if sh.flow != 0 {
				return nil
			}
			for _, f := range sh.split(e.runs) {
				list = append(list, sh.pathnames(f)...)
				if sh.flow != 0 {
					return nil
				}
			}
		}
	}
	return list
}

// isPlain tells that nothing happens to a word when it is expanded.
func isPlain(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\~*?[{(") {
		return "", false
	}
	return lit.Value, true
}

// looksAssigned tells that a word has the form of an assignment, in which bash
// expands tildes also where it is none.
func looksAssigned(w *syntax.Word) bool {
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || !strings.Contains(lit.Value, "~") {
		return false
	}
	name, _, ok := strings.Cut(lit.Value, "=")
	return ok && syntax.ValidName(name)
}

// braces expands a{b,c} and {1..9}.
func (sh *Shell) braces(w *syntax.Word) []*syntax.Word {
	possible := false
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') >= 0 {
			possible = true
		}
	}
	if !possible || !sh.opts["braceexpand"] {
		return []*syntax.Word{w}
	}
	if list, ok := numberRange(w.Lit()); ok {
		words := make([]*syntax.Word, len(list))
		for i, n := range list {
			words[i] = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: n}}}
		}
		return words
	}
	split := &syntax.Word{Parts: w.Parts}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	var words []*syntax.Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil {
			sh.errorf("%v", err)
			sh.discard()
			return nil
		}
		parts := joinLiterals(one.Parts)
		for _, part := range parts { // {Z..a} passes a backquote, which bash then reads
			if lit, ok := part.(*syntax.Lit); ok && strings.Contains(strings.ReplaceAll(lit.Value, "\\`", ""), "`") {
				sh.errorf("bad substitution: no closing \"`\" in `")
				sh.discard()
				return nil
			}
		}
		words = append(words, &syntax.Word{Parts: parts})
	}
	return words
}

// joinLiterals joins what brace expansion has put side by side: braces come
// before everything else, so ~{/a,/b} has tildes and {$a,b}_c names $a_c.
func joinLiterals(parts []syntax.WordPart) []syntax.WordPart {
	var list []syntax.WordPart
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || len(list) == 0 {
			list = append(list, part)
			continue
		}
		switch before := list[len(list)-1].(type) {
		case *syntax.Lit:
			list[len(list)-1] = &syntax.Lit{Value: before.Value + lit.Value}
			continue
		case *syntax.ParamExp:
			end := 0
			for end < len(lit.Value) && isNameRune(rune(lit.Value[end])) && lit.Value[end] < 128 {
				end++
			}
			if before.Short && syntax.ValidName(before.Param.Value) && end > 0 {
				longer := *before
				longer.Param = &syntax.Lit{Value: before.Param.Value + lit.Value[:end]}
				list[len(list)-1] = &longer
				if end == len(lit.Value) {
					continue
				}
				part = &syntax.Lit{Value: lit.Value[end:]}
			}
		}
		list = append(list, part)
	}
	return list
}

// literal expands a word to one string, without splitting or names of files.
func (sh *Shell) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	e := expansion{sh: sh, joined: true}
	e.word(w)
	return e.text()
}

// assigned expands the value of an assignment.
func (sh *Shell) assigned(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	e := expansion{sh: sh, joined: true, value: true}
	e.word(w)
	return e.text()
}

// document expands the text of a here-document.
func (sh *Shell) document(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	e := expansion{sh: sh, joined: true, document: true}
	e.parts(w.Parts, quoted)
	return e.text()
}

// pattern expands a word to a pattern: what is quoted stands for itself.
func (sh *Shell) pattern(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	e := expansion{sh: sh, joined: true}
	e.word(w)
	return patternOf(e.runs)
}

func patternOf(runs []run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.kind != quoted {
			b.WriteString(r.text)
			continue
		}
		for i := 0; i < len(r.text); i++ {
			if strings.IndexByte(`*?[]\()|@+!-^`, r.text[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(r.text[i])
		}
	}
	return b.String()
}

// regularExpression expands the right side of =~.
func (sh *Shell) regularExpression(w *syntax.Word) string {
	e := expansion{sh: sh, joined: true}
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			e.add(lit.Value, written) // backslashes are the expression's own
			continue
		}
		e.parts([]syntax.WordPart{part}, written)
	}
	var b strings.Builder
	for _, r := range e.runs {
		if r.kind == quoted {
			b.WriteString(regexp.QuoteMeta(r.text))
		} else {
			b.WriteString(r.text)
		}
	}
	return b.String()
}

// word expands a word of the script.
func (e *expansion) word(w *syntax.Word) {
	parts := w.Parts
	if len(parts) > 0 {
		if lit, ok := parts[0].(*syntax.Lit); ok && strings.HasPrefix(lit.Value, "~") {
			rest := e.tilde(lit.Value, len(parts) == 1)
			e.literal(rest, written, len(parts) == 1)
			parts = parts[1:]
		}
	}
	e.parts(parts, written)
}

// tilde adds what a tilde at the start of text stands for and returns the rest
// of text. last tells that nothing follows text.
func (e *expansion) tilde(text string, last bool) (rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return r == '/' || r == ':' && e.value })
	if end < 0 {
		if !last {
			return text
		}
		end = len(text)
	}
	home, ok := "", false
	switch text[1:end] {
	case "":
		home, ok = e.sh.value("HOME"), e.sh.isSet("HOME")
		if !ok {
			home, ok = "/", true
		}
	case "+":
		home, ok = e.sh.value("PWD"), true
	case "-":
		home, ok = e.sh.value("OLDPWD"), e.sh.isSet("OLDPWD")
	case "root":
		home, ok = "/root", true
	}
	if !ok {
		return text
	}
	e.add(home, quoted)
	return text[end:]
}

// parts expands the parts of a word; k is the kind of what is written there.
func (e *expansion) parts(list []syntax.WordPart, k kind) {
	for i, part := range list {
		if e.sh.flow != 0 {
			return
		}
		switch part := part.(type) {
		case *syntax.Lit:
			e.literal(part.Value, k, i == len(list)-1)
		case *syntax.SglQuoted:
			e.single(part, k)
		case *syntax.DblQuoted:
			e.double(part)
		case *syntax.ParamExp:
			e.param(part, k == quoted)
		case *syntax.CmdSubst:
			e.add(e.sh.commandSubstitution(part), e.expanded(k))
		case *syntax.ArithmExp:
			e.add(itoa(e.sh.arithmetic(part.X)), e.expanded(k))
		case *syntax.ProcSubst:
			e.add(e.sh.processSubstitution(part), quoted)
		case *syntax.ExtGlob:
			e.add(part.Op.String(), k)
			e.group(part.Pattern.Value, k)
			e.add(")", k)
		}
	}
}

func (e *expansion) expanded(k kind) kind {
	if k == quoted {
		return quoted
	}
	return result
}

// literal adds text of the script, in which backslashes quote.
func (e *expansion) literal(text string, k kind, last bool) {
	if e.value && k != quoted && strings.Contains(text, "~") {
		for {
			i := strings.Index(text, ":~")
			if j := strings.Index(text, "=~"); j >= 0 && syntax.ValidName(text[:j]) {
				i = j
			}
			if i < 0 {
				break
			}
			e.unescaped(text[:i+1], k)
			text = text[i+1:]
			if rest := e.tilde(text, last); len(rest) < len(text) {
				text = rest
			} else {
				e.add("~", k)
				text = text[1:]
			}
		}
	}
	e.unescaped(text, k)
}

func (e *expansion) unescaped(text string, k kind) {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			e.add(text, k)
			return
		}
		e.add(text[:i], k)
		c := text[i+1]
		switch {
		case c == '\n':
		case k != quoted:
			e.add(text[i+1:i+2], quoted)
		case strings.IndexByte("$`\\", c) >= 0, c == '"' && (!e.document || e.braces > 0), c == '}' && e.braces > 0:
			e.add(text[i+1:i+2], quoted)
		default:
			e.add(text[i:i+2], quoted)
		}
		text = text[i+2:]
	}
}

// single is '…' and $'…'. Between double quotes, in "${x:-'y'}", single quotes
// are characters like any other.
func (e *expansion) single(q *syntax.SglQuoted, k kind) {
	switch {
	case q.Dollar:
		e.add(dollarUnquoted(q.Value), quoted)
	case k == quoted:
		e.add("'", quoted)
		if w := e.sh.program.text(q.Value); w != nil {
			e.parts(w.Parts, quoted)
		}
		e.add("'", quoted)
	default:
		e.add(q.Value, quoted)
	}
}

// double is "…", a field even when it is empty, unless it holds "$@" alone and
// there are no parameters.
func (e *expansion) double(q *syntax.DblQuoted) {
	outer := e.nothing
	e.nothing = false
	before := len(e.runs)
	document := e.document
	e.document = false
	e.parts(q.Parts, quoted)
	e.document = document
	if len(e.runs) == before && !e.nothing {
		e.add("", quoted)
	}
	e.nothing = outer
}

// group adds the inside of an extended pattern such as @(a|$b), which the
// parser leaves as text.
func (e *expansion) group(text string, k kind) {
	for text != "" {
		i := strings.IndexAny(text, `'"\$`+"`")
		if i < 0 {
			e.add(text, k)
			return
		}
		e.add(text[:i], k)
		text = text[i:]
		end := 0
		switch text[0] {
		case '\\':
			end = min(2, len(text))
			e.add(text[1:end], quoted)
		case '\'':
			if end = strings.IndexByte(text[1:], '\'') + 2; end == 1 {
				end = len(text)
			}
			e.add(strings.Trim(text[:end], "'"), quoted)
		default:
			if end = strings.IndexByte(text[1:], text[0]) + 2; text[0] == '$' || end == 1 {
				end = len(text)
				if i := strings.IndexAny(text[1:], `'"|)`); i >= 0 && !strings.HasPrefix(text, "${") && !strings.HasPrefix(text, "$(") {
					end = i + 1
				}
			}
			if text[0] == '"' {
				if w := e.sh.program.text(strings.Trim(text[:end], `"`)); w != nil {
					e.parts(w.Parts, quoted)
				}
			} else if w := e.sh.program.text(text[:end]); w != nil {
				e.parts(w.Parts, k)
			}
		}
		text = text[end:]
	}
}

// separators are the characters of IFS.
func (sh *Shell) separators() string {
	v := sh.vars.find("IFS")
	if v == nil || !v.Set {
		return " \t\n"
	}
	return v.Str
}

// glue stands between the elements of "$*".
func (sh *Shell) glue() string {
	ifs := sh.separators()
	if ifs == "" {
		return ""
	}
	return sh.characters(ifs)[0]
}

// split cuts the runs of a word into fields.
func (sh *Shell) split(runs []run) [][]run {
	if len(runs) == 1 && runs[0].kind != result && runs[0].kind != border {
		return [][]run{runs}
	}
	s := splitter{separators: sh.separators()}
	for _, r := range runs {
		switch r.kind {
		case border:
			s.end(false)
		case result:
			s.result(r.text)
		default:
			s.append(r)
		}
	}
	s.end(false)
	return s.fields
}

// splitter collects fields.
type splitter struct {
	separators string
	fields     [][]run
	field      []run
	open       bool // field has begun
	blank      bool // a blank has ended the last field: one separator may follow
}

func (s *splitter) append(r run) {
	s.field = append(s.field, r)
	s.open, s.blank = true, false
}

func (s *splitter) end(blank bool) {
	if s.open {
		s.fields = append(s.fields, s.field)
		s.field, s.open = nil, false
		s.blank = blank
		return
	}
	s.blank = s.blank && blank
}

// result splits what an expansion gave. Blanks of IFS count as one however many
// they are; every other separator ends a field of its own.
func (s *splitter) result(text string) {
	for text != "" {
		i := strings.IndexAny(text, s.separators)
		if s.separators == "" || i < 0 {
			s.append(run{text, result})
			return
		}
		if i > 0 {
			s.append(run{text[:i], result})
		}
		c := text[i]
		size := 1
		if c >= 0x80 {
			size = len(firstCharacter(text[i:]))
		}
		text = text[i+size:]
		if c == ' ' || c == '\t' || c == '\n' {
			s.end(true)
			continue
		}
		switch {
		case s.open:
			s.end(false)
		case s.blank:
			s.blank = false
		default:
			s.fields = append(s.fields, []run{{"", quoted}})
		}
	}
}
