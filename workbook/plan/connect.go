package plan

import (
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/tangle"
	"wb/tangle/elisp"
	"wb/workbook/result"
)

// connect finds out where every input comes from.
func (b connector) connect() {
	b.indexOutputs()
	b.connectLibraries()
	for _, c := range slices.Clone(b.plan.Components) {
		b.connectPorts(c)
		b.connectDeps(c)
		b.connectCall(c)
		b.connectVars(c)
		b.connectStdin(c)
		b.connectPost(c)
		b.connectNoweb(c)
	}
	b.settleOrder()
	b.connectSessions()
}

// edge notes that to needs from.
func (b connector) edge(from *Component, port string, to *Component, input string, why Why, at diag.Position) Endpoint {
	end := Endpoint{Component: from.ID, Port: port}
	b.plan.Edges = append(b.plan.Edges, Edge{From: end, To: Endpoint{Component: to.ID, Port: input}, Why: why, Pos: at})
	return end
}

// port is the output of a component that a reference by name means.
func (c *Component) port(name string) string {
	if slices.Contains(c.Out, name) || len(c.Out) != 1 {
		return name
	}
	return c.Out[0]
}

// connectPorts matches the inputs of a declared component with outputs by
// name: in its own workflow, then in those around it, then in the rest of the
// document, where #+NAMEs count as outputs.
func (b connector) connectPorts(c *Component) {
	if c.Dialect == DialectBabel {
		return
	}
	for i := range c.In {
		in := &c.In[i]
		if from := finding(b.builder).producer(c, in.Name); from != nil {
			in.From = b.edge(from, from.port(in.Name), c, in.Name, WhyPort, in.Pos)
		}
	}
}

// producer finds the component whose output an input of c means.
func (b finder) producer(c *Component, name string) *Component {
	for w := c.World; w != nil; w = w.Parent {
		if from := b.produces(w, name, c); from != nil {
			return from
		}
	}
	if from := b.produces(nil, name, c); from != nil {
		return from
	}
	if from := b.lookup(name); from != nil && from != c && from.World.encloses(c.World) {
		return from
	}
	return nil
}

// encloses reports whether components of the workflow inner see the outputs of
// w: w is inner or one around it. Outside workflows everybody sees.
func (w *World) encloses(inner *World) bool {
	if w == nil {
		return true
	}
	for ; inner != nil; inner = inner.Parent {
		if inner == w {
			return true
		}
	}
	return false
}

// Apart reports whether two workflows stand beside each other, neither within the
// other: components of one never see what those of the other give.
func (w *World) Apart(other *World) bool {
	return w != nil && other != nil && !w.encloses(other) && !other.encloses(w)
}

// produces finds the first component of a workflow, or of none, with an output
// of that name. A component does not feed itself.
func (b finder) produces(w *World, name string, consumer *Component) *Component {
	for _, c := range b.outs[Endpoint{worldName(w), name}] {
		if c.World == w && c != consumer {
			return c
		}
	}
	return nil
}

func worldName(w *World) string {
	if w == nil {
		return ""
	}
	return w.Name
}

// indexOutputs lets producers be found by workflow and name.
func (b connector) indexOutputs() {
	b.outs = map[Endpoint][]*Component{}
	for _, c := range b.plan.Components {
		if c.Dialect == DialectBabel {
			continue
		}
		for _, out := range c.Out {
			key := Endpoint{worldName(c.World), out}
			b.outs[key] = append(b.outs[key], c)
			b.producers[out] = append(b.producers[out], c)
		}
	}
}

// connectDeps adds an edge for each name in a drawer's :deps:.
func (b connector) connectDeps(c *Component) {
	for _, dep := range c.Deps {
		from := finding(b.builder).byDep(c, dep)
		at := b.depOffset(c, dep)
		if from == nil {
			b.fault(c, "dangling-dep", at, finding(b.builder).nearestID(dep), ":deps: names %q, which is not a component", dep)
			continue
		}
		if !b.feeds(from, c) {
			b.edge(from, "", c, "", WhyDeps, b.position(at))
		}
	}
}

// feeds reports whether some value flows from one component to the other
// already, so that its order needs no saying.
func (b connector) feeds(from, to *Component) bool {
	return slices.ContainsFunc(to.In, func(in Input) bool { return in.From.Component == from.ID })
}

// byDep finds a component by id, by the last part of its id, by title or name.
func (b finder) byDep(c *Component, dep string) *Component {
	for _, exact := range []func(*Component) bool{
		func(o *Component) bool { return o.ID == dep },
		func(o *Component) bool { return o.World == c.World && lastPart(o.ID) == dep },
		func(o *Component) bool { return o.Name == dep },
		func(o *Component) bool { return o.Title != "" && Slug(o.Title) == dep && o.Dialect != DialectBabel },
	} {
		for _, o := range b.plan.Components {
			if o != c && exact(o) {
				return o
			}
		}
	}
	return nil
}

func (b connector) depOffset(c *Component, dep string) int {
	if h, ok := c.headline.Headline(); ok {
		for p := range h.Properties() {
			if p.Is("deps") {
				return p.Value.Start + max(0, strings.Index(p.Value.Text, dep))
			}
		}
	}
	return c.span.Start
}

// referred is what a reference of c names: an output of its workflow or of one
// around it, else what lookup finds.
func (b finder) referred(c *Component, name string) *Component {
	if from := c.World.output(c, name); from != nil {
		return from
	}
	return b.lookup(name)
}

// lookup finds the component that a babel reference names: what carries the
// #+NAME, else what declares an output of that name, else the heading with
// that CUSTOM_ID or ID. Elements that are not a component become one.
func (b finder) lookup(name string) *Component {
	c, known := b.plan.refs[name]
	if !known {
		c = b.find(name)
		b.plan.refs[name] = c
	}
	return c
}

func (b finder) find(name string) *Component {
	if n, ok := b.doc.Named(name); ok && !b.doc.Commented(n) {
		if c := b.elements[n]; c != nil {
			return c
		}
		if c := b.resultOwner(n); c != nil {
			return c
		}
		return b.dataComponent(n, name)
	}
	if all := b.producers[name]; len(all) > 0 {
		return all[0]
	}
	if c := b.inLibraries(name); c != nil {
		return c
	}
	for h := range b.doc.Headlines() {
		if id, _ := h.Property("CUSTOM_ID"); id == name {
			return b.dataComponent(h.Node, name)
		}
		if id, _ := h.Property("ID"); id == name {
			return b.dataComponent(h.Node, name)
		}
	}
	return nil
}

// resultOwner is the component whose result a named element is: whoever refers
// to that name wants the result as it will be, not as it was.
func (b finder) resultOwner(n *org.Node) *Component {
	for _, k := range n.Affiliated() {
		if k.Name() != "RESULTS" {
			continue
		}
		for node, c := range b.elements {
			if r, ok := b.doc.ResultOf(node); ok && r.Line.Start == k.Start() {
				return c
			}
		}
	}
	return nil
}

// dataComponent makes a named table, list or text a component.
func (b finder) dataComponent(n *org.Node, name string) *Component {
	if c := b.elements[n]; c != nil {
		return c
	}
	c := &Component{ID: b.newID(name), Kind: KindData, Dialect: DialectBabel, Name: name, Lang: dataLang(n),
		Pos: b.position(n.Start() + len(n.Text()) - len(result.CoreText(n))), Out: []string{name}, node: n, span: n.Span()}
	b.elements[n] = c
	return b.add(c)
}

// dataLang says what a data component is made of.
func dataLang(n *org.Node) string {
	switch n.Kind() {
	case org.KindTable:
		return "table"
	case org.KindList:
		return "list"
	case org.KindExampleBlock, org.KindFixedWidth:
		return "example"
	}
	return "text"
}

// connectCall notes which block a call runs.
func (b connector) connectCall(c *Component) {
	if !c.target.Present() {
		return
	}
	from := finding(b.builder).callee(c.target.Text)
	switch {
	case from == nil:
		b.fault(c, "dangling-call", c.target.Start, finding(b.builder).nearestName(c.target.Text), "call of %q, which names no block", c.target.Text)
	case from.Kind == KindData:
		b.fault(c, "dangling-call", c.target.Start, "", "call of %q, which is a %s and not a block", c.target.Text, from.Lang)
	default:
		c.Lang, c.callee = from.Lang, from
		if from.library {
			c.Args = b.callArgs(c, from)
		}
		b.edge(from, "", c, "", WhyCall, c.Pos)
	}
}

// callee finds the block that a call names. Unlike references to values, calls
// reach below COMMENT headings, as in Emacs.
func (b finder) callee(name string) *Component {
	if n, ok := b.doc.Named(name); ok && b.elements[n] != nil {
		return b.elements[n]
	}
	if c := b.lookup(name); c != nil {
		return c
	}
	if file, name, ok := remoteTarget(name); ok {
		return b.foreign(b.library(file), name)
	}
	return nil
}

// connectVars resolves every :var to a literal or to another component.
func (b connector) connectVars(c *Component) {
	for _, v := range c.Args.Vars() {
		if v.Name == "" {
			if v.Value != "" {
				b.fault(c, "bad-var", v.At.Start, "write :var NAME=VALUE", "variable %q has no name", v.Value)
			}
			continue
		}
		in := Input{Name: v.Name, Pos: b.position(v.At.Start)}
		b.connectRef(c, &in, v.Expr, v.At.Start, WhyVar)
		c.In = append(c.In, in)
	}
}

// connectRef resolves one expression, and what stands in its parentheses.
func (b connector) connectRef(c *Component, in *Input, expr string, at int, why Why) {
	lit, isLiteral, err := Literal(expr, &elisp.Env{})
	if err != nil && IsForm(expr) { // for Emacs, when the component runs
		in.Ref = expr
		return
	}
	if err != nil {
		b.fault(c, "bad-var", at, "", "variable %s: %v", in.Name, err)
		return
	}
	if isLiteral {
		in.Literal = &lit
		return
	}
	if expr == "*this*" {
		in.Ref = expr
		return
	}
	if strings.TrimSpace(expr) == "" {
		b.fault(c, "bad-var", at, "write :var "+in.Name+"=VALUE, or "+in.Name+"=\"\" for an empty text", "variable %s has no value", in.Name)
		zero := value.Nil()
		in.Literal = &zero // so that it is not an import
		return
	}
	ref := ParseReference(expr)
	in.Ref = expr
	var from *Component
	if ref.File != "" {
		if from = finding(b.builder).elsewhere(c, ref, at, in.Name); from == nil {
			return
		}
		b.plan.refs[ref.Key()] = from
	} else if from = finding(b.builder).referred(c, ref.Name); from == nil {
		b.fault(c, "dangling-var", at, finding(b.builder).nearestName(ref.Name), "%s refers to %q, which names nothing here", in.Name, ref.Name)
		return
	} else if from.World.Apart(c.World) {
		b.faultApart(c, in.Name, ref.Name, from, at)
		return
	}
	if ref.wantsCode(from) {
		b.edge(from, "", c, in.Name, WhyCall, b.position(at))
	} else {
		in.From = b.edge(from, from.port(ref.Name), c, in.Name, why, b.position(at))
	}
	for _, arg := range ref.Args {
		name, expr, ok := strings.Cut(arg, "=")
		if !ok {
			name, expr = in.Name, arg
		}
		inner := Input{Name: strings.TrimSpace(name)}
		b.connectRef(c, &inner, strings.TrimSpace(expr), at, WhyVar)
	}
}

// faultApart says that what c refers to is a sibling workflow's.
func (b connector) faultApart(c *Component, what, name string, from *Component, at int) {
	b.fault(c, "dangling-var", at, "move what both need into a workflow around both, or out of workflows",
		"%s refers to %q, which belongs to the workflow %s", what, name, from.World.Name)
}

// wantsCode reports whether a reference needs the source of what it names and
// not its value.
func (r *Reference) wantsCode(from *Component) bool {
	return r.Body && from.IsBlock() || r.RunsAnew() && from.Kind != KindData
}

// RunsAnew reports whether a reference runs the block with other arguments
// instead of taking its result.
func (r *Reference) RunsAnew() bool { return r.Call && (len(r.Args) > 0 || r.Header != "") }

// ReadsThis reports whether a block's own :var name *this*, the result that
// :post hands it: then :post runs it anew, though the reference gives nothing.
func (c *Component) ReadsThis() bool {
	return c.IsBlock() && slices.ContainsFunc(c.Args.Vars(), func(v org.Var) bool { return strings.Contains(v.Expr, "*this*") })
}

// connectStdin resolves :stdin, which is a reference like a variable's.
func (b connector) connectStdin(c *Component) {
	a, ok := c.Args.Get(":stdin")
	if !ok || a.Value == "" {
		return
	}
	in := Input{Name: "stdin", Pos: b.position(a.At.Start)}
	b.connectRef(c, &in, a.Value, a.At.Start, WhyStdin)
	c.In = append(c.In, in)
}

// connectPost notes which block reworks the result.
func (b connector) connectPost(c *Component) {
	a, ok := c.Args.Get(":post")
	if !ok || a.Value == "" || IsForm(a.Value) {
		return
	}
	ref := ParseReference(a.Value)
	from := finding(b.builder).referred(c, ref.Name)
	switch {
	case from == nil:
		b.fault(c, "dangling-var", a.At.Start, finding(b.builder).nearestName(ref.Name), ":post names %q, which is not a block", ref.Name)
		return
	case from.World.Apart(c.World):
		b.faultApart(c, ":post", ref.Name, from, a.At.Start)
		return
	}
	port := ""
	if !ref.wantsCode(from) && !from.ReadsThis() {
		port = from.port(ref.Name)
	}
	b.edge(from, port, c, ":post", WhyPost, b.position(a.At.Start))
}

// connectNoweb notes what the body includes.
func (b connector) connectNoweb(c *Component) {
	if c.Body == "" || !tangle.NowebWanted(c.Args.Value(":noweb"), tangle.ForEval) {
		return
	}
	for _, id := range tangle.WrapOf(b.doc).References(c.Body) {
		b.connectInclude(c, id)
	}
}

func (b connector) connectInclude(c *Component, id string) {
	at := c.span.Start + max(0, strings.Index(b.doc.Text(c.span), tangle.WrapOf(b.doc).Around(id)))
	if tangle.IsCall(id) {
		in := Input{Name: "<<" + id + ">>", Pos: b.position(at)}
		b.connectRef(c, &in, id, at, WhyNoweb)
		return
	}
	found := false
	for _, o := range b.plan.Components {
		if o != c && o.node != nil && (strings.EqualFold(o.Name, id) && o.Name != "" || o.Args.Value(":noweb-ref") == id) {
			b.edge(o, "", c, "<<"+id+">>", WhyNoweb, b.position(at))
			found = true
		}
	}
	if found || finding(b.builder).isChunk(id) {
		return
	}
	b.fault(c, "dangling-noweb", at, finding(b.builder).nearestName(id), "<<%s>> names no block", id)
}

// isChunk reports whether a noweb reference names a block that is no
// component, or a heading.
func (b finder) isChunk(id string) bool {
	if _, ok := b.doc.BlockNamed(id); ok {
		return true
	}
	for blk := range b.doc.Blocks(org.KindSrcBlock) {
		if b.doc.HeaderArgs(blk.Node).Value(":noweb-ref") == id {
			return true
		}
	}
	for h := range b.doc.Headlines() {
		if custom, _ := h.Property("CUSTOM_ID"); custom == id {
			return true
		}
		if own, _ := h.Property("ID"); own == id {
			return true
		}
	}
	return false
}

// settleOrder puts components in document order and sorts edges by consumer.
func (b connector) settleOrder() {
	p := b.plan
	slices.SortStableFunc(p.Components, func(x, y *Component) int {
		if x.Pos.Line != y.Pos.Line {
			return x.Pos.Line - y.Pos.Line
		}
		return x.Pos.Col - y.Pos.Col
	})
	for i, c := range p.Components {
		c.index = i
		p.byID[c.ID] = c
	}
	b.sortEdges()
}

// sortEdges puts edges in the order of the components they lead to.
func (b connector) sortEdges() {
	index := func(e Edge) int { return b.plan.byID[e.To.Component].index }
	slices.SortStableFunc(b.plan.Edges, func(x, y Edge) int { return index(x) - index(y) })
}

// connectSessions makes blocks of one session, or of one database, run one
// after another, in the order the other edges and then the document give.
func (b connector) connectSessions() {
	last := map[string]*Component{}
	follow := func(c *Component, shared string, why Why) {
		if before := last[shared]; before != nil {
			b.edge(before, "", c, "", why, c.Pos)
		}
		last[shared] = c
	}
	for _, i := range b.plan.Graph(true).Order() {
		c := b.plan.Components[i]
		if session, ok := c.Session(); ok {
			follow(c, session, WhySession)
		}
		if db, ok := ArgText(c.Args, ":db"); ok && db != "" && c.Kind != KindData {
			follow(c, "db "+db, WhyDB)
		}
	}
	b.sortEdges()
}

// Session is the :session a component shares with others of its language.
func (c *Component) Session() (string, bool) {
	name, ok := ArgText(c.Args, ":session")
	if !ok || name == "none" || name == "no" || c.Kind == KindData {
		return "", false
	}
	if name == "" || name == "yes" {
		name = "default"
	}
	if c.World != nil { // workflows share no interpreter
		name += " of " + c.World.id
	}
	return c.Lang + ":" + name, true
}

// nearestName is a hint that offers the closest name a reference may mean.
func (b finder) nearestName(name string) string {
	var names []string
	for n := range b.doc.Nodes(org.KindAffiliated) {
		if k, _ := n.Keyword(); k.Name() == "NAME" {
			names = append(names, k.Value.Text)
		}
	}
	for _, c := range b.plan.Components {
		if c.Dialect != DialectBabel {
			names = append(names, c.Out...)
		}
	}
	return DidYouMean(name, names, "")
}

func (b finder) nearestID(id string) string {
	var ids []string
	for _, c := range b.plan.Components {
		ids = append(ids, c.ID, lastPart(c.ID))
	}
	return DidYouMean(id, ids, "")
}
