package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/org/oql"
	"wb/search/federate"
)

// queryCmd asks questions over org files in OQL.
type queryCmd struct {
	Args    []string `arg:"" optional:"" help:"Files and directories, or - for stdin, then the query; . when no path is given. @name is a query that a file keeps."`
	Format  string   `enum:"auto,table,json,ndjson,csv,org,paths,sexp" default:"auto" help:"How rows are printed (${enum}); auto is a table for a person, JSON for a program."`
	Select  []string `help:"Columns to show, comma-separated."`
	Sort    []string `help:"Columns to sort by; a leading - is descending."`
	Limit   int      `help:"Rows at most."`
	Count   bool     `help:"Print only the number of rows."`
	Explain bool     `help:"Show on stderr how the query was read, what the index answered and how long it took."`
	Saved   bool     `help:"List the queries that the files keep instead of asking one."`
	Watch   bool     `help:"Print new matches as JSON lines until interrupted."`
	Replay  bool     `help:"With --watch, first print what matches already."`
	NoIndex bool     `help:"Parse every file."`
	netGrants
}

func (c *queryCmd) Help() string {
	return `Examples:
  wb query notes/ 'todo:NEXT tags:work !someday'
  wb query events.org 'tag:tool_call exit:!=0 | group tool | count, p95 dur_ms'
  wb query plan.org '(and (todo) (deadline :to today))'
  wb query plan.org @week
  wb query report.html 'todo:NEXT'
  wb query events.org 'from:events exit:!=0' --watch

Columns such as title, state, tags and any property may be compared:
dur_ms:>1000, title:~^Draft, effort:<2:00. Sources: from:blocks, from:links,
from:tables, from:events, from:runs or a path below the working directory.
#+OQL: week = todo:NEXT deadline:to=7 in a file keeps a query.`
}

func (c *queryCmd) Run(a *app) error {
	paths, text, err := splitPaths(c.Args)
	if err != nil {
		return err
	}
	paths, done, err := sourcesOf(paths)
	if err != nil {
		return err
	}
	defer done()
	if c.Saved {
		return c.list(a, paths)
	}
	if strings.HasPrefix(text, "@") {
		saved, err := oql.ReadSaved(orHere(paths))
		if err != nil {
			return err
		}
		if text, err = oql.Expand(text, saved); err != nil {
			return err
		}
	}
	q, err := oql.Parse(text)
	if err != nil {
		return err
	}
	c.narrow(q)
	paths, tables := cutTables(paths)
	for _, name := range tables {
		q.From = append(q.From, oql.Source{Name: name, Pos: oql.Pos{Line: 1, Col: 1}})
	}
	catalog, err := c.catalog(a, tables)
	if err != nil {
		return err
	}
	request := oql.Request{Paths: paths, Query: q, NoIndex: c.NoIndex, Options: oql.Options{Foreign: catalog}}
	if slices.Contains(paths, "-") {
		if request.Options.Corpus, err = c.stdin(a, paths); err != nil {
			return err
		}
	}
	if c.Watch {
		return oql.Watch(a.ctx, request, c.Replay, func(row value.Value) error {
			_, err := fmt.Fprintf(a.std.Out, "%s\n", row.AppendJSON(nil))
			return err
		})
	}
	answer, err := oql.Ask(a.ctx, request)
	if err != nil {
		return err
	}
	for _, note := range answer.Notes {
		a.note("%s", note)
	}
	failed := reportFailures(a, answer.Result, catalog.Failures())
	err = errors.Join(c.print(a, answer), failed)
	if closeErr := answer.Close(); closeErr != nil {
		a.note("the index could not be written: %v", closeErr)
	}
	if c.Explain {
		for _, line := range answer.Explain(q) {
			a.note("%s", line)
		}
	}
	return err
}

// stdin reads the one file that "-" stands for.
func (c *queryCmd) stdin(a *app, paths []string) (*oql.Corpus, error) {
	if len(paths) > 1 || c.Watch {
		return nil, &codedError{text: "- is the text on stdin, and cannot be combined with files or --watch", code: diag.ExitUsage}
	}
	src, err := io.ReadAll(a.std.In)
	if err != nil {
		return nil, err
	}
	return &oql.Corpus{Files: []*oql.File{oql.Flatten("stdin.org", org.Parse(src))}}, nil
}

// narrow adds what flags ask to the query.
func (c *queryCmd) narrow(q *oql.Query) {
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
		q.Counted()
	}
}

func (c *queryCmd) print(a *app, answer *oql.Answer) error {
	if a.json {
		return a.answer("query", answer.Objects(), nil)
	}
	return answer.Write(a.std.Out, c.format(a, answer.Result))
}

// list prints the saved queries.
func (c *queryCmd) list(a *app, paths []string) error {
	saved, err := oql.ReadSaved(orHere(paths))
	if err != nil {
		return err
	}
	if a.json {
		return a.answer("query", saved, nil)
	}
	for _, s := range saved {
		fmt.Fprintf(a.std.Out, "%s:%d: @%s = %s\n", s.Path, s.Line, s.Name, s.Text)
	}
	return nil
}

// cutTables takes the files that are no org files out of the paths.
func cutTables(paths []string) (rest, tables []string) {
	for _, p := range paths {
		if federate.IsTable(p) {
			tables = append(tables, p)
		} else {
			rest = append(rest, p)
		}
	}
	return rest, tables
}

func orHere(paths []string) []string {
	if len(paths) == 0 {
		return []string{"."}
	}
	return paths
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
// the query. A missing file is an error, not a word to search for.
func splitPaths(args []string) (paths []string, query string, err error) {
	var words []string
	for i, arg := range args {
		_, statErr := os.Stat(arg)
		switch {
		case (statErr == nil || arg == "-") && len(words) == 0:
			paths = append(paths, arg)
		case statErr == nil && looksLikePath(arg, false):
			return nil, "", &usageError{err: fmt.Errorf("%s stands after the query", arg), hint: fmt.Sprintf("files come first: wb query %s '%s'", arg, strings.Join(words, " "))}
		case looksLikePath(arg, len(words) == 0 && i+1 < len(args)):
			return nil, "", missingFile(arg)
		default:
			words = append(words, arg)
		}
	}
	return paths, strings.Join(words, " "), nil
}

// looksLikePath reports whether an argument that does not exist was meant to be
// a file or a directory. A slash within it says so where a query follows.
func looksLikePath(arg string, followed bool) bool {
	if strings.ContainsAny(arg, " :(!\"|") {
		return false
	}
	return strings.HasSuffix(arg, ".org") || federate.IsTable(arg) || strings.HasSuffix(arg, "/") ||
		strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") || followed && strings.Contains(arg, "/")
}
