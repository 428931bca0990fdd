package wat

import (
	"context"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// Ship implements [compile.Portable].
func (l *lane) Ship(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	r := &compile.Shipment{Name: "wat", Wasm: art.Wasm, Args: []string{"block"}, Stdin: job.Stdin, Dir: job.Dir, Limits: job.Limits, Crash: crashGuide(job.Source)}
	var err error
	switch {
	case art.Shape == compile.ShapeKernel:
		r.Entry, r.Args = compile.EntryKernel, []string{"kernel"}
		r.Layout, err = art.KernelLayout()
	case art.Meta[metaFunc] != "":
		r.Entry, r.Func, r.Inputs, r.Listed = compile.EntryFunc, art.Meta[metaFunc], job.Inputs, art.Shape == compile.ShapeBabel
		if r.Sig, err = value.ParseSig(art.Meta[metaSig]); err != nil {
			return nil, err
		}
		if r.Listed {
			var vars value.Value
			vars, err = value.ParseJSON([]byte(art.Meta[metaVars]))
			r.Inputs = vars.Fields()
		}
	default:
		r.Entry, r.Read, r.Args = compile.EntryStart, compile.ReadText, append(r.Args, job.Args...)
		if art.Shape == compile.ShapeBabel {
			r.Read = art.Results().Reading()
		}
	}
	return r, err
}

// defined is a function's definition with its names.
var defined = lazyregexp.New(`\(\s*func\b[^()]*?(?:\$([^\s()]+)[^()]*)?(?:\(\s*export\s+"([^"]*)"|[()])`)

// crashGuide tells where the functions of a block are, for messages about
// traps.
func crashGuide(src *compile.Source) *compile.CrashGuide {
	if src == nil {
		return nil
	}
	g := &compile.CrashGuide{Style: "wat", At: src.At(1, 1).String(), Functions: map[string]string{}}
	for _, m := range defined.FindAllStringSubmatchIndex(src.Body, -1) {
		before := src.Body[:m[0]]
		at := src.At(1+strings.Count(before, "\n"), m[0]-strings.LastIndexByte(before, '\n')).String()
		for _, group := range []int{2, 4} {
			if m[group] >= 0 {
				if _, known := g.Functions[src.Body[m[group]:m[group+1]]]; !known {
					g.Functions[src.Body[m[group]:m[group+1]]] = at
				}
			}
		}
	}
	return g
}
