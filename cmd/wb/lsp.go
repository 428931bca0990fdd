package main

import (
	"context"

	"wb/compile"
	"wb/serve/lsp"
	"wb/workbook"
)

// lspCmd serves an editor over standard input and output.
type lspCmd struct {
	Grant  []string `help:"Grant a capability to what the editor runs, such as clock or net:api.example.com." placeholder:"CAP"`
	Events string   `help:"Events file in place of events.org beside the workbook; none records nothing." placeholder:"FILE"`
	Stdio  bool     `help:"Speak on standard input and output, as it always does; editors add this flag."`
}

func (c *lspCmd) Help() string {
	return "Started by editors:\n  Emacs     M-x eglot in an org file, after (require 'wb)\n  others    run `wb lsp` for the language org\n\nIt never writes a workbook: edits go to the editor, also those of a run."
}

func (c *lspCmd) Run(a *app) error {
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		server := lsp.New(lsp.Config{
			Version:   version(),
			Languages: lanes,
			Options:   workbook.Options{Grants: c.Grant},
			Run: func(ctx context.Context, r lsp.RunRequest) (*workbook.Report, error) {
				return c.runText(ctx, a, lanes, r)
			},
		})
		return server.Serve(a.ctx, a.std.In, a.std.Out)
	})
}

// runText runs what an editor has open, as wb run would, and leaves the file
// alone.
func (c *lspCmd) runText(ctx context.Context, a *app, lanes *compile.Registry, r lsp.RunRequest) (*workbook.Report, error) {
	run := &runCmd{Only: r.Only, Force: r.Force, Events: c.Events, Profile: r.Profile, Grant: append(r.Grants, c.Grant...)}
	opts, err := run.options()
	if err != nil {
		return nil, err
	}
	opts.File, opts.Source, opts.Lanes = r.File, r.Source, lanes
	opts.KeepText, opts.Progress = true, r.Progress
	return run.execute(ctx, a, opts)
}
