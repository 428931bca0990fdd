package lsp

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle"
	"wb/workbook"
)

// collectNames finds #+NAME: lines and the results that carry a name.
func (x *indexer) collectNames() {
	for n := range x.doc.Nodes(org.KindAffiliated) {
		if k, ok := n.Keyword(); ok && k.Name() == "NAME" {
			x.add(nameSymbol(k.Value.Text), k.Value.Start, k.Value.Text, true)
		}
	}
	for r := range x.doc.Results() {
		if r.Name.Text != "" {
			x.add(nameSymbol(r.Name.Text), r.Name.Start, r.Name.Text, false)
		}
	}
}

// collectDrawers finds ids, ports and what names them in property drawers, and
// the titles of headlines.
func (x *indexer) collectDrawers() {
	declared := x.byHeadline()
	for h := range x.doc.Headlines() {
		if h.Title.Text != "" {
			x.addSpan(headlineSymbol(h.Title.Text), h.Title.Span, true, nil)
		}
		c := declared[h.Node]
		for p := range h.Properties() {
			x.property(c, p)
		}
	}
}

// byHeadline are the components that headlines declare.
func (a *analysis) byHeadline() map[*org.Node]*workbook.Component {
	declared := map[*org.Node]*workbook.Component{}
	for _, c := range a.plan().Components {
		if c.Dialect != workbook.DialectBabel && c.Headline() != nil {
			declared[c.Headline()] = c
		}
	}
	return declared
}

func (x *indexer) property(c *workbook.Component, p org.Property) {
	switch {
	case p.Is("ID"):
		x.add(symbol{symbolID, p.Value.Text}, p.Value.Start, p.Value.Text, true)
	case p.Is("CUSTOM_ID"):
		x.add(symbol{symbolCustomID, p.Value.Text}, p.Value.Start, p.Value.Text, true)
	case strings.HasPrefix(strings.ToLower(p.Key.Text), "header-args"):
		x.inherited(p.Key.Text, p.Value, 0)
	case p.Is("BLOCKER"):
		for _, w := range words(p.Value, " \t,()\"") {
			id := strings.TrimPrefix(w.Text, "id:")
			x.add(symbol{symbolID, id}, w.End-len(id), id, false)
		}
	case c == nil:
	case p.Is("in"):
		for _, w := range words(p.Value, " \t") {
			x.add(x.input(c, w.Text), w.Start, w.Text, false)
		}
	case p.Is("out"):
		for _, w := range words(p.Value, " \t") {
			x.add(portSymbol(c.ID, w.Text), w.Start, w.Text, true)
		}
	case p.Is("deps"):
		for _, w := range words(p.Value, " \t,") {
			x.dependency(w)
		}
	case p.Is("sig"):
		x.signature(c, p.Value)
	case strings.HasPrefix(strings.ToLower(p.Key.Text), "default-"):
		name := p.Key.Text[len("default-"):]
		x.add(x.input(c, name), p.Key.Start+len("default-"), name, false)
	}
}

// input is the symbol of a component's input: the output that feeds it, or an
// input of the whole file.
func (x *indexer) input(c *workbook.Component, name string) symbol {
	for _, in := range c.In {
		if in.Name != name || in.From.Component == "" {
			continue
		}
		from := x.plan().Component(in.From.Component)
		if from == nil {
			break
		}
		if from.Dialect == workbook.DialectBabel && from.Name != "" {
			return nameSymbol(from.Name)
		}
		return portSymbol(from.ID, name)
	}
	return symbol{symbolInput, name}
}

// dependency is a name in a drawer's :deps:, which means a component by its
// #+NAME or by the slug of its heading.
func (x *indexer) dependency(w org.Token) {
	c := x.plan().Component(w.Text)
	if c == nil || c.Name != "" && strings.EqualFold(c.Name, w.Text) {
		x.add(x.reference(w.Text), w.Start, w.Text, false)
		return
	}
	if c.Dialect == workbook.DialectBabel || c.Title == "" {
		return
	}
	slug := strings.LastIndexByte(w.Text, '/') + 1
	x.addSpan(headlineSymbol(c.Title), org.Span{Start: w.Start + slug, End: w.End}, false, workbook.Slug)
}

// sigName is a parameter or a named result of a :sig:.
var sigName = lazyregexp.New(`([A-Za-z_][\w-]*)\s*:`)

// signature finds the ports that a :sig: names: results stand behind the arrow.
func (x *indexer) signature(c *workbook.Component, v org.Token) {
	arrow := strings.LastIndex(v.Text, "->")
	for _, m := range sigName.FindAllStringSubmatchIndex(v.Text, -1) {
		name := v.Text[m[2]:m[3]]
		if arrow >= 0 && m[2] > arrow {
			x.add(portSymbol(c.ID, name), v.Start+m[2], name, false)
		} else {
			x.add(x.input(c, name), v.Start+m[2], name, false)
		}
	}
}

// collectBlocks finds what header arguments and bodies of source blocks name.
func (x *indexer) collectBlocks() {
	owners := map[*org.Node]*workbook.Component{}
	for _, c := range x.plan().Components {
		if c.Node() != nil {
			owners[c.Node()] = c
		}
	}
	for b := range x.doc.Blocks(org.KindSrcBlock) {
		c := owners[b.Node]
		for _, level := range x.doc.ArgLevels(b.Node) {
			x.arguments(c, b.Lang.Text, level)
		}
		x.body(b)
	}
	for _, c := range x.plan().Components {
		if c.Kind != workbook.KindInline {
			continue
		}
		for _, level := range x.doc.ArgLevels(c.Node()) {
			x.arguments(c, c.Lang, level)
		}
	}
}

// arguments finds names in header arguments. c is nil for a block that is no
// component.
func (x *indexer) arguments(c *workbook.Component, lang string, args []org.Arg) {
	for _, a := range args {
		if a.At.Len() == 0 {
			continue
		}
		value := x.doc.Token(a.At)
		switch strings.ToLower(a.Key) {
		case ":var":
			if _, expr, ok := strings.Cut(value.Text, "="); ok {
				x.expression(expr, value.End-len(expr))
			} else {
				x.expression(value.Text, value.Start)
			}
		case ":stdin", ":post":
			x.expression(value.Text, value.Start)
		case ":noweb-ref":
			x.add(symbol{symbolChunk, value.Text}, value.Start, value.Text, true)
		case ":session":
			if w := words(value, " \t"); len(w) == 1 && w[0].Text != "none" && w[0].Text != "no" && w[0].Text != "yes" {
				x.add(symbol{symbolSession, lang + "\x00" + w[0].Text}, w[0].Start, w[0].Text, false)
			}
		case ":in":
			for _, w := range words(value, " \t") {
				if c != nil && c.Dialect != workbook.DialectBabel {
					x.add(x.input(c, w.Text), w.Start, w.Text, false)
				}
			}
		case ":out":
			for _, w := range words(value, " \t") {
				if c != nil && c.Dialect != workbook.DialectBabel {
					x.add(portSymbol(c.ID, w.Text), w.Start, w.Text, true)
				}
			}
		}
	}
}

// expression finds the name in a reference such as totals(n=other)[0], and in
// its arguments.
func (x *indexer) expression(expr string, at int) {
	trimmed := strings.TrimLeft(expr, " \t")
	at += len(expr) - len(trimmed)
	expr = strings.TrimRight(trimmed, " \t")
	if expr == "" || strings.ContainsAny(expr[:1], "\"'`(0123456789-*[") {
		return
	}
	ref := workbook.ParseReference(expr)
	if ref.File != "" || ref.Name == "" {
		return
	}
	name := strings.Index(expr, ref.Name)
	if name < 0 {
		return
	}
	if s := x.reference(ref.Name); s.kind != symbolName || x.isNamed(ref.Name) || ref.Call || isName(ref.Name) {
		x.add(s, at+name, ref.Name, false)
	}
	rest := name + len(ref.Name)
	for _, arg := range ref.Args {
		i := strings.Index(expr[rest:], arg)
		if i < 0 {
			continue
		}
		start := rest + i
		rest = start + len(arg)
		if _, inner, ok := strings.Cut(arg, "="); ok {
			x.expression(inner, at+rest-len(inner))
		} else {
			x.expression(arg, at+start)
		}
	}
}

func (x *indexer) isNamed(name string) bool {
	_, ok := x.doc.Named(name)
	return ok
}

var nameShape = lazyregexp.New(`^[\pL_][^\s()\[\]"',;]*$`)

// isName reports whether a word could be the name of something.
func isName(word string) bool { return nameShape.MatchString(word) && word != "t" && word != "nil" }

// nowebShape is a noweb reference in a body, and labelShape a label of code.
var (
	nowebShape = lazyregexp.New(`<<([^<>\s](?:[^<>\n]*[^<>\s])?)>>`)
	labelShape = lazyregexp.New(`\(ref:([-\w]+)\)`)
)

// body finds noweb references and code labels in a source block.
func (x *indexer) body(b org.Block) {
	text := x.doc.Text(b.Body)
	if strings.Contains(text, "<<") && x.usesNoweb(b) {
		for _, m := range nowebShape.FindAllStringSubmatchIndex(text, -1) {
			x.include(text[m[2]:m[3]], b.Body.Start+m[2])
		}
	}
	if strings.Contains(text, "(ref:") {
		for _, m := range labelShape.FindAllStringSubmatchIndex(text, -1) {
			x.add(symbol{symbolLabel, text[m[2]:m[3]]}, b.Body.Start+m[2], text[m[2]:m[3]], true)
		}
	}
}

func (x *indexer) usesNoweb(b org.Block) bool {
	switch x.doc.HeaderArgs(b.Node).Value(":noweb") {
	case "", "no", "nil", "none":
		return false
	}
	return true
}

// include is one noweb reference.
func (x *indexer) include(id string, at int) {
	if tangle.IsCall(id) {
		x.expression(id, at)
		return
	}
	s := x.reference(id)
	if s.kind == symbolName && !x.isNamed(id) {
		for _, b := range x.sourceBlocks() {
			if x.doc.HeaderArgs(b.Node).Value(":noweb-ref") == id {
				s = symbol{symbolChunk, id}
				break
			}
		}
	}
	x.add(s, at, id, false)
}

// collectCalls finds what #+CALL: lines and calls in text name.
func (x *indexer) collectCalls() {
	for _, c := range x.plan().Components {
		if c.Kind != workbook.KindCall && c.Kind != workbook.KindInlineCall {
			continue
		}
		call, ok := c.Node().Call()
		if !ok {
			continue
		}
		x.expression(call.Target.Text, call.Target.Start)
		for _, arg := range call.Arguments {
			expr := arg.Text
			if _, after, ok := strings.Cut(expr, "="); ok {
				expr = after
			}
			x.expression(expr, arg.End-len(expr))
		}
		for _, level := range x.doc.CallLevels(call, c.Lang) {
			x.arguments(nil, c.Lang, level)
		}
	}
}

// remoteTable is a formula's reference to another table.
var remoteTable = lazyregexp.New(`remote\(\s*([^\s,()]+)`)

// collectKeywords finds names in formulas, expectations and macros.
func (x *indexer) collectKeywords() {
	for n := range x.doc.Nodes(org.KindTableFormula) {
		for _, m := range remoteTable.FindAllStringSubmatchIndex(n.Text(), -1) {
			name := n.Text()[m[2]:m[3]]
			x.add(x.reference(name), n.Start()+m[2], name, false)
		}
	}
	for k := range x.doc.Keywords("EXPECT", "MACRO", "PROPERTY") {
		w := words(k.Value, " \t")
		switch {
		case len(w) == 0:
		case k.Name() == "PROPERTY":
			x.inherited(w[0].Text, k.Value, w[0].Len())
		case k.Name() == "MACRO":
			x.add(symbol{symbolMacro, strings.ToLower(w[0].Text)}, w[0].Start, w[0].Text, true)
		case w[0].Text != "lint":
			x.expectation(w[0])
		}
	}
}

// inherited finds names in header arguments for many blocks: those of a
// property "header-args" or "header-args:LANG", whether there are such blocks or
// not. They stand in the value from an offset on.
func (x *indexer) inherited(key string, value org.Token, from int) {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSuffix(key, "+")), "header-args")
	if !ok || rest != "" && rest[0] != ':' {
		return
	}
	for from < len(value.Text) && (value.Text[from] == ' ' || value.Text[from] == '\t') {
		from++
	}
	x.arguments(nil, strings.TrimPrefix(rest, ":"), org.ParseArgs(value.Text[from:], value.Start+from, org.FromFile))
}

// expectation is the name at the start of #+EXPECT:, an output or a component.
func (x *indexer) expectation(w org.Token) {
	if s := x.reference(w.Text); s.kind != symbolName || x.isNamed(w.Text) {
		x.add(s, w.Start, w.Text, false)
		return
	}
	if c := x.plan().Component(w.Text); c != nil && c.Title == w.Text {
		x.addSpan(headlineSymbol(c.Title), w.Span, false, nil)
	}
}

// words cuts a token at any of the given characters.
func words(t org.Token, separators string) []org.Token {
	var list []org.Token
	start := -1
	for i := 0; i <= len(t.Text); i++ {
		if i < len(t.Text) && strings.IndexByte(separators, t.Text[i]) < 0 {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			list = append(list, org.Token{Span: org.Span{Start: t.Start + start, End: t.Start + i}, Text: t.Text[start:i]})
			start = -1
		}
	}
	return list
}
