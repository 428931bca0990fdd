package sql

import (
	"context"

	"wb/compile"
	"wb/internal/value"
)

// Ship implements [compile.Portable]: the shell starts anew everywhere, with
// the script on its standard input and its first file as Run writes it. Inputs
// of components become that file's parameters and tables where it runs.
func (l *lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	t, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress)
	if err != nil {
		return nil, err
	}
	wasm, err := t.ReadFile(wasmFile)
	if err != nil {
		return nil, err
	}
	p := portable{Shape: art.Shape, Script: []byte(u.Script), Skip: u.Skip, Places: job.Source.Places(u.Lines),
		Files: map[string][]byte{initFile: []byte(startUp(job) + create(u.Tables))},
		Text:  u.Results.AsText(), Discard: u.Results.Has("discard"), Commas: u.Commas, Heads: u.Heads, Outs: u.Outs, Params: u.Params}
	for name, text := range u.Files {
		p.Files[name] = []byte(text)
	}
	r := &compile.Shipment{Name: toolName, Wasm: wasm, Args: u.args(art.Shape, job), Limits: job.Limits,
		Entry: compile.EntryMachine, Machine: toolName, Program: p}
	if art.Shape != compile.ShapeComponent {
		return r, nil
	}
	r.Inputs = job.Inputs
	if u.Sig == "" {
		return r, nil
	}
	sig, err := value.ParseSig(u.Sig)
	r.Sig = &value.Sig{Name: sig.Name, Results: sig.Results} // parameters take any value
	return r, err
}

// portable is a unit as the runtime in a browser reads it.
type portable struct {
	Shape   compile.Shape     `json:"shape"`
	Script  []byte            `json:"script"`
	Files   map[string][]byte `json:"files"` // below privateDir
	Text    bool              `json:"text,omitempty"`
	Discard bool              `json:"discard,omitempty"`
	Commas  bool              `json:"commas,omitempty"`
	Heads   bool              `json:"heads,omitempty"`
	Outs    []string          `json:"outs,omitempty"`
	Params  []string          `json:"params,omitempty"`
	Skip    int               `json:"skip,omitempty"`
	compile.Places
}
