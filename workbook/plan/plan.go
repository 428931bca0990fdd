package plan

import (
	"slices"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
)

// Plan is a workbook as a graph: its components, how values flow between
// them, what it takes from outside and what it gives. A plan is made without
// running anything and does not change.
type Plan struct {
	File  string // as the caller named it
	Title string // #+TITLE, else the file's base name
	Slug  string // the title as an identifier: the first half of heading ids

	// Worlds are the workflows of the file that stand in no other.
	Worlds []*World
	// Components stand in document order.
	Components []*Component
	// Edges are sorted by the component they lead to, then in the order the
	// author wrote the inputs.
	Edges []Edge
	// Imports are inputs that no component produces, by name.
	Imports []Import
	// Exports are outputs that no component consumes, in document order.
	Exports []Endpoint
	// Problems are mistakes in how components hang together: duplicate
	// producers, cycles, references to nothing. Each stops the component it
	// names, and those that need it, from running.
	Problems []diag.Finding

	doc  *org.Document
	byID map[string]*Component
	refs map[string]*Component // what the names in babel references mean

	faults  map[*Component]diag.Finding // the mistakes that stop components
	endless map[*Component]bool         // their code includes or calls itself
}

// Dialect is one of the ways to write a component.
type Dialect string

// The dialects. A file may mix them.
const (
	DialectBabel    Dialect = "babel"
	DialectHeading  Dialect = "heading"
	DialectWorkflow Dialect = "workflow"
)

// Kind says what a component is made of.
type Kind string

// The kinds of component.
const (
	KindBlock      Kind = "block"       // a source block
	KindCall       Kind = "call"        // #+CALL: name(args)
	KindInline     Kind = "inline"      // src_lang{code}
	KindInlineCall Kind = "inline-call" // call_name(args)
	KindData       Kind = "data"        // a table, list, example or data block: a value, nothing to run
)

// Component is one node of the plan.
type Component struct {
	ID      string
	Kind    Kind
	Dialect Dialect
	Name    string // #+NAME, "" when unnamed
	Title   string // the heading it belongs to, "" outside headings
	Lang    string // "table", "list", … for data that is not a block
	Pos     diag.Position

	// In are the inputs in the order the author gave them.
	In []Input
	// Out are the names of the outputs; in babel the component's own name.
	Out []string
	// Deps are the components that must come first although no value flows.
	Deps []string
	// Uses are the capabilities asked for.
	Uses []string
	// Packages are the packages that :deps on the block names.
	Packages []string
	// Shape is how values reach the code; "" for data.
	Shape compile.Shape
	// Sig is the :sig: type, nil when there is none.
	Sig *value.Sig
	// Args are the merged header arguments.
	Args org.Args
	// Body is the text of the block as its author wrote it, org's escapes
	// removed, before noweb.
	Body string
	// World is the workflow the component belongs to, nil for none.
	World *World

	index    int
	node     *org.Node  // the block, call line, inline object or named element
	span     org.Span   // of node without affiliated keywords
	headline *org.Node  // it stands below, nil above the first one
	target   org.Token  // of a call: the name of the block it runs
	callee   *Component // that block
	library  bool       // it stands in another document
	exec     string     // :exec: of its drawer
	sigErr   error      // :sig: that does not parse
	sigPos   org.Span   // where :sig: stands
}

// Input is one value a component takes.
type Input struct {
	Name string
	// From is where it comes from; the zero Endpoint for an import or a
	// literal.
	From Endpoint
	// Ref is the reference as written, "" in dialects that match by name.
	Ref string
	// Literal is the value of a :var that is not a reference.
	Literal *value.Value
	// Default is an import's value when none is given.
	Default *value.Value
	Pos     diag.Position
}

// Endpoint is an output or input of a component.
type Endpoint struct {
	Component string `json:"component"`
	Port      string `json:"port"`
}

// Why says what an edge stands for.
type Why string

// The kinds of edge. Through a code edge no value flows: the one component
// contains the other's source or runs it anew.
const (
	WhyVar     Why = "var"     // :var x=name
	WhyStdin   Why = "stdin"   // :stdin name
	WhyPort    Why = "port"    // an input named like an output
	WhyDeps    Why = "deps"    // :deps: name
	WhyNoweb   Why = "noweb"   // <<name>> or <<name()>>
	WhyCall    Why = "call"    // #+CALL: name() and call_name()
	WhyPost    Why = "post"    // :post name(x=*this*)
	WhySession Why = "session" // the same :session, in document order
	WhyDB      Why = "db"      // the same :db, in document order
)

// orders reports whether an edge of this kind carries nothing: it only says
// what runs first.
func (w Why) orders() bool { return w == WhyDeps || w == WhySession || w == WhyDB }

// Edge says that To needs From.
type Edge struct {
	From Endpoint      `json:"from"`
	To   Endpoint      `json:"to"`
	Why  Why           `json:"why"`
	Pos  diag.Position `json:"-"`
}

// CodeOnly reports whether the consumer needs the producer's source and not
// its value: it includes it or runs it anew. Such edges name no output.
func (e Edge) CodeOnly() bool {
	return e.From.Port == "" && !e.Why.orders()
}

// Import is an input that must be given from outside.
type Import struct {
	Name      string
	Default   *value.Value
	Consumers []string
	Pos       diag.Position
}

// World is a workflow: a set of components with names of their own.
type World struct {
	Name     string
	Schedule *Schedule
	Worlds   []*World
	// Components are the members that belong to no sub-world, in document
	// order.
	Components []*Component
	Parent     *World
	Pos        diag.Position

	id string // its name and those around it, made unique
}

// Schedule says when a workflow is due: by a cron expression, or by a
// timestamp with its repeater.
type Schedule struct {
	Cron   string
	At     string // 2026-06-06 or 2026-06-06T06:00
	Repeat string // +1d, .+1w, ++1m; "" for once
	Active bool
}

// Component finds a component by its id; by its name, title or the last part
// of its id when only one has it; nil when none or several do.
func (p *Plan) Component(id string) *Component {
	if c := p.byID[id]; c != nil {
		return c
	}
	var found *Component
	for _, c := range p.Components {
		if c.Name == id || c.Title == id || lastPart(c.ID) == id {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// Incoming are the edges that lead to a component.
func (p *Plan) Incoming(c *Component) []Edge {
	index := func(e Edge) int { return p.byID[e.To.Component].index }
	first, found := slices.BinarySearchFunc(p.Edges, c.index, func(e Edge, i int) int { return index(e) - i })
	if !found {
		return nil
	}
	last := first
	for last < len(p.Edges) && index(p.Edges[last]) == c.index {
		last++
	}
	return p.Edges[first:last]
}

// Graph is the plan's dependency graph. With code, it includes edges through
// which only source flows.
func (p *Plan) Graph(code bool) Graph {
	g := make(Graph, len(p.Components))
	for _, e := range p.Edges {
		if e.CodeOnly() && !code {
			continue
		}
		from, to := p.byID[e.From.Component], p.byID[e.To.Component]
		if from != nil && to != nil && !slices.Contains(g[to.index], from.index) {
			g[to.index] = append(g[to.index], from.index)
		}
	}
	return g
}

// Order lists the components so that each comes after what it needs, in
// document order otherwise.
func (p *Plan) Order() []*Component {
	order := make([]*Component, 0, len(p.Components))
	for _, i := range p.Graph(false).Order() {
		order = append(order, p.Components[i])
	}
	return order
}

// ByID is the component with exactly this id, nil when there is none.
func (p *Plan) ByID(id string) *Component { return p.byID[id] }

// ReferredBy is the component that a reference of c with this key means: for one of
// a workflow what gives such an output there or around it, else as [Plan.Referred].
func (p *Plan) ReferredBy(c *Component, key string) *Component {
	if from := c.World.output(c, key); from != nil {
		return from
	}
	return p.Referred(key)
}

// Referred is the component that a reference with this key means, nil when it
// means none. Without such a reference in the document it is the block of that
// name.
func (p *Plan) Referred(key string) *Component {
	if c, known := p.refs[key]; known {
		return c
	}
	for _, c := range p.Components {
		if c.Name == key && key != "" {
			return c
		}
	}
	return nil
}

// Faults are the mistakes that stop components.
func (p *Plan) Faults() map[*Component]diag.Finding { return p.faults }

// Endless reports whether expanding a component's code would never end: it
// includes or calls itself.
func (p *Plan) Endless(c *Component) bool { return p.endless[c] }

// output finds the component of a workflow, or of one around it, that has an
// output of that name, or the name itself, and is not the one that asks for it.
func (w *World) output(asks *Component, name string) *Component {
	for ; w != nil && name != ""; w = w.Parent {
		for _, c := range w.Components {
			if c != asks && (c.Name == name || slices.Contains(c.Out, name)) {
				return c
			}
		}
	}
	return nil
}
