package lsp

import (
	"slices"
	"strings"

	"wb/org"
)

// symbolKind says what a symbol names.
type symbolKind string

const (
	symbolName     symbolKind = "name"      // #+NAME:, and what :var, calls, noweb and links say of it
	symbolPort     symbolKind = "port"      // :out: of a component, and the inputs it feeds
	symbolInput    symbolKind = "input"     // an input that nothing in the file produces
	symbolID       symbolKind = "id"        // :ID:, shared by all files
	symbolCustomID symbolKind = "custom-id" // :CUSTOM_ID:
	symbolHeadline symbolKind = "headline"  // a title, and links to it
	symbolTarget   symbolKind = "target"    // <<target>>
	symbolFootnote symbolKind = "footnote"  // [fn:label]
	symbolChunk    symbolKind = "chunk"     // :noweb-ref
	symbolMacro    symbolKind = "macro"     // #+MACRO:
	symbolSession  symbolKind = "session"   // :session
	symbolLabel    symbolKind = "label"     // (ref:label) in code
)

// symbol is one thing with a name. Keys compare as Org does.
type symbol struct {
	kind symbolKind
	key  string
}

// occurrence is a place where a symbol stands.
type occurrence struct {
	symbol symbol
	span   org.Span // of the name alone
	def    bool     // it is defined here
	// spell writes a new name as this place has to have it; nil writes it as
	// it is.
	spell func(name string) string
}

// text is the new name as it is to stand here.
func (o occurrence) text(name string) string {
	if o.spell == nil {
		return name
	}
	return o.spell(name)
}

// index holds every occurrence of every symbol of a text, by place.
type index struct {
	all      []occurrence
	bySymbol map[symbol][]int
}

// at is the occurrence that holds an offset, or ends there.
func (x *index) at(offset int) (occurrence, bool) {
	i, exact := slices.BinarySearchFunc(x.all, offset, func(o occurrence, at int) int { return o.span.Start - at })
	if exact {
		return x.all[i], true
	}
	if i > 0 && offset <= x.all[i-1].span.End {
		return x.all[i-1], true
	}
	return occurrence{}, false
}

// of are the occurrences of a symbol, by place.
func (x *index) of(s symbol) []occurrence {
	list := make([]occurrence, 0, len(x.bySymbol[s]))
	for _, i := range x.bySymbol[s] {
		list = append(list, x.all[i])
	}
	return list
}

// defined reports whether the text defines a symbol.
func (x *index) defined(s symbol) bool {
	return slices.ContainsFunc(x.bySymbol[s], func(i int) bool { return x.all[i].def })
}

// names lists the defined names of the given kinds as written, sorted.
func (x *index) names(source string, kinds ...symbolKind) []string {
	var names []string
	for _, o := range x.all {
		if o.def && slices.Contains(kinds, o.symbol.kind) {
			names = append(names, source[o.span.Start:o.span.End])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// settle sorts what was gathered and drops what stands twice: header arguments
// in a drawer belong to many blocks.
func (x *index) settle() {
	slices.SortStableFunc(x.all, func(a, b occurrence) int {
		if a.span.Start != b.span.Start {
			return a.span.Start - b.span.Start
		}
		return a.span.End - b.span.End
	})
	x.all = slices.CompactFunc(x.all, func(a, b occurrence) bool { return a.span == b.span })
	x.bySymbol = map[symbol][]int{}
	for i, o := range x.all {
		x.bySymbol[o.symbol] = append(x.bySymbol[o.symbol], i)
	}
}

// indexer gathers occurrences.
type indexer struct {
	*analysis
	index
	resolved map[string]symbol
	outs     map[string]string // component by output, the first in the file
	targets  map[string]symbolKind
}

func buildIndex(a *analysis) *index {
	x := &indexer{analysis: a, resolved: map[string]symbol{}, outs: map[string]string{}, targets: map[string]symbolKind{}}
	for _, c := range a.plan().Components {
		for _, out := range c.Out {
			if _, taken := x.outs[out]; !taken && c.Node() != nil && c.Name != out {
				x.outs[out] = c.ID
			}
		}
	}
	x.collectNames()
	x.collectDrawers()
	x.collectBlocks()
	x.collectCalls()
	x.collectKeywords()
	x.collectText()
	x.settle()
	return &x.index
}

func (x *indexer) add(s symbol, at int, name string, def bool) {
	x.addSpan(s, org.Span{Start: at, End: at + len(name)}, def, nil)
}

func (x *indexer) addSpan(s symbol, span org.Span, def bool, spell func(string) string) {
	if span.Len() > 0 && span.Start >= 0 {
		x.all = append(x.all, occurrence{symbol: s, span: span, def: def, spell: spell})
	}
}

// nameSymbol is the symbol of a #+NAME, whose case Org ignores.
func nameSymbol(name string) symbol { return symbol{symbolName, strings.ToLower(name)} }

func portSymbol(component, port string) symbol { return symbol{symbolPort, component + "\x00" + port} }

// reference is the symbol that a name in :var, a call or the like means: what
// carries the #+NAME, else an output, else a headline's id, else a :noweb-ref.
func (x *indexer) reference(name string) symbol {
	if s, known := x.resolved[name]; known {
		return s
	}
	s := nameSymbol(name)
	if _, named := x.doc.Named(name); !named {
		if component, ok := x.outs[name]; ok {
			s = portSymbol(component, name)
		} else if id, ok := x.headlineID(name); ok {
			s = id
		}
	}
	x.resolved[name] = s
	return s
}

// headlineID is the symbol of a headline's CUSTOM_ID or ID.
func (x *indexer) headlineID(name string) (symbol, bool) {
	for h := range x.doc.Headlines() {
		if id, _ := h.Property("CUSTOM_ID"); id == name {
			return symbol{symbolCustomID, name}, true
		}
		if id, _ := h.Property("ID"); id == name {
			return symbol{symbolID, name}, true
		}
	}
	return symbol{}, false
}

// normalTitle folds case and white space, as Org does when it follows a link.
func normalTitle(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(title), " "))
}

func headlineSymbol(title string) symbol { return symbol{symbolHeadline, normalTitle(title)} }
