package plan

import (
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/org"
)

// PlanShape names a layout of the plan as JSON.
type PlanShape string

// The layouts. Other programs that read workbooks expect both.
const (
	// PlanFlat lists worlds (one per block), components, edges between ports,
	// imports and exports, with ids unique in the file.
	PlanFlat PlanShape = "flat"
	// PlanNested lists workflows with their components and sub-workflows;
	// edges name titles.
	PlanNested PlanShape = "nested"
)

// flatPlan is the plan as `wb plan --json` prints it.
type flatPlan struct {
	Worlds     []flatWorld     `json:"worlds"`
	Components []flatComponent `json:"components"`
	Edges      []flatEdge      `json:"edges"`
	Imports    []string        `json:"imports"`
	Exports    []string        `json:"exports"`
	Placement  []Placement     `json:"placement,omitempty"`
}

// flatWorld is a unit that is compiled: a block with its source.
type flatWorld struct {
	ID   string   `json:"id"`
	Lang string   `json:"lang"`
	Src  string   `json:"src"`
	Args flatArgs `json:"args"`
}

type flatArgs struct {
	In   []string            `json:"in"`
	Out  []string            `json:"out"`
	Args map[string][]string `json:"header,omitempty"`
}

// flatComponent is a unit that is wired.
type flatComponent struct {
	ID       string        `json:"id"`
	World    string        `json:"world"`
	Kind     Kind          `json:"kind"`
	Dialect  Dialect       `json:"dialect"`
	Workflow string        `json:"workflow,omitempty"`
	Name     string        `json:"name,omitempty"`
	Title    string        `json:"title,omitempty"`
	Lang     string        `json:"lang"`
	Exec     compile.Shape `json:"exec,omitempty"`
	Sig      string        `json:"sig,omitempty"`
	In       []string      `json:"in"`
	Out      []string      `json:"out"`
	Deps     []string      `json:"deps"`
	Uses     []string      `json:"uses,omitempty"`
	Packages []string      `json:"packages,omitempty"`
	Pos      diag.Position `json:"pos"`
}

type flatEdge struct {
	From Endpoint `json:"from"`
	To   Endpoint `json:"to"`
	Why  Why      `json:"why"`
}

// JSON is the plan as data, ready to be marshalled; the flat layout says where
// programs would run if placed does. An unknown shape is an error.
func (p *Plan) JSON(shape PlanShape, placed ...Placement) (any, error) {
	switch shape {
	case PlanFlat, "":
		flat := p.flat()
		flat.Placement = placed
		return flat, nil
	case PlanNested:
		return p.nested(), nil
	}
	return nil, fmt.Errorf("unknown plan shape %q: flat or nested", shape)
}

func (p *Plan) flat() flatPlan {
	out := flatPlan{Worlds: []flatWorld{}, Components: []flatComponent{}, Edges: []flatEdge{}, Imports: []string{}, Exports: []string{}}
	for _, c := range p.Components {
		if c.IsBlock() {
			out.Worlds = append(out.Worlds, flatWorld{ID: c.ID, Lang: c.Lang, Src: c.Body,
				Args: flatArgs{In: c.InputNames(), Out: list(c.Out), Args: ByName(c.Args)}})
		}
		out.Components = append(out.Components, p.flatComponent(c))
	}
	for _, e := range p.Edges {
		out.Edges = append(out.Edges, flatEdge{From: e.From, To: e.To, Why: e.Why})
	}
	for _, i := range p.Imports {
		out.Imports = append(out.Imports, i.Name)
	}
	for _, e := range p.Exports {
		out.Exports = append(out.Exports, e.Port)
	}
	return out
}

// IsBlock reports whether the component is a source block of its own.
func (c *Component) IsBlock() bool {
	return c.node != nil && (c.node.Kind() == org.KindSrcBlock || c.node.Kind() == org.KindInlineSrc)
}

func (p *Plan) flatComponent(c *Component) flatComponent {
	f := flatComponent{
		ID: c.ID, World: c.ID, Kind: c.Kind, Dialect: c.Dialect, Name: c.Name, Title: c.Title,
		Lang: c.Lang, Exec: c.Shape, In: c.InputNames(), Out: list(c.Out), Deps: list(c.Deps),
		Uses: c.Uses, Packages: c.Packages, Pos: c.Pos,
	}
	if c.Sig != nil {
		f.Sig = c.Sig.String()
	}
	if c.World != nil {
		f.Workflow = c.World.Name
	}
	return f
}

func (c *Component) InputNames() []string {
	names := make([]string, len(c.In))
	for i, in := range c.In {
		names[i] = in.Name
	}
	return names
}

// list is never nil, so that it is [] in JSON.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// nestedPlan is the plan by workflows.
type nestedPlan struct {
	Worlds []nestedWorld `json:"worlds"`
}

type nestedWorld struct {
	Name       string            `json:"name"`
	Schedule   any               `json:"schedule"`
	Imports    []string          `json:"imports"`
	Exports    []string          `json:"exports"`
	Components []nestedComponent `json:"components"`
	Edges      []nestedEdge      `json:"edges"`
	Workflows  []nestedWorld     `json:"workflows"`
}

type nestedComponent struct {
	Name    string   `json:"name"`
	Lang    *string  `json:"lang"`
	Deps    []string `json:"deps"`
	Uses    []string `json:"uses"`
	In      *string  `json:"in"`
	Out     *string  `json:"out"`
	Persist bool     `json:"persist"`
	Src     string   `json:"src"`
	Dir     *string  `json:"dir"`
}

type nestedEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// nestedTimestamp is a schedule by timestamp.
type nestedTimestamp struct {
	At     string  `json:"at"`
	Repeat *string `json:"repeat"`
	Active bool    `json:"active"`
}

// nested shows the workflows of the file.
func (p *Plan) nested() nestedPlan {
	out := nestedPlan{Worlds: []nestedWorld{}}
	for _, w := range p.Worlds {
		out.Worlds = append(out.Worlds, p.nestedWorld(w))
	}
	return out
}

func (p *Plan) nestedWorld(w *World) nestedWorld {
	out := nestedWorld{Name: w.Name, Schedule: w.Schedule.json(), Imports: []string{}, Exports: []string{},
		Components: []nestedComponent{}, Edges: []nestedEdge{}, Workflows: []nestedWorld{}}
	for _, c := range w.Components {
		out.Components = append(out.Components, nestedOf(c))
		out.Imports = append(out.Imports, c.Uses...)
	}
	consumed := map[string]bool{} // in this very workflow
	for _, e := range p.Edges {
		from, to := p.byID[e.From.Component], p.byID[e.To.Component]
		if from.World == w && to.World == w {
			out.Edges = append(out.Edges, nestedEdge{from.label(), to.label()})
			consumed[e.From.Port] = true
		}
	}
	for _, c := range w.Components {
		for _, name := range c.Out {
			if !consumed[name] {
				out.Exports = append(out.Exports, name)
			}
		}
	}
	slices.Sort(out.Imports)
	out.Imports = slices.Compact(out.Imports)
	slices.Sort(out.Exports)
	out.Exports = slices.Compact(out.Exports)
	for _, sub := range w.Worlds {
		out.Workflows = append(out.Workflows, p.nestedWorld(sub))
	}
	return out
}

func nestedOf(c *Component) nestedComponent {
	n := nestedComponent{Name: c.label(), Deps: list(c.Packages), Uses: list(c.Uses), Src: c.Body}
	if c.node != nil && c.Lang != "" {
		n.Lang = &c.Lang
	}
	if in := strings.Join(c.InputNames(), " "); in != "" {
		n.In = &in
	}
	if out := strings.Join(c.Out, " "); out != "" {
		n.Out = &out
	}
	if dir, ok := c.Args.Get(":dir"); ok {
		n.Dir = &dir.Value
	}
	_, n.Persist = c.Args.Get(":persist")
	return n
}

// label is a component's name for people: its heading in the dialects that
// take identity from it, else its id.
func (c *Component) label() string {
	if c.Dialect != DialectBabel && c.Title != "" {
		return c.Title
	}
	return c.ID
}

func (s *Schedule) json() any {
	switch {
	case s == nil:
		return nil
	case s.Cron != "":
		return map[string]string{"cron": s.Cron}
	}
	t := nestedTimestamp{At: s.At, Active: s.Active}
	if s.Repeat != "" {
		t.Repeat = &s.Repeat
	}
	return t
}
