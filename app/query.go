package app

import (
	"context"
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

// QueryIn holds the arguments of wb query: words, or a query and the paths it is about.
type QueryIn struct {
	Args    []string `arg:"" complete:"files" optional:"" json:"-" help:"Files and directories, or - for stdin, then the query; . when no path is given. @name runs a query saved in a file."`
	Query   string   `kong:"-" json:"query" required:"" help:"The query, in OQL."`
	Paths   []string `kong:"-" json:"paths" help:"Files and directories; all of the directory when none is given."`
	Format  string   `on:"terminal" enum:"auto,table,json,ndjson,csv,org,paths,sexp" default:"auto" help:"How to print rows (${enum}); auto prints a table on a terminal and JSON elsewhere."`
	Select  []string `help:"Columns to show, comma-separated."`
	Sort    []string `help:"Columns to sort by; a leading - is descending."`
	Limit   int      `help:"The most rows to print."`
	Count   bool     `help:"Print only the number of rows."`
	Explain bool     `on:"terminal" help:"Show on stderr how the query was parsed, how the index was used and how long it took."`
	Saved   bool     `help:"List the saved queries of the files instead of running one."`
	NoIndex bool     `help:"Use no index: parse every file."`

	TableFlags
}

// TableFlags say how tables that are not org files are read.
type TableFlags struct {
	Grant   []string `on:"terminal" help:"Grant the network access that a table needs: net:HOST, net:HOST:PORT or net:SCHEME://HOST:PORT." placeholder:"CAP"`
	OnError string   `on:"terminal" enum:"stop,skip,null" default:"stop" help:"What to do with table rows that cannot be read (${enum}): fail, leave them out, or return a row of nulls."`
}

// QueryOut is rows, or the queries that files keep.
type QueryOut struct {
	in     *QueryIn
	answer *oql.Answer
	saved  []oql.Saved
	failed bool // a table could not be read
}

// Data is the rows as programs read them.
func (out *QueryOut) Data() any {
	if out.in.Saved {
		return out.saved
	}
	return out.answer.Objects()
}

// Exit is 1 when a table could not be read.
func (out *QueryOut) Exit() int {
	if out.failed {
		return diag.ExitFailed
	}
	return 0
}

var query = Verb[QueryIn, *QueryOut]{
	Name: "query", Help: "Ask questions over notes, blocks, tables and runs in OQL.",
	Model: "Ask over headings, blocks, links, tables, events and runs in OQL, for example: todo:NEXT tags:work, or tag:tool_call exit:!=0 | group tool | count.",
	About: `Examples:
  wb query notes/ 'todo:NEXT tags:work !someday'
  wb query events.org 'tag:tool_call exit:!=0 | group tool | count, p95 dur_ms'
  wb query plan.org '(and (todo) (deadline :to today))'
  wb query plan.org @week
  wb query report.html 'todo:NEXT'
  wb query events.org 'from:events exit:!=0' --watch

Columns such as title, state, tags and any property may be compared:
dur_ms:>1000, title:~^Draft, effort:<2:00. Sources: from:blocks, from:links,
from:tables, from:events, from:runs or a path below the working directory.
#+OQL: week = todo:NEXT deadline:to=7 in a file keeps a query.`,
	Doors: Tools | Agents, List: "rows",
	Do: func(ctx context.Context, h *Home, in *QueryIn) (*QueryOut, error) {
		if len(in.Args) > 0 {
			if err := in.split(h); err != nil {
				return nil, err
			}
		}
		return in.ask(ctx, h)
	},
	Text: func(p *Page, out *QueryOut) error { return out.text(p) },
}

// split parts the words of a command line.
func (in *QueryIn) split(h *Home) (err error) {
	if h.Root == nil {
		in.Paths, in.Query, err = SplitPaths(in.Args)
		return err
	}
	last := len(in.Args) - 1
	in.Paths, in.Query = in.Args[:last], in.Args[last]
	return nil
}

// Request is a parsed query with its sources.
func (in *QueryIn) Request(h *Home) (oql.Request, *federate.Catalog, error) {
	var none oql.Request
	paths, err := h.orgPaths(in.Paths)
	if err != nil {
		return none, nil, err
	}
	text := in.Query
	if strings.HasPrefix(text, "@") {
		saved, err := oql.ReadSaved(orHere(paths))
		if err != nil {
			return none, nil, err
		}
		if text, err = oql.Expand(text, saved); err != nil {
			return none, nil, err
		}
	}
	q, err := oql.Parse(text)
	if err != nil {
		return none, nil, err
	}
	in.narrow(q)
	presets, err := h.presets()
	if err != nil {
		return none, nil, err
	}
	request := oql.Request{Paths: paths, Query: q, NoIndex: in.NoIndex, Presets: presets.Of}
	if h.Tables == nil {
		if in.Limit == 0 && q.Limit == 0 {
			q.Limit = modelRows
		}
		return request, nil, ownRows(q)
	}
	var tables []string
	if request.Paths, tables = cutTables(paths); len(tables) > 0 {
		for _, name := range tables {
			q.From = append(q.From, oql.Source{Name: name, Pos: oql.Pos{Line: 1, Col: 1}})
		}
	}
	catalog, err := h.Tables(in.TableFlags, tables)
	if err != nil {
		return none, nil, err
	}
	request.Options = oql.Options{Foreign: catalog}
	return request, catalog, nil
}

// modelRows is how many rows a program gets that asks for no number.
const modelRows = 100

func (in *QueryIn) ask(ctx context.Context, h *Home) (*QueryOut, error) {
	out := &QueryOut{in: in}
	if in.Saved {
		paths, err := h.orgPaths(in.Paths)
		if err != nil {
			return nil, err
		}
		out.saved, err = oql.ReadSaved(orHere(paths))
		return out, err
	}
	request, catalog, err := in.Request(h)
	if err != nil {
		return nil, err
	}
	if slices.Contains(request.Paths, "-") {
		if request.Options.Corpus, err = h.corpus(request.Paths, request.Presets); err != nil {
			return nil, err
		}
	}
	return out, out.ask(ctx, h, request, catalog)
}

func (out *QueryOut) ask(ctx context.Context, h *Home, request oql.Request, catalog *federate.Catalog) (err error) {
	var read func()
	request.Progress, read = h.follow("reading", "files")
	out.answer, err = oql.Ask(ctx, request)
	read()
	if err != nil {
		return err
	}
	if out.answer.Read == 0 {
		if err := checkTexts(request.Paths); err != nil {
			return errors.Join(err, out.answer.Close())
		}
	}
	for _, note := range out.answer.Notes {
		h.notef("%s", note)
	}
	if catalog != nil {
		out.failed = h.failures(out.answer.Result, catalog.Failures())
	}
	h.later(func() {
		types := ""
		if out.in.Explain {
			types = out.answer.Types()
		}
		if err := out.answer.Close(); err != nil {
			h.notef("the index could not be written: %v", err)
		}
		if out.in.Explain {
			for _, line := range out.answer.Explain(request.Query, types) {
				h.notef("%s", line)
			}
		}
	})
	return nil
}

// corpus is the one file that - stands for.
func (h *Home) corpus(paths []string, presets oql.Presets) (*oql.Corpus, error) {
	if len(paths) > 1 || h.Stdin == nil {
		return nil, diag.Usagef("", "- is the text on stdin, and cannot be combined with files or --watch")
	}
	src, err := io.ReadAll(h.Stdin)
	if err != nil {
		return nil, err
	}
	if err := checkText("stdin.org", src); err != nil {
		return nil, err
	}
	return &oql.Corpus{Files: []*oql.File{oql.Flatten("stdin.org", org.ParseWith(src, presets.Of("stdin.org")))}}, nil
}

// narrow adds what flags ask to the query.
func (in *QueryIn) narrow(q *oql.Query) {
	for _, name := range in.Select {
		q.Select = append(q.Select, oql.Column{Field: name})
	}
	for _, name := range in.Sort {
		column, desc := strings.CutPrefix(name, "-")
		q.Sort = append(q.Sort, oql.Order{Column: column, Desc: desc})
	}
	if in.Limit > 0 {
		q.Limit = in.Limit
	}
	if in.Count {
		q.Counted()
	}
}

// text prints rows; auto is a table for people, JSON for programs, and a number
// with --count.
func (out *QueryOut) text(p *Page) error {
	if out.in.Saved {
		for _, s := range out.saved {
			fmt.Fprintf(p, "%s:%d: @%s = %s\n", s.Path, s.Line, s.Name, s.Text)
		}
		return nil
	}
	format := out.in.Format
	if format == "auto" || format == "" {
		switch {
		case out.in.Count:
			format = "bare"
		case p.Reader == Person:
			format = "table"
		default:
			format = "json"
		}
	}
	return out.answer.Write(p, format)
}

// ownRows refuses sources other than kinds of rows: a bounded home names files by paths.
func ownRows(q *oql.Query) error {
	sources := slices.Clone(q.From)
	for _, j := range q.Joins {
		sources = append(sources, j.From...)
	}
	for _, from := range sources {
		if !slices.Contains(oql.RowKinds, from.Name) {
			return fmt.Errorf("from %q: name files with paths; from takes %s", from.Name, strings.Join(oql.RowKinds, ", "))
		}
	}
	return nil
}

// failures shows the tables that could not be read: as rows of the answer, and in
// notes with what helps.
func (h *Home) failures(res *oql.Result, failures []federate.Failure) bool {
	for _, f := range failures {
		addFailure(res, f)
		h.notef("wb: %s", strings.Replace(f.Source+": "+f.Err.Error(), f.Source+": "+f.Source+":", f.Source+":", 1))
		h.hint(diag.HintOf(f.Err))
	}
	return len(failures) > 0
}

// addFailure adds a row with the columns source and error.
func addFailure(res *oql.Result, f federate.Failure) {
	column := func(name string) int {
		for i, c := range res.Columns {
			if c == name {
				return i
			}
		}
		res.Columns = append(res.Columns, name)
		for i := range res.Rows {
			res.Rows[i] = append(res.Rows[i], value.Nil())
		}
		return len(res.Columns) - 1
	}
	source, failure := column("source"), column("error")
	row := make([]value.Value, len(res.Columns))
	row[source], row[failure] = value.OfString(f.Source), value.OfString(f.Err.Error())
	res.Rows = append(res.Rows, row)
	if res.Places != nil {
		res.Places = append(res.Places, oql.Place{Path: f.Source})
	}
}

// cutTables takes the files that are not org files out of the paths.
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

// SplitPaths tells paths from the query: what exists is a path, the rest is
// the query. A missing file is an error, not a word to search for.
func SplitPaths(args []string) (paths []string, query string, err error) {
	var words []string
	for i, arg := range args {
		_, statErr := os.Stat(arg)
		switch {
		case (statErr == nil || arg == "-") && len(words) == 0:
			paths = append(paths, arg)
		case statErr == nil && looksLikePath(arg, false):
			return nil, "", diag.Usagef(fmt.Sprintf("files come first: wb query %s '%s'", arg, strings.Join(words, " ")), "%s comes after the query", arg)
		case looksLikePath(arg, len(words) == 0 && i+1 < len(args)):
			return nil, "", MissingFile(arg)
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
