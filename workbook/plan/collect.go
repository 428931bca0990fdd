package plan

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/value"
	"wb/org"
)

// largeSource is the size from which memory is collected more often than usual.
const largeSource = 64 << 20

// New reads a workbook and finds out how its components hang together.
// file is the name positions carry. src must not change afterwards. New never fails:
// what is wrong stands in Problems.
func New(file string, src []byte) *Plan {
	if len(src) >= largeSource {
		debug.SetGCPercent(20) // trees of such files live long, and garbage may not need as much memory again
	}
	return planDocument(file, org.ParseOwned(src))
}

func planDocument(file string, doc *org.Document) *Plan {
	p := &Plan{File: file, doc: doc, byID: map[string]*Component{}, refs: map[string]*Component{}}
	p.Title = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if title, ok := doc.Setting("TITLE"); ok && title.Text != "" {
		p.Title = title.Text
	}
	p.Slug = Slug(p.Title)
	b := &builder{plan: p, doc: doc, heads: map[*org.Node]*heading{}, ids: map[string]bool{}, counts: map[string]int{},
		elements: map[*org.Node]*Component{}, producers: map[string][]*Component{}}
	if found, bad := notText(file, doc.Source()); bad {
		p.Problems = append(p.Problems, found)
		return p
	}
	b.collect()
	connecting(b).connect()
	checking(b).check()
	return p
}

// collect walks the document once and finds all components.
func (b *builder) collect() {
	for n := range b.doc.All() {
		switch n.Kind() {
		case org.KindHeadline:
			b.heading(n)
			b.inlines(n, n.FirstChild().Text())
		case org.KindSrcBlock:
			if !IsResult(n) {
				b.block(n)
			}
		case org.KindCall:
			if !IsResult(n) {
				b.callLine(n)
			}
		case org.KindParagraph, org.KindVerseBlock:
			if !IsResult(n) {
				b.inlines(n, n.Text())
			}
		}
	}
}

// IsResult reports whether n is, or is part of, what stands under #+RESULTS:.
// Source blocks there are output, not components.
func IsResult(n *org.Node) bool {
	for ; n != nil && n.Kind() != org.KindHeadline; n = n.Parent() {
		for _, k := range n.Affiliated() {
			if k.Name() == "RESULTS" {
				return true
			}
		}
	}
	return false
}

// owner is the meaning of the headline that n stands below, nil above the
// first one.
func (b *builder) owner(n *org.Node) *heading {
	if len(b.heads) == 0 {
		return nil
	}
	for a := range n.Ancestors() {
		if h := b.heads[a]; h != nil {
			return h
		}
	}
	return nil
}

// heading notes what a headline declares: a workflow, a component, or nothing.
func (b *builder) heading(n *org.Node) {
	h, _ := n.Headline()
	up := b.owner(n)
	declares := h.HasTag("workflow") || h.HasTag("component") || declaresPorts(h)
	if !declares && !h.Comment && (up == nil || up.component == nil) {
		return // what holds above holds here, as in most of the headlines of large files
	}
	head := &heading{Headline: h, comment: h.Comment}
	if up != nil {
		head.world = up.world
		head.comment = head.comment || up.comment
	}
	b.heads[n] = head
	switch {
	case head.comment:
	case h.HasTag("workflow"):
		b.world(head)
	case h.HasTag("component") && head.world != nil:
		head.component = b.headingComponent(head, DialectWorkflow, h.Title.Text)
	case declaresPorts(h):
		head.component = b.headingComponent(head, DialectHeading, b.plan.Slug+"/"+Slug(h.Title.Text))
	}
	if c := head.component; c != nil && h.HasTag("agent") {
		b.agentHeading(c, head)
		head.component = nil // blocks below it are its own, not its code
	}
}

func declaresPorts(h org.Headline) bool {
	for p := range h.Properties() {
		if p.Is("in") || p.Is("out") || p.Is("deps") || p.Is("sig") {
			return true
		}
	}
	return false
}

func (b *builder) world(h *heading) {
	w := &World{Name: h.Title.Text, Parent: h.world, Pos: b.position(h.Start()), Schedule: scheduleOf(h.Headline)}
	beside := &b.plan.Worlds
	if h.world != nil {
		beside = &h.world.Worlds
		w.id = h.world.id + "/"
	}
	w.id += w.Name
	if n := len(slices.DeleteFunc(slices.Clone(*beside), func(o *World) bool { return o.Name != w.Name })); n > 0 {
		w.id += fmt.Sprintf(" (%d)", n+1)
	}
	*beside = append(*beside, w)
	h.world = w
}

// headingComponent declares a component whose block is yet to come.
func (b *builder) headingComponent(h *heading, dialect Dialect, id string) *Component {
	c := &Component{ID: b.newID(id), Kind: KindBlock, Dialect: dialect, Title: h.Title.Text,
		Pos: b.position(h.Start()), headline: h.Node, span: h.Line}
	if dialect == DialectWorkflow {
		c.World = h.world
		h.world.Components = append(h.world.Components, c)
	}
	b.drawerPorts(c, h.Headline)
	return b.add(c)
}

// drawerPorts reads :in: :out: :deps: :sig: :uses: :exec: from a property drawer.
func (b *builder) drawerPorts(c *Component, h org.Headline) {
	for p := range h.Properties() {
		words := strings.Fields(p.Value.Text)
		at := b.position(p.Value.Start)
		switch {
		case p.Is("in"):
			for _, name := range words {
				c.In = append(c.In, Input{Name: name, Pos: at, Default: defaultOf(h, name)})
			}
		case p.Is("out"):
			c.Out = append(c.Out, words...)
		case p.Is("deps"):
			for _, dep := range words {
				c.Deps = append(c.Deps, strings.Trim(dep, ","))
			}
		case p.Is("uses"):
			c.Uses = append(c.Uses, words...)
		case p.Is("exec"):
			c.exec = p.Value.Text
		case p.Is("sig"):
			c.sigPos = p.Value.Span
			c.Sig, c.sigErr = value.ParseSig(p.Value.Text)
		}
	}
	b.portsFromSig(c, h)
}

// portsFromSig takes from the signature what the drawer does not say.
func (b *builder) portsFromSig(c *Component, h org.Headline) {
	if c.Sig == nil {
		return
	}
	at := b.position(c.sigPos.Start)
	if _, said := h.Property("in"); !said {
		for _, p := range c.Sig.Params {
			c.In = append(c.In, Input{Name: p.Name, Pos: at, Default: defaultOf(h, p.Name)})
		}
	}
	if _, said := h.Property("out"); said {
		return
	}
	for _, r := range c.Sig.Results {
		if r.Name != "" {
			c.Out = append(c.Out, r.Name)
		}
	}
	if len(c.Out) == 0 && len(c.Sig.Results) > 0 {
		c.Out = []string{c.Sig.Name}
	}
}

// defaultOf is the :default-NAME: of an input: JSON where it parses, else text.
func defaultOf(h org.Headline, name string) *value.Value {
	text, ok := h.Property("default-" + name)
	if !ok {
		return nil
	}
	v := TextValue(text)
	return &v
}

// TextValue reads what a person typed as JSON, or as text when it is none.
func TextValue(text string) value.Value {
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return v
	}
	return value.OfString(text)
}

// block makes a source block a component, or the body of its heading's.
func (b *builder) block(n *org.Node) {
	owner := b.owner(n)
	if owner != nil && owner.component != nil {
		b.bodyOf(owner.component, n)
		return
	}
	src, _ := n.Block()
	lang := src.Lang.Text
	args := b.doc.HeaderArgs(n, DefaultsFor(lang)...)
	if isText(lang) && !wantsResult(lang, args) {
		return // a value when something refers to it, nothing to run
	}
	c := &Component{Kind: KindBlock, Name: n.Name().Text, Lang: lang, Pos: b.position(src.Begin.Start),
		Body: src.Code(), Args: args, node: n, span: org.Span{Start: src.Begin.Start, End: n.End()}, Dialect: DialectBabel}
	c.Uses = b.usesOf(n, c.Args)
	c.Shape = c.defaultShape()
	if isData(lang) {
		c.Kind, c.Shape = KindData, ""
	}
	b.babel(c, "block")
}

// babel gives a component of the babel dialect its identity and adds it: its
// #+NAME, else the next number.
func (b *builder) babel(c *Component, prefix string) {
	c.Dialect = DialectBabel
	c.Title, c.headline = titleAbove(c.node)
	if c.Name == "" {
		c.ID = b.unnamed(prefix)
	} else {
		c.ID = b.newID(c.Name)
		c.Out = []string{c.Name}
	}
	c.Packages = packagesOf(c.Args)
	b.elements[c.node] = c
	b.add(c)
}

// bodyOf gives a declared component its source block. A second one is an
// error: it is unclear which of them is meant.
func (b *builder) bodyOf(c *Component, n *org.Node) {
	src, _ := n.Block()
	if c.node != nil {
		line, _ := b.doc.Position(c.node.Start())
		b.fault(c, "second-block", src.Begin.Start, "move it below a heading of its own, or make it an example block",
			"%s has a second source block (the first is on line %d)", c.ID, line)
		return
	}
	c.node = n
	c.span = org.Span{Start: src.Begin.Start, End: n.End()}
	c.Lang = src.Lang.Text
	c.Name = n.Name().Text
	c.Body = src.Code()
	c.Args = b.doc.HeaderArgs(n, DefaultsFor(c.Lang)...)
	b.elements[n] = c
	b.argPorts(c)
	if isData(c.Lang) {
		c.Kind = KindData
	}
	c.Shape = c.defaultShape()
}

// argPorts reads ports from the block's own header arguments, as the workflow
// dialect writes them.
func (b *builder) argPorts(c *Component) {
	for _, a := range c.Args {
		words := strings.Fields(a.Value)
		switch a.Key {
		case ":in":
			for _, name := range words {
				c.In = append(c.In, Input{Name: name, Pos: b.position(a.At.Start)})
			}
		case ":out":
			c.Out = append(c.Out, words...)
		}
	}
	c.Uses = append(c.Uses, b.usesOf(c.node, c.Args)...)
	if c.Lang == LangAgent {
		c.Uses = append(c.Uses, "llm")
	}
	c.Packages = packagesOf(c.Args)
}

// packagesOf are the packages that :deps of a block names.
func packagesOf(args org.Args) []string {
	return strings.FieldsFunc(args.Value(":deps"), func(r rune) bool { return r == ',' || r == ' ' })
}

// callLine makes #+CALL: a component.
func (b *builder) callLine(n *org.Node) {
	call, ok := n.Call()
	if !ok {
		return
	}
	b.babel(&Component{Kind: KindCall, Name: n.Name().Text, Pos: b.position(call.Target.Start), node: n, span: n.Span(),
		Shape: compile.ShapeBabel, Args: b.doc.HeaderArgs(n, b.defaultsForCall(call.Target.Text)...), target: call.Target}, "call")
}

// usesOf collects the capabilities that :uses asks for, which may be repeated,
// and #+CAPS for all that the document runs.
func (b *builder) usesOf(n *org.Node, args org.Args) []string { return b.usesIn(b.doc, n, args) }

func (b *builder) usesIn(doc *org.Document, n *org.Node, args org.Args) []string {
	uses := slices.Clone(b.capsOf(doc))
	if _, any := args.Get(":uses"); !any {
		return uses
	}
	for _, level := range doc.ArgLevels(n) {
		for _, a := range level {
			if a.Key == ":uses" {
				uses = append(uses, strings.Fields(a.Value)...)
			}
		}
	}
	return uses
}

// capsOf reads a document's #+CAPS lines, once for all its blocks.
func (b *builder) capsOf(doc *org.Document) []string {
	caps, known := b.caps[doc]
	if known {
		return caps
	}
	for k := range doc.Keywords("CAPS") {
		caps = append(caps, strings.Fields(k.Value.Text)...)
	}
	if b.caps == nil {
		b.caps = map[*org.Document][]string{}
	}
	b.caps[doc] = caps
	return caps
}
