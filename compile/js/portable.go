package js

import (
	"context"

	"wb/compile"
)

// Ship implements [compile.Portable]: the machine is QuickJS as every block
// starts from it, the program what Run evaluates. Blocks that import files or
// packages need more than that.
func (l *Lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	switch {
	case len(u.Packages) > 0:
		return nil, &compile.NotPortable{Reason: "it uses packages"}
	case len(u.Sources) > 0:
		return nil, &compile.NotPortable{Reason: "it imports other files"}
	case u.Session:
		return nil, &compile.NotPortable{Reason: "it belongs to a session"}
	}
	img, err := l.runtime.boot(ctx)
	if err != nil {
		return nil, err
	}
	t, err := l.runtime.env.Tools.Ensure(ctx, ToolName, l.runtime.env.Progress)
	if err != nil {
		return nil, err
	}
	wasm, err := t.ReadFile(wasmFile)
	if err != nil {
		return nil, err
	}
	r := &compile.Shipment{Name: "quickjs", Wasm: wasm, Args: job.Args, Stdin: job.Stdin, Dir: newFiles(nil, job.Dir, job.Limits).dir, Limits: job.Limits,
		Entry: compile.EntryMachine, Machine: "quickjs", Image: &compile.Image{Snapshot: img.snapshot, Landmarks: img.landmarks}}
	r.Program = u.portable(art.Shape, job.Source)
	if art.Shape == compile.ShapeComponent {
		r.Inputs = job.Inputs
	}
	return r, nil
}

// portable is a unit as the runtime in a browser reads it.
type portable struct {
	Shape   compile.Shape `json:"shape"`
	Script  string        `json:"script"`
	Module  bool          `json:"module,omitempty"`
	Func    string        `json:"func"`
	Outs    []string      `json:"outs"`
	Output  bool          `json:"output,omitempty"` // the result is what is printed
	Text    bool          `json:"text,omitempty"`   // … as it is
	Discard bool          `json:"discard,omitempty"`
	Skip    int           `json:"skip,omitempty"`
	Lead    int           `json:"lead,omitempty"`
	compile.Places
}

func (u *Unit) portable(shape compile.Shape, src *compile.Source) portable {
	return portable{Shape: shape, Script: u.Script, Module: u.Module, Func: u.Func, Outs: append([]string{}, u.Outs...),
		Output: u.Results.Has("output"), Text: u.Results.AsText(), Discard: u.Results.Has("discard"),
		Skip: u.Skip, Lead: u.Lead, Places: u.places(src)}
}

// places are those of the block; what is translated is placed by its first line.
func (u *Unit) places(src *compile.Source) compile.Places {
	p := src.Places(u.Lines)
	if u.Maps[BlockFile] != nil {
		for i := range p.Lines {
			p.Lines[i] = p.Lines[0]
		}
	}
	return p
}
