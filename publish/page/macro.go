package page

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
)

// macros expands {{{name(args)}}} as ox does: on the text, so that what a
// macro stands for may be anything. What a date or a clock would give differs
// from one build to the next and is refused.
type macros struct {
	lisp      Lisp // evaluates (eval …); see macro_lisp.go
	templates map[string]string
	counters  map[string]int
	file      string
	found     []diag.Finding
	told      map[int]bool // places of macros that were complained about
	all       bool         // false: only {{{results(…)}}}
}

// maxMacros bounds how often macros may stand for macros, maxGrowth how many
// bytes they may add.
const (
	maxMacros = 20
	maxGrowth = 256 << 10
)

var parsedKeywords = []string{"TITLE", "SUBTITLE", "AUTHOR", "DATE", "EMAIL", "DESCRIPTION", "KEYWORDS"}

// expand is the text without macros; unknown ones stay.
func (m *macros) expand(ctx context.Context, t *text) *text {
	given, last := t, 0
	for range maxMacros {
		if len(t.data) > len(given.data)+maxGrowth {
			break
		}
		if !strings.Contains(t.data, "{{{") {
			return t
		}
		doc := org.Parse([]byte(t.data))
		if m.all {
			m.define(doc)
		}
		var splices []splice
		var calls lispCalls
		done := 0
		replace := func(n *org.Node) {
			macro, ok := n.Macro()
			if !ok || n.Start() < done {
				return
			}
			end := n.Start() + len(strings.TrimRight(n.Text(), " \t\n"))
			if body, is := m.lispBody(macro); is {
				calls = append(calls, &lispCall{name: macro.Key.Text, body: body, args: arguments(macro), start: n.Start(), end: end})
				done = end
			} else if with, ok := m.value(t, doc, macro); ok {
				splices = append(splices, splice{n.Start(), end, t.literal(n.Start(), with)})
				done = end
			}
		}
		for n := range doc.Nodes(org.KindParagraph, org.KindHeadline, org.KindItem, org.KindVerseBlock, org.KindTableRow, org.KindAffiliated, org.KindKeyword) {
			var objects *org.Node
			if k, ok := n.Keyword(); ok && n.Kind() == org.KindKeyword {
				if !isParsed(k.Name()) {
					continue
				}
				objects = doc.ObjectsIn(k.Value.Span)
			} else {
				objects = doc.Objects(n)
			}
			if objects == nil || !strings.Contains(objects.Text(), "{{{") {
				continue
			}
			for o := range objects.Walk() {
				if o.Kind() == org.KindMacro {
					replace(o)
				}
			}
		}
		splices = append(splices, m.evaluate(ctx, t, calls)...)
		if len(splices) == 0 {
			return t
		}
		slices.SortFunc(splices, func(a, b splice) int { return a.start - b.start })
		last = splices[0].start
		t = t.spliced(splices)
	}
	m.complain(t, min(last, len(t.data)), "macro", "macros expand to each other endlessly", "")
	return given
}

func isParsed(name string) bool {
	for _, k := range parsedKeywords {
		if k == name {
			return true
		}
	}
	return false
}

// define reads the document's #+MACRO lines; the last of a name counts.
func (m *macros) define(doc *org.Document) {
	if m.templates == nil {
		m.templates = map[string]string{}
	}
	for k := range doc.Keywords("MACRO") {
		name, template, _ := strings.Cut(k.Value.Text, " ")
		m.templates[strings.ToLower(name)] = strings.TrimSpace(template)
	}
}

func (m *macros) complain(t *text, at int, code, message, hint string) {
	pos := t.position(at)
	key := pos.Line<<12 + pos.Col
	if m.told == nil {
		m.told = map[int]bool{}
	}
	if !m.told[key] {
		m.told[key] = true
		m.found = append(m.found, diag.Finding{Pos: pos, Severity: diag.Warning, Code: code, Message: message, Hint: hint})
	}
}

// value is the expansion of a macro.
func (m *macros) value(t *text, doc *org.Document, macro org.Macro) (string, bool) {
	name := strings.ToLower(macro.Key.Text)
	args := arguments(macro)
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	if name == "results" {
		if len(macro.Args) == 0 {
			return "", true
		}
		whole := t.data[macro.Args[0].Start:macro.Args[len(macro.Args)-1].End]
		return escapedComma.ReplaceAllString(whole, "$1,"), true
	}
	if !m.all {
		return "", false
	}
	if template, ok := m.templates[name]; ok {
		return parameter.ReplaceAllStringFunc(template, func(p string) string {
			i, _ := strconv.Atoi(p[1:])
			return arg(i - 1)
		}), true
	}
	setting := func(key string) (string, bool) {
		k, ok := doc.Setting(key)
		return k.Text, ok
	}
	switch name {
	case "author", "email", "title":
		s, _ := setting(name)
		return s, true
	case "date":
		s, _ := setting("date")
		return s, true
	case "keyword":
		s, _ := setting(arg(0))
		return s, true
	case "property":
		h, ok := doc.Headline(macro.Node)
		if ok {
			if v, ok := doc.Property(h.Node, arg(0)); ok {
				return v, true
			}
		}
		return "", true
	case "input-file":
		return path.Base(m.file), true
	case "n":
		return m.count(arg(0), arg(1)), true
	case kbdMacro:
		return keys(arg(0)), true
	case "time", "modification-time":
		m.complain(t, macro.Start(), "macro", name+" differs from one build to the next", "write the date, or {{{date}}} with #+DATE:")
		return "", false
	}
	m.complain(t, macro.Start(), "macro", "no macro is named "+macro.Key.Text, "define it: #+MACRO: "+macro.Key.Text+" …")
	return "", false
}

// arguments are those of a macro's call, without the backslashes before commas.
func arguments(macro org.Macro) []string {
	args := make([]string, len(macro.Args))
	for i, arg := range macro.Args {
		args[i] = strings.ReplaceAll(arg.Text, `\,`, ",")
	}
	return args
}

// count is {{{n(name, action)}}}.
func (m *macros) count(name, action string) string {
	if m.counters == nil {
		m.counters = map[string]int{}
	}
	switch n, err := strconv.Atoi(action); {
	case action == "-":
		m.counters[name] = max(1, m.counters[name])
	case action == "":
		m.counters[name]++
	case err == nil:
		m.counters[name] = n
	default:
		m.counters[name] = 1
	}
	return strconv.Itoa(m.counters[name])
}

var (
	parameter    = lazyregexp.New(`\$[0-9]`)
	escapedComma = lazyregexp.New(`\\((?:\\\\)*),`)
)
