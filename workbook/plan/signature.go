package plan

import (
	"cmp"
	"encoding/json"
	"slices"

	"wb/internal/value"
)

// Signature is a workbook, or a workflow of it, seen as one function: what must be
// given and what comes out, each as a JSON Schema.
type Signature struct {
	Title string
	// About is the document's #+DESCRIPTION.
	About string
	// Only are the components that the function runs; none means all.
	Only []string
	// In is the schema of an object with the imports, Out that of one with the exports.
	In, Out map[string]any
}

// Signatures are the functions of a document: itself, and where it has several
// workflows that stand in no other, each of them. A document without exports has none.
func (p *Plan) Signatures() []Signature {
	if len(p.Exports) == 0 {
		return nil
	}
	all := []Signature{p.Signature()}
	if len(p.Worlds) < 2 {
		return all
	}
	for _, w := range p.Worlds {
		if s := p.signature(w.Name, w.ids(nil)); len(s.Only) > 0 && len(s.Out["properties"].(map[string]any)) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Signature is the whole document as one function, also where nothing comes out of it.
func (p *Plan) Signature() Signature { return p.signature(p.Title, nil) }

// ids are the components of a world and of those inside it.
func (w *World) ids(all []string) []string {
	for _, c := range w.Components {
		all = append(all, c.ID)
	}
	for _, inner := range w.Worlds {
		all = inner.ids(all)
	}
	return all
}

func (p *Plan) signature(title string, only []string) Signature {
	needed := p.needed(only)
	in, out, required := map[string]any{}, map[string]any{}, []string{}
	for _, imp := range p.Imports {
		i := slices.IndexFunc(imp.Consumers, func(id string) bool { return needed == nil || needed[id] })
		if i < 0 {
			continue
		}
		consumer := p.byID[imp.Consumers[i]]
		schema := consumer.parameter(imp.Name)
		schema["description"] = "an input of " + cmp.Or(consumer.Title, consumer.ID)
		switch {
		case imp.Default != nil:
			schema["default"] = json.RawMessage(imp.Default.AppendJSON(nil))
		case consumer.optional(imp.Name):
			schema["default"] = json.RawMessage("null")
		default:
			required = append(required, imp.Name)
		}
		in[imp.Name] = schema
	}
	for _, e := range p.Exports {
		if needed == nil || needed[e.Component] {
			out[e.Port] = p.byID[e.Component].result(e.Port)
		}
	}
	about, _ := p.doc.Setting("DESCRIPTION")
	return Signature{title, about.Text, only, map[string]any{"type": "object", "properties": in, "required": required, "additionalProperties": false},
		map[string]any{"type": "object", "properties": out}}
}

// needed are components and what they need; nil for all.
func (p *Plan) needed(only []string) map[string]bool {
	if only == nil {
		return nil
	}
	all, left := map[string]bool{}, slices.Clone(only)
	for len(left) > 0 {
		id := left[len(left)-1]
		left = left[:len(left)-1]
		if c := p.byID[id]; c != nil && !all[id] {
			all[id] = true
			for _, e := range p.Incoming(c) {
				left = append(left, e.From.Component)
			}
		}
	}
	return all
}

// parameter is the schema of an input: what :sig: says of it, else anything.
func (c *Component) parameter(name string) map[string]any {
	if t, ok := typeOf(c.params(), name); ok {
		return t.Schema()
	}
	return map[string]any{}
}

// optional reports whether :sig: lets an input be left out.
func (c *Component) optional(name string) bool {
	t, ok := typeOf(c.params(), name)
	return ok && t.Kind == value.TypeOption
}

// result is the schema of an output. One result of :sig: is the only output.
func (c *Component) result(port string) map[string]any {
	if c.Sig == nil {
		return map[string]any{}
	}
	if len(c.Sig.Results) == 1 && len(c.Out) == 1 {
		return c.Sig.Results[0].Type.Schema()
	}
	if t, ok := typeOf(c.Sig.Results, port); ok {
		return t.Schema()
	}
	return map[string]any{}
}

func (c *Component) params() []value.Param {
	if c.Sig == nil {
		return nil
	}
	return c.Sig.Params
}

func typeOf(params []value.Param, name string) (value.Type, bool) {
	for _, p := range params {
		if p.Name == name {
			return p.Type, true
		}
	}
	return value.Type{}, false
}
