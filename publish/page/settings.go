package page

import (
	"slices"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// settings are the values of #+OPTIONS: and its kin, with Org's defaults. Two
// differ: sections have no numbers unless num:t asks for them, and headings of
// any depth stay headings unless H: says otherwise.
type settings struct {
	toc       int    // levels of headings in the contents; 0 is none
	tocSet    bool   // the author asked
	num       int    // levels that have numbers; 0 is none
	depth     int    // H: headings below become list items; 0 is no bound
	scripts   string // ^: "t", "{}" or "nil"
	tags      string // "t", "nil" or "not-in-toc"
	drawers   only
	tasks     only
	stamps    string // <: "t", "nil", "active" or "inactive"
	tex       string // "t", "nil" or "verbatim"
	archived  string // "headline", "t" or "nil"
	broken    string // broken-links: "nil", "mark" or "t"
	keep      bool   // \n: line breaks stay
	smart     bool   // ': curly quotes
	odd       bool   // headlines have odd numbers of stars
	special   bool   // -: dashes and dots
	emphasis  bool   // *
	entities  bool   // e
	fixed     bool   // :
	footnotes bool   // f
	tables    bool   // |
	todo      bool
	priority  bool // pri
	planning  bool // p
	clocks    bool // c
	cookies   bool // stat
	props     only // prop
	title     bool
	author    bool
	date      bool
	email     bool
	creator   bool

	selected, excluded []string // #+SELECT_TAGS, #+EXCLUDE_TAGS
}

// only is t, nil, or a list of names that are meant, or not meant.
type only struct {
	all   bool
	names []string
	not   bool
}

func (o only) has(name string) bool {
	if len(o.names) == 0 {
		return o.all
	}
	return slices.ContainsFunc(o.names, func(n string) bool { return strings.EqualFold(n, name) }) != o.not
}

func readOnly(value string) only {
	list, ok := strings.CutPrefix(value, "(")
	if !ok {
		return only{all: value != "nil", names: nil}
	}
	words := strings.Fields(strings.TrimSuffix(list, ")"))
	for i, w := range words {
		words[i] = strings.Trim(w, `"`)
	}
	if len(words) > 0 && words[0] == "not" {
		return only{names: words[1:], not: true}
	}
	return only{names: words}
}

// optionForm is one key:value of #+OPTIONS:; a value may be a list or quoted.
var optionForm = lazyregexp.New(`([^\s:]+|:):(\([^)]*\)|"[^"]*"|\S*)`)

func readSettings(doc *org.Document) settings {
	s := settings{toc: 3, scripts: "t", tags: "t", stamps: "t", tex: "t", archived: "headline", broken: "nil", drawers: only{names: []string{"LOGBOOK"}, not: true},
		tasks: only{all: true}, special: true, emphasis: true, entities: true, fixed: true, footnotes: true, tables: true, todo: true, cookies: true,
		title: true, author: true, date: true, selected: []string{"export"}, excluded: []string{"noexport"}}
	for k := range doc.Keywords("OPTIONS", "SELECT_TAGS", "EXCLUDE_TAGS", "STARTUP") {
		switch k.Name() {
		case "STARTUP":
			for _, word := range strings.Fields(k.Value.Text) {
				s.odd = word == "odd" || s.odd && word != "oddeven"
			}
		case "SELECT_TAGS":
			s.selected = strings.Fields(k.Value.Text)
		case "EXCLUDE_TAGS":
			s.excluded = strings.Fields(k.Value.Text)
		default:
			for _, m := range optionForm.FindAllStringSubmatch(k.Value.Text, -1) {
				s.set(m[1], strings.Trim(m[2], `"`))
			}
		}
	}
	return s
}

// level is how deep a headline is: with #+STARTUP: odd, two stars are one level.
func (s *settings) level(h org.Headline) int {
	if s.odd {
		return h.Level/2 + 1
	}
	return h.Level
}

func (s *settings) set(key, value string) {
	if value == "" {
		return
	}
	yes := value != "nil"
	if flag := s.flag(key); flag != nil {
		*flag = yes
		return
	}
	switch key {
	case "toc":
		s.toc, s.tocSet = levels(value, 3), true
	case "num":
		s.num = levels(value, 1000)
	case "H":
		s.depth = max(0, levels(value, 0))
	case "^":
		s.scripts = value
	case "tags":
		s.tags = value
	case "<":
		s.stamps = value
	case "tex":
		s.tex = value
	case "arch":
		s.archived = value
	case "broken-links":
		s.broken = value
	case "d":
		s.drawers = readOnly(value)
	case "prop":
		s.props = readOnly(value)
	case "tasks":
		s.tasks = readOnly(value)
		if value == "todo" || value == "done" {
			s.tasks = only{names: []string{":" + value}}
		}
	}
}

// flag is the option that a key switches on or off.
func (s *settings) flag(key string) *bool {
	return map[string]*bool{`\n`: &s.keep, "'": &s.smart, "-": &s.special, "*": &s.emphasis, "e": &s.entities, ":": &s.fixed, "f": &s.footnotes,
		"|": &s.tables, "todo": &s.todo, "pri": &s.priority, "p": &s.planning, "c": &s.clocks, "stat": &s.cookies, "title": &s.title,
		"author": &s.author, "date": &s.date, "email": &s.email, "creator": &s.creator}[key]
}

// levels reads t, nil or a number.
func levels(value string, t int) int {
	switch n, err := strconv.Atoi(value); {
	case value == "nil":
		return 0
	case err == nil:
		return max(0, n)
	}
	return t
}

// setting is the value of a keyword; several lines are joined.
func (w *writer) setting(name string) string {
	var parts []string
	for k := range w.doc.Keywords(name) {
		if k.Value.Text != "" {
			parts = append(parts, k.Value.Text)
		}
	}
	return strings.Join(parts, " ")
}

// shownTrees decides which sections readers see.
type shownTrees struct {
	doc      *org.Document
	s        *settings
	selected map[int]bool // sections on the way to or below a select tag; nil without one
}

func newShownTrees(doc *org.Document, s *settings) *shownTrees {
	t := &shownTrees{doc: doc, s: s}
	for h := range doc.Headlines() {
		if !hasAny(h, s.selected) {
			continue
		}
		if t.selected == nil {
			t.selected = map[int]bool{}
		}
		for n := range h.Walk() {
			if n.Kind() == org.KindHeadline {
				t.selected[n.Start()] = true
			}
		}
		for a := range h.Ancestors() {
			if a.Kind() == org.KindHeadline {
				t.selected[a.Start()] = true
			}
		}
	}
	return t
}

// shown reports whether a node stands in no hidden section.
func (t *shownTrees) shown(n *org.Node) bool {
	for a := n; a != nil; a = a.Parent() {
		if h, ok := a.Headline(); ok && (t.hidden(h) || a != n && t.titleOnly(h)) {
			return false
		}
	}
	return true
}

func hasAny(h org.Headline, tags []string) bool {
	if !h.TagList.Present() {
		return false
	}
	return slices.ContainsFunc(h.LocalTags(), func(tag string) bool { return slices.Contains(tags, tag) })
}

// footnoteSection is where Org keeps definitions; readers find them at the end.
const footnoteSection = "Footnotes"

// hidden reports whether a section is not shown, as in Emacs.
func (t *shownTrees) hidden(h org.Headline) bool {
	return h.Title.Text == footnoteSection || t.private(h)
}

// private reports whether a section is not for readers.
func (t *shownTrees) private(h org.Headline) bool {
	switch {
	case h.Comment, hasAny(h, t.s.excluded):
		return true
	case t.selected != nil && !t.selected[h.Start()]:
		return true
	case t.s.archived == "nil" && h.Archived():
		return true
	case h.Keyword.Present():
		state := ":todo"
		if h.Done {
			state = ":done"
		}
		return !t.s.tasks.has(h.Keyword.Text) && !t.s.tasks.has(state)
	}
	return false
}

// titleOnly reports whether an archived section shows its heading alone.
func (t *shownTrees) titleOnly(h org.Headline) bool {
	return t.s.archived == "headline" && h.Archived()
}
