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
	Events string   `help:"Events file in place of events.org beside the workbook; with none, record nothing." placeholder:"FILE"`
	Stdio  bool     `help:"Speak on standard input and output. This is always so; some editors add the flag."`
}

func (c *lspCmd) Help() string {
	return "Started by editors:\n  Emacs     M-x eglot in an org file, after (require 'wb)\n  others    run `wb lsp` for the language org\n\nIt never writes a workbook: all edits, also the results of a run, go to the editor."
}

func (c *lspCmd) Run(a *terminal) error {
	return a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		return a.editor(c, lanes).Serve(a.ctx, a.std.In, a.std.Out)
	})
}

// editor makes a server for an editor.
func (a *terminal) editor(c *lspCmd, lanes *compile.Registry) *lsp.Server {
	return lsp.New(lsp.Config{Version: version(), Languages: lanes, Grants: c.Grant,
		Run: func(ctx context.Context, r lsp.RunRequest) (*workbook.Report, error) {
			return c.runText(ctx, a, lanes, r)
		}})
}

// runText runs what an editor has open, as wb run would, and leaves the file
// alone.
func (c *lspCmd) runText(ctx context.Context, a *terminal, lanes *compile.Registry, r lsp.RunRequest) (*workbook.Report, error) {
	run := &runCmd{Events: c.Events}
	home, err := run.home(a)
	if err != nil {
		return nil, err
	}
	ran, err := home.Run(ctx, workbook.Options{
		Book:      workbook.Book{File: r.File, Source: r.Source, Lanes: lanes},
		Selection: workbook.Selection{Only: r.Only, Force: r.Force},
		Authority: workbook.Authority{Profile: r.Profile, Grants: append(r.Grants, c.Grant...)},
		Listeners: workbook.Listeners{Progress: r.Progress, Output: r.Output},
		Write:     workbook.WriteFiles,
	})
	if ran == nil {
		return nil, err
	}
	return ran.Report, err
}
