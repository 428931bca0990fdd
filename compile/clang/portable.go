package clang

import (
	"context"
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// Ship implements [compile.Portable]: programs, components and kernels are
// modules that need nothing but WASI.
func (l *lane) Ship(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	r := &compile.Shipment{Name: l.info.Name, Wasm: art.Wasm, Args: []string{"block"}, Stdin: job.Stdin, Dir: job.Dir, Limits: job.Limits, Crash: crashGuide(job.Source)}
	var err error
	switch art.Shape {
	case compile.ShapeComponent:
		r.Entry, r.Inputs = compile.EntryABI, job.Inputs
		r.Sig, err = value.ParseSig(art.Meta[metaSig])
	case compile.ShapeKernel:
		r.Entry, r.Args, r.Stdin = compile.EntryKernel, []string{"kernel"}, job.Stdin
		r.Layout, err = art.KernelLayout()
	default:
		r.Entry, r.Read = compile.EntryStart, compile.ReadText
		r.Args = append(r.Args, art.Words(metaCmdline)...)
		r.Args = append(r.Args, job.Args...)
		if art.Shape == compile.ShapeBabel {
			r.Dedent, r.Read = true, art.Results().Reading()
		}
	}
	return r, err
}

// crashGuide tells where the functions of a block are, for messages about
// traps.
func crashGuide(src *compile.Source) *compile.CrashGuide {
	if src == nil {
		return nil
	}
	g := &compile.CrashGuide{Style: "c", At: src.At(1, 1).String(), Functions: map[string]string{}}
	for _, f := range functions(src.Body) {
		if f.defined {
			g.Functions[f.name] = src.At(f.line, f.col).String()
		}
	}
	for line := range 1 + strings.Count(src.Body, "\n") {
		g.Lines = append(g.Lines, src.At(line+1, 1).String())
	}
	return g
}
