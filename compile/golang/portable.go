package golang

import (
	"context"

	"wb/compile"
	"wb/internal/value"
)

// Ship implements [compile.Portable]. A panic is reported there as Go does it.
func (l lane) Ship(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	r := &compile.Shipment{Name: "go block", Wasm: art.Wasm, Args: []string{"block"}, Env: environment(job), Stdin: job.Stdin, Dir: job.Dir, Limits: job.Limits,
		Crash: &compile.CrashGuide{Style: "go", At: failurePlace(job.Source)}}
	var err error
	switch art.Shape {
	case compile.ShapeComponent:
		r.Entry, r.Inputs, r.JSON, r.Fails = compile.EntryABI, job.Inputs, art.Meta[metaJSON] != "", art.Meta[metaFails]+art.Meta[metaJSON]
		r.Sig, err = value.ParseSig(art.Meta[metaSig])
	case compile.ShapeKernel:
		r.Entry, r.Placed = compile.EntryKernel, true
	default:
		r.Entry, r.Read = compile.EntryStart, compile.ReadText
		r.Args = append(r.Args, art.Words(metaArgs)...)
		r.Args = append(r.Args, job.Args...)
		if art.Shape == compile.ShapeBabel {
			r.Read = readingOf(art.Results())
		}
	}
	return r, err
}

// readingOf is how readOutput reads.
func readingOf(results compile.Results) compile.Reading {
	if reading := results.Reading(); reading != compile.ReadTable {
		return reading
	}
	if results.Has("table") || results.Has("vector") || results.Has("list") {
		return compile.ReadTable
	}
	return compile.ReadTrimmed
}
