package zig

import (
	"context"

	"wb/compile"
	"wb/value"
)

// Recipe implements [compile.Portable].
func (l lane) Recipe(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Recipe, error) {
	r := &compile.Recipe{Name: "zig block", Wasm: art.Wasm, Args: []string{"block"}, Stdin: job.Stdin, Dir: job.Dir, Limits: job.Limits, Fails: art.Meta[metaFails],
		Crash: &compile.CrashGuide{Style: "zig", At: place(job.Source), Functions: map[string]string{}}}
	r.Args = append(r.Args, art.Words(metaArgs)...)
	r.Args = append(r.Args, job.Args...)
	if src := job.Source; src != nil {
		for _, f := range functions(src.Body) {
			r.Crash.Functions[f.name] = src.At(f.line, f.col).String()
		}
	}
	var err error
	switch art.Shape {
	case compile.ShapeComponent:
		r.Entry, r.Inputs = compile.EntryABI, job.Inputs
		r.Sig, err = value.ParseSig(art.Meta[metaSig])
	case compile.ShapeKernel:
		r.Entry, r.Placed = compile.EntryKernel, true
	default:
		r.Entry, r.Read = compile.EntryStart, compile.ReadText
		if art.Shape == compile.ShapeBabel {
			r.Read = art.Results().Reading()
		}
	}
	return r, err
}
