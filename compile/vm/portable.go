package vm

import (
	"context"

	"wb/compile"
)

// Ship lays out a run of the interpreter for another engine (see
// [compile.Portable]): what is frozen here is revived there, and asked program
// in the way of the interpreter's lane, with the inputs that a component has.
func (i *Interpreter) Ship(ctx context.Context, shape compile.Shape, job *compile.Job, program any) (*compile.Shipment, error) {
	image, err := i.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	t, err := i.env.Tools.Ensure(ctx, i.config.Tool, i.env.Progress)
	if err != nil {
		return nil, err
	}
	wasm, err := t.ReadFile(i.config.File)
	if err != nil {
		return nil, err
	}
	r := &compile.Shipment{Name: i.config.Tool, Wasm: wasm, Args: i.config.Args, Env: i.config.Env, Stdin: job.Stdin, Limits: job.Limits,
		Entry: compile.EntryMachine, Machine: i.config.Tool, Image: &compile.Image{Snapshot: image}, Program: program}
	if shape == compile.ShapeComponent {
		r.Inputs = job.Inputs
	}
	return r, nil
}
