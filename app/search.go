package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/search"
)

// SearchIn holds the arguments of wb search.
type SearchIn struct {
	Text     []string `arg:"" optional:"" help:"Words, \"phrases\", begin*, -unwanted, +required, OQL conditions."`
	In       []string `complete:"files" help:"Files and directories to search; all of the directory when none is given." placeholder:"PATH"`
	K        int      `short:"k" default:"8" help:"The most headings to print."`
	Where    string   `help:"An OQL condition that headings must meet." placeholder:"OQL"`
	Facet    []string `help:"Count the headings found by tags, todo, file or lang." placeholder:"NAME"`
	Semantic bool     `on:"terminal" help:"Fuse with the nearest vectors of the configured embedding endpoint."`
	Eval     string   `on:"terminal" help:"Measure the ranking by judged queries." placeholder:"QRELS"`
}

// SearchOut is headings, best first, or how good the ranking is.
type SearchOut struct {
	*search.Answer
	Report *search.Report
}

// Data is the answer as programs read it.
func (out *SearchOut) Data() any {
	if out.Report != nil {
		return out.Report
	}
	return out.Answer
}

var searchFor = Verb[SearchIn, *SearchOut]{
	Name: "search", Help: "Find headings by their text, best match first.",
	Model: "Find the headings that best match words, with a snippet of each.",
	About: `Examples:
  wb search 'fuel limit'
  wb search --in notes/ '"state directory" journal -agent todo:NEXT'
  wb search --where '(and (todo) (deadline :to 7))' invoice

A terminal gets a list with snippets, a pipe JSON. The index is kept in .wb/ or
the user's cache and brings itself up to date.`,
	Doors: Tools | Agents,
	Do:    func(ctx context.Context, h *Home, in *SearchIn) (*SearchOut, error) { return in.search(ctx, h) },
	Text: func(p *Page, out *SearchOut) error {
		switch {
		case out.Report != nil:
			return out.Report.Write(p)
		case p.Reader == Program && len(out.Facets) > 0:
			return p.JSON(out.Answer)
		case p.Reader == Program:
			return p.JSON(out.Hits)
		case p.Reader == Model:
			return out.model(p)
		}
		return out.person(p)
	},
}

func (in *SearchIn) search(ctx context.Context, h *Home) (*SearchOut, error) {
	paths, err := h.paths(in.In)
	if err != nil {
		return nil, err
	}
	presets, err := h.presets()
	if err != nil {
		return nil, err
	}
	config := search.Config{Paths: paths, Presets: presets.Of, Warn: h.warn}
	var read func()
	config.Progress, read = h.follow("reading", "files")
	defer read()
	if h.Root == nil { // nothing of a bounded directory is sent anywhere
		config.Embedder = search.EmbedderFromEnv(os.Getenv)
	}
	if in.Semantic && config.Embedder == nil {
		return nil, search.NoEmbedderError{}
	}
	if in.Eval != "" {
		report, err := search.Evaluate(ctx, in.Eval, config, search.EvalOptions{Semantic: in.Semantic})
		return &SearchOut{Report: report}, err
	}
	q, err := search.ParseQuery(strings.Join(in.Text, " "))
	if err != nil {
		return nil, err
	}
	if len(q.Terms) == 0 {
		return nil, diag.Usagef("wb search 'some words'; conditions alone are for wb query", "nothing to search for")
	}
	x, err := search.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	stats, err := x.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	read()
	if h.Verbose {
		h.notef("%d files, %d read again, %d removed, index in %s", stats.Files, stats.Changed, stats.Removed, x.Dir())
	}
	opts := search.Options{K: in.K, Semantic: in.Semantic, Facets: in.Facet}
	if where := strings.TrimSpace(q.Where + " " + in.Where); where != "" {
		var notes []string
		if opts.Allowed, notes, err = x.Filter(ctx, where); err != nil {
			return nil, err
		}
		for _, note := range notes {
			h.notef("%s", note)
		}
	}
	answer, err := x.Search(ctx, q, opts)
	if err != nil {
		return nil, err
	}
	for _, word := range slices.Sorted(maps.Keys(answer.Respelt)) {
		h.notef("no heading contains %q: searched for %s", word, strings.Join(answer.Respelt[word], ", "))
	}
	if h.Root != nil {
		for i := range answer.Hits {
			if rel, err := filepath.Rel(h.Dir, answer.Hits[i].Path); err == nil {
				answer.Hits[i].Path = filepath.ToSlash(rel)
			}
		}
	}
	return &SearchOut{Answer: answer}, nil
}

// model writes hits as a model reads them.
func (out *SearchOut) model(p *Page) error {
	if len(out.Hits) == 0 {
		_, err := fmt.Fprintln(p, "nothing found")
		return err
	}
	for i, hit := range out.Hits {
		if i > 0 {
			fmt.Fprintln(p)
		}
		fmt.Fprintf(p, "%s:%d %s\n%s\n", hit.Path, hit.Line, strings.Join(hit.Outline, " › "), hit.Snippet)
	}
	return nil
}

// person writes hits with what was searched for marked.
func (out *SearchOut) person(p *Page) error {
	for _, h := range out.Hits {
		title := strings.Join(h.Outline, " › ")
		if len(h.Tags) > 0 {
			title += "  " + p.Paint("35", ":"+strings.Join(h.Tags, ":")+":")
		}
		fmt.Fprintf(p, "%s  %s\n", p.Paint("36", fmt.Sprintf("%s:%d", h.Path, h.Line)), p.Paint("1", title))
		var b strings.Builder
		at := 0
		for _, m := range h.Marks {
			b.WriteString(h.Snippet[at:m[0]] + p.Paint("1;33", h.Snippet[m[0]:m[1]]))
			at = m[1]
		}
		if line := b.String() + h.Snippet[at:]; line != "" {
			fmt.Fprintf(p, "    %s\n", line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(out.Facets)) {
		fmt.Fprintf(p, "%s:", name)
		for _, f := range out.Facets[name] {
			fmt.Fprintf(p, "  %s %d", f.Value, f.Count)
		}
		fmt.Fprintln(p)
	}
	how := ""
	if out.Semantic {
		how = ", semantic"
	}
	_, err := fmt.Fprintf(p, "%d of %d headings%s\n", len(out.Hits), out.Found, how)
	return err
}
