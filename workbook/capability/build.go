package capability

import (
	"context"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/grants"
	"wb/workbook"
)

// builder compiles programs in the lanes of the run and runs them within the
// limits of the component that asks. A program sees no files; it holds what it
// asks for as far as the component holds it too.
func (r *run) builder(granted []string, want workbook.DockRequest) broker.Builder {
	return func(ctx context.Context, p broker.BuildRequest) (broker.Output, error) {
		lane, ok := r.lanes.Lookup(p.Language)
		if !ok || !slices.Contains(lane.Info().Shapes, compile.ShapeCommand) {
			e := dock.Errorf(dock.CodeNotFound, "build.run: no lane builds programs in %.40q", p.Language)
			if near := r.lanes.Nearest(p.Language); near != "" && near != p.Language {
				e.Help = "did you mean " + near + "?"
			}
			return broker.Output{}, e
		}
		src := &compile.Source{Pos: diag.Position{File: "program", Line: 1, Col: 1}, Lang: p.Language, Body: p.Source, Shape: compile.ShapeCommand, Args: map[string][]string{}}
		art, err := lane.Build(ctx, src)
		if err != nil {
			return broker.Output{}, dock.Errorf(dock.CodeFailed, "build.run: %v", err)
		}
		request := want
		request.Granted = grants.Ceiling(granted, p.Uses)
		for _, use := range p.Uses {
			if len(grants.Ceiling(granted, []string{use})) == 0 {
				return broker.Output{}, &dock.Error{Code: dock.CodeDenied, Message: "build.run: the program asks for " + use + ", which is not granted", Help: "wb run --grant " + use}
			}
		}
		job := &compile.Job{Stdin: p.Input, Args: p.Args, Limits: want.Limits, Source: src, Dock: r.dock(ctx, request)}
		defer job.Dock.Close()
		out, err := lane.Run(ctx, art, job)
		if out == nil {
			out = &compile.Outcome{}
		}
		if err != nil && ctx.Err() == nil { // a limit that the program broke is the affair of who built it
			err = dock.Errorf(dock.CodeFailed, "build.run: %s", strings.TrimSpace(err.Error()))
		}
		return broker.Output{Stdout: out.Stdout, Stderr: string(out.Stderr), Exit: out.Exit}, err
	}
}
