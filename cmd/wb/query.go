package main

import (
	"os"
	"path/filepath"
	"strings"

	"wb/internal/nearest"
	"wb/org/oql"
)

// queryCmd asks questions over org files in OQL.
type queryCmd struct {
	Args    []string `arg:"" optional:"" help:"Files and directories, then the query; . when no path is given."`
	Format  string   `enum:"auto,table,json,ndjson,csv,org,paths,sexp" default:"auto" help:"How rows are printed (${enum}); auto is a table for a person, JSON for a program."`
	Select  []string `help:"Columns to show, comma-separated."`
	Sort    []string `help:"Columns to sort by; a leading - is descending."`
	Limit   int      `help:"Rows at most."`
	Count   bool     `help:"Print only the number of rows."`
	Explain bool     `help:"Show how the query is read and what it looked at."`
}

func (c *queryCmd) Help() string {
	return `Examples:
  wb query notes/ 'todo:NEXT tags:work !someday'
  wb query events.org 'tag:tool_call exit:!=0 | group tool | count, p95 dur_ms'
  wb query plan.org '(and (todo) (deadline :to today))'

Columns such as title, state, tags and any property may be compared:
dur_ms:>1000, title:~^Draft, effort:<2:00. Sources: from:blocks, from:links,
from:tables, from:events, from:runs or a path below the working directory.`
}

func (c *queryCmd) Run(a *app) error {
	paths, text, err := splitPaths(c.Args)
	if err != nil {
		return err
	}
	q, err := oql.Parse(text)
	if err != nil {
		return err
	}
	for _, name := range c.Select {
		q.Select = append(q.Select, oql.Column{Field: name})
	}
	for _, name := range c.Sort {
		column, desc := strings.CutPrefix(name, "-")
		q.Sort = append(q.Sort, oql.Order{Column: column, Desc: desc})
	}
	if c.Limit > 0 {
		q.Limit = c.Limit
	}
	if c.Count {
		q.Select = []oql.Column{{Func: "count"}}
	}
	opts := oql.Options{Open: oql.OpenBelow(".")}
	if len(paths) > 0 || q.ReadsArguments() {
		if len(paths) == 0 {
			paths = []string{"."}
		}
		if opts.Corpus, err = oql.ReadPaths(a.ctx, paths); err != nil {
			return err
		}
	}
	res, err := oql.Run(a.ctx, q, opts)
	if err != nil {
		return err
	}
	if c.Explain {
		a.note("query  %s", q)
		a.note("read   %d rows of kind %s, %d answers", res.Read, res.Kind, len(res.Rows))
	}
	if a.json {
		return a.answer("query", res.Objects(), nil)
	}
	return res.Write(a.std.Out, c.format(a, res))
}

// format picks a table for people and JSON for programs; --count is a number.
func (c *queryCmd) format(a *app, _ *oql.Result) string {
	switch {
	case c.Count && c.Format == "auto":
		return "bare"
	case c.Format != "auto":
		return c.Format
	case isTerminal(a.std.Out):
		return "table"
	}
	return "json"
}

// splitPaths tells paths from the query: what exists is a path, the rest is
// the query. A missing .org file is an error, not a word to search for.
func splitPaths(args []string) (paths []string, query string, err error) {
	var words []string
	for _, arg := range args {
		_, statErr := os.Stat(arg)
		switch {
		case statErr == nil && len(words) == 0:
			paths = append(paths, arg)
		case strings.HasSuffix(arg, ".org") && !strings.ContainsAny(arg, " :("):
			return nil, "", missingFile(arg)
		default:
			words = append(words, arg)
		}
	}
	return paths, strings.Join(words, " "), nil
}

// missingFile is a not-found error that names the nearest file beside it.
func missingFile(name string) error {
	e := &codedError{text: name + ": no such file", code: exitNotFound}
	siblings, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*"+filepath.Ext(name)))
	if near := nearest.Word(name, siblings); near != "" {
		e.hint = "did you mean " + near + "?"
	}
	return e
}
