package zig

import (
	"context"

	"wb/compile"
)

// Recipe implements [compile.Portable].
func (l lane) Recipe(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Recipe, error) {
	r, err := l.Runner.Recipe(ctx, art, job)
	r.Crash.Functions = map[string]string{}
	if src := job.Source; src != nil {
		for _, f := range functions(src.Body) {
			r.Crash.Functions[f.Name] = src.At(f.Line, f.Col).String()
		}
	}
	return r, err
}
