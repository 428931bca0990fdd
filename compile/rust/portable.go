package rust

import (
	"context"

	"wb/compile"
	"wb/value"
)

// Recipe implements [compile.Portable]. A panic is placed at its block there.
func (l lane) Recipe(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Recipe, error) {
	r := &compile.Recipe{Name: "rust block", Wasm: art.Wasm, Args: []string{"block"}, Stdin: job.Stdin, Dir: job.Dir, Limits: job.Limits, Fails: art.Meta[metaFails],
		Crash: &compile.CrashGuide{Style: "rust", At: bodyFile}}
	if job.Source != nil {
		r.Crash.At = job.Source.At(1, 1).String()
	}
	r.Args = append(r.Args, art.Words(metaArgs)...)
	r.Args = append(r.Args, job.Args...)
	if art.Shape != compile.ShapeComponent {
		r.Entry, r.Read = compile.EntryStart, compile.ReadText
		if art.Shape == compile.ShapeBabel {
			r.Read = art.Results().Reading()
		}
		return r, nil
	}
	r.Entry, r.Inputs = compile.EntryABI, job.Inputs
	var err error
	r.Sig, err = value.ParseSig(art.Meta[metaSig])
	return r, err
}
