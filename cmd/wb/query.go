package main

import (
	"fmt"

	"wb/app"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org/oql"
)

// queryCmd asks questions over org files, also over workbooks in pages and bundles,
// and here until interrupted.
type queryCmd struct {
	app.QueryIn
	Watch  bool `help:"Print new matches as JSON lines until interrupted."`
	Replay bool `help:"With --watch, first print the current matches."`
}

func (c *queryCmd) Run(a *terminal) error {
	paths, text, err := app.SplitPaths(c.Args)
	if err != nil {
		return err
	}
	paths, done, err := app.SourcesOf(paths)
	if err != nil {
		return err
	}
	defer done()
	in := c.QueryIn
	in.Args, in.Paths, in.Query = nil, paths, text
	if c.Watch {
		return c.watch(a, &in)
	}
	row, _ := app.Find("query")
	return a.do(row, &in)
}

func (c *queryCmd) watch(a *terminal, in *app.QueryIn) error {
	request, _, err := in.Request(a.home())
	if err != nil {
		return err
	}
	for _, path := range request.Paths {
		if path == "-" {
			return diag.Usagef("", "- is the text on stdin, and cannot be combined with files or --watch")
		}
	}
	return oql.Watch(a.ctx, request, c.Replay, func(row value.Value) error {
		_, err := fmt.Fprintf(a.std.Out, "%s\n", row.AppendJSON(nil))
		return err
	})
}
