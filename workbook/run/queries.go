package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"wb/org"
	"wb/org/oql"
	"wb/workbook/format"
)

// A query block holds the answer to a query, brought up to date by wb run and
// wb fmt:
//
//	#+BEGIN: wb-query :query "todo:NEXT tags:work" :select "title deadline" :limit 10
//	| title            | deadline   |
//	|------------------+------------|
//	| Write the report | 2026-12-01 |
//	#+END:
//
// Rows come from the file itself, or from :files, which lie below its
// directory; @name in :query is a query saved in the file. Answers are made of
// files as they are on disk, and the file itself counts without the contents of
// its query blocks, so that an answer never asks about itself and refreshing
// twice changes nothing.

// queryBlock is the name of those dynamic blocks.
const queryBlock = "wb-query"

// maxRounds is how often a file is refreshed until nothing changes: answers
// that show line numbers move the lines below them.
const maxRounds = 4

// QueryOptions say how query blocks are answered.
type QueryOptions struct {
	// WithoutRun leaves out what a run has recorded so far: the run that is
	// going on, whose record would never be the same twice.
	WithoutRun string
}

// RefreshQueries returns the text of a file with its query blocks answered, and
// notes on those that could not be, or that name columns no row has. Blocks without an
// answer, and everything else, stay as they are.
func RefreshQueries(ctx context.Context, path string, src []byte, opts QueryOptions) ([]byte, []format.Note, error) {
	if !strings.Contains(string(src), queryBlock) {
		return src, nil, nil
	}
	for range maxRounds {
		q := &queries{path: path, opts: opts, doc: org.Parse(src)}
		if err := q.refresh(ctx); err != nil {
			return src, nil, err
		}
		out, err := org.Apply(src, q.edits)
		if err != nil {
			return src, q.notes, err
		}
		if string(out) == string(src) {
			return out, q.notes, nil
		}
		src = out
	}
	return src, nil, nil
}

type queries struct {
	path  string
	opts  QueryOptions
	doc   *org.Document
	self  *oql.Corpus // the file without the contents of its query blocks
	saved []oql.Saved
	edits []org.Edit
	notes []format.Note
}

// refresh answers every query block of the document.
func (q *queries) refresh(ctx context.Context) error {
	var blocks []org.Block
	for n := range q.doc.Nodes(org.KindDynamicBlock) {
		if b, ok := n.Block(); ok && b.Lang.Text == queryBlock {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	q.saved = oql.SavedIn(q.path, q.doc)
	emptied, err := org.Apply([]byte(q.doc.Source()), hollow(q.doc, blocks))
	if err != nil {
		return err
	}
	q.self = &oql.Corpus{Files: []*oql.File{oql.Flatten(q.path, org.Parse(emptied))}}
	for _, b := range blocks {
		text, err := q.answer(ctx, b)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			q.note(b, describe(err))
			continue
		}
		if q.doc.Text(b.Body) != text {
			q.edits = append(q.edits, org.Replace(b.Body, text))
		}
	}
	return nil
}

func (q *queries) note(b org.Block, text string) {
	line, col := q.doc.Position(b.Begin.Start)
	q.notes = append(q.notes, format.Note{Line: line, Col: col, Text: text})
}

// hollow blanks the contents of blocks; lines stay, so that places are right.
func hollow(doc *org.Document, blocks []org.Block) []org.Edit {
	var edits []org.Edit
	for _, b := range blocks {
		edits = append(edits, org.Replace(b.Body, strings.Repeat("\n", strings.Count(doc.Text(b.Body), "\n"))))
	}
	return edits
}

func describe(err error) string {
	text := err.Error()
	if hinted, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok && hinted.Hint() != "" {
		text += " (" + hinted.Hint() + ")"
	}
	return text
}

// answer is the contents of one block.
func (q *queries) answer(ctx context.Context, b org.Block) (string, error) {
	args, err := blockArgs(b.Args.Text)
	if err != nil {
		return "", err
	}
	text, err := oql.Expand(args["query"], q.saved)
	if err != nil {
		return "", err
	}
	query, err := oql.Parse(text)
	if err != nil {
		return "", err
	}
	if err := narrowed(query, args); err != nil {
		return "", err
	}
	q.withoutRun(query)
	request := oql.Request{Query: query, Below: filepath.Dir(q.path), NoIndex: true}
	if files := words(args["files"]); len(files) > 0 {
		for _, name := range files {
			query.From = append(query.From, oql.Source{Name: name, Pos: oql.Pos{Line: 1, Col: 1}})
		}
	} else if query.ReadsArguments() {
		request.Options.Corpus = q.self
	}
	a, err := oql.Ask(ctx, request)
	if err != nil {
		return "", err
	}
	defer a.Close()
	for _, note := range a.Notes {
		q.note(b, note)
	}
	return q.table(a.Result, b)
}

// withoutRun leaves out the headlines of a run.
func (q *queries) withoutRun(query *oql.Query) {
	if q.opts.WithoutRun == "" {
		return
	}
	id := oql.Arg{Kind: oql.ArgString, Text: q.opts.WithoutRun}
	conds := []oql.Expr{&oql.Not{Arg: &oql.Compare{Op: "=", Field: "RUN", Value: id}}, &oql.Not{Arg: &oql.Compare{Op: "=", Field: "ID", Value: id}}}
	if query.Where != nil {
		conds = append(conds, query.Where)
	}
	query.Where = &oql.And{Args: conds}
}

// blockColumns are shown when neither the query nor the block selects any. The
// line is not among them: it changes with every edit above.
var blockColumns = []string{"state", "priority", "title", "tags", "scheduled", "deadline"}

// narrowed applies :select, :sort and :limit.
func narrowed(query *oql.Query, args map[string]string) error {
	for _, name := range words(args["select"]) {
		query.Select = append(query.Select, oql.Column{Field: name})
	}
	for _, name := range words(args["sort"]) {
		column, desc := strings.CutPrefix(name, "-")
		query.Sort = append(query.Sort, oql.Order{Column: column, Desc: desc})
	}
	if limit, ok := args["limit"]; ok {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 0 {
			return fmt.Errorf(":limit %s is not a whole number", limit)
		}
		query.Limit = n
	}
	if len(query.Select)+len(query.Group) == 0 && query.ReadsHeadlines() {
		for _, name := range blockColumns {
			query.Select = append(query.Select, oql.Column{Field: name})
		}
	}
	return nil
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' })
}

// table is a result as an org table, aligned as wb fmt aligns it.
func (q *queries) table(res *oql.Result, b org.Block) (string, error) {
	var out strings.Builder
	if err := res.Write(&out, "org"); err != nil {
		return "", err
	}
	tidy, _ := format.Format([]byte(out.String()), format.Options{})
	begin := q.doc.Source()[b.Begin.Start:]
	indent := begin[:len(begin)-len(strings.TrimLeft(begin, " \t"))]
	eol := "\n"
	if q.doc.CRLF() {
		eol = "\r\n"
	}
	var text strings.Builder
	for line := range strings.Lines(string(tidy)) {
		text.WriteString(indent + strings.TrimSuffix(line, "\n") + eol)
	}
	return text.String(), nil
}

// blockArgs reads :key value pairs; a value is a word or in quotes.
func blockArgs(text string) (map[string]string, error) {
	args := map[string]string{}
	key := ""
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		var word string
		if rest[0] == '"' {
			end := 1
			for end < len(rest) && rest[end] != '"' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(rest) {
				return nil, fmt.Errorf("unclosed quote in: %s", text)
			}
			word = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(rest[1:end])
			rest = rest[end+1:]
		} else {
			end := strings.IndexAny(rest, " \t")
			if end < 0 {
				end = len(rest)
			}
			word, rest = rest[:end], rest[end:]
			if name, ok := strings.CutPrefix(word, ":"); ok {
				key = name
				if !knownBlockArg(key) {
					return nil, fmt.Errorf("a query block has no :%s, only :query :files :select :sort :limit", key)
				}
				args[key] = ""
				continue
			}
		}
		if key == "" {
			return nil, fmt.Errorf("write #+BEGIN: wb-query :query \"todo:NEXT\"")
		}
		args[key] = strings.TrimSpace(args[key] + " " + word)
	}
	return args, nil
}

func knownBlockArg(key string) bool {
	switch key {
	case "query", "files", "select", "sort", "limit":
		return true
	}
	return false
}

// refreshed brings the query blocks of a run's text up to date. What could not
// be answered is reported and stays.
func (r recorder) refreshed(ctx context.Context, text []byte) ([]byte, []format.Note) {
	var opts QueryOptions
	if run, ok := r.opts.Trace.(interface{ ID() string }); ok {
		opts.WithoutRun = run.ID()
	}
	out, notes, err := RefreshQueries(ctx, r.opts.File, text, opts)
	if err != nil {
		notes = append(notes, format.Note{Line: 1, Col: 1, Text: err.Error()})
	}
	return out, notes
}
