package zig

import (
	"context"

	"wb/compile"
)

// Ship implements [compile.Portable].
func (l lane) Ship(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	r, err := l.Backend.Ship(ctx, art, job)
	r.Crash.Functions = map[string]string{}
	if src := job.Source; src != nil {
		for _, f := range functions(src.Body) {
			r.Crash.Functions[f.Name] = src.At(f.Line, f.Col).String()
		}
	}
	return r, err
}
