package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"wb/search"
)

// searchCmd finds headings by what stands under them.
type searchCmd struct {
	Text     []string `arg:"" optional:"" help:"Words, \"phrases\", begin*, -unwanted, +required, OQL conditions."`
	In       []string `help:"Files and directories to search; . when none is given." placeholder:"PATH"`
	K        int      `short:"k" default:"8" help:"Headings at most."`
	Where    string   `help:"An OQL condition that headings must meet." placeholder:"OQL"`
	Facet    []string `help:"Count all headings found by tags, todo, file or lang." placeholder:"NAME"`
	Semantic bool     `help:"Fuse with the nearest vectors of the configured embedding endpoint."`
	Eval     string   `help:"Measure the ranking by judged queries." placeholder:"QRELS"`
}

func (c *searchCmd) Help() string {
	return `Examples:
  wb search 'fuel limit'
  wb search --in notes/ '"state directory" journal -agent todo:NEXT'
  wb search --where '(and (todo) (deadline :to 7))' invoice

A terminal gets a list with snippets, a pipe JSON. The index is kept in .wb/ or
the user's cache and brings itself up to date.`
}

func (c *searchCmd) Run(a *app) error {
	config := search.Config{Paths: c.In, Embedder: search.EmbedderFromEnv(os.Getenv), Warn: func(err error) { a.note("wb: warning: %v", err) }}
	if c.Semantic && config.Embedder == nil {
		return search.NoEmbedderError{}
	}
	if c.Eval != "" {
		return c.evaluate(a, config)
	}
	q, err := search.ParseQuery(strings.Join(c.Text, " "))
	if err != nil {
		return err
	}
	if len(q.Terms) == 0 {
		return &usageError{err: fmt.Errorf("nothing to search for"), hint: "wb search 'some words'; conditions alone are for wb query"}
	}
	x, err := search.Open(a.ctx, config)
	if err != nil {
		return err
	}
	defer x.Close()
	stats, err := x.Refresh(a.ctx)
	if err != nil {
		return err
	}
	if a.verbose {
		a.note("%d files, %d read anew, %d removed, index in %s", stats.Files, stats.Changed, stats.Removed, x.Dir())
	}
	opts := search.Options{K: c.K, Semantic: c.Semantic, Facets: c.Facet}
	if where := strings.TrimSpace(q.Where + " " + c.Where); where != "" {
		if opts.Allowed, err = x.Filter(a.ctx, where); err != nil {
			return err
		}
	}
	answer, err := x.Search(a.ctx, q, opts)
	if err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(answer.Respelt)) {
		a.note("nobody wrote %q: searched for %s", word, strings.Join(answer.Respelt[word], ", "))
	}
	return a.answer("search", answer, func(w io.Writer) error {
		if isTerminal(a.std.Out) {
			return writeHits(w, answer, colour(a.std.Out))
		}
		if len(c.Facet) > 0 {
			return a.bare(answer)
		}
		return a.bare(answer.Hits)
	})
}

// writeHits shows headings to a person.
func writeHits(w io.Writer, answer *search.Answer, coloured bool) error {
	paint := func(code, text string) string {
		if !coloured || text == "" {
			return text
		}
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	for _, h := range answer.Hits {
		title := strings.Join(h.Outline, " › ")
		if len(h.Tags) > 0 {
			title += "  " + paint("35", ":"+strings.Join(h.Tags, ":")+":")
		}
		fmt.Fprintf(w, "%s  %s\n", paint("36", fmt.Sprintf("%s:%d", h.Path, h.Line)), paint("1", title))
		var b strings.Builder
		at := 0
		for _, m := range h.Marks {
			b.WriteString(h.Snippet[at:m[0]] + paint("1;33", h.Snippet[m[0]:m[1]]))
			at = m[1]
		}
		if line := b.String() + h.Snippet[at:]; line != "" {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Facets)) {
		fmt.Fprintf(w, "%s:", name)
		for _, f := range answer.Facets[name] {
			fmt.Fprintf(w, "  %s %d", f.Value, f.Count)
		}
		fmt.Fprintln(w)
	}
	how := ""
	if answer.Semantic {
		how = ", semantic"
	}
	_, err := fmt.Fprintf(w, "%d of %d headings%s\n", len(answer.Hits), answer.Found, how)
	return err
}

func (c *searchCmd) evaluate(a *app, config search.Config) error {
	report, err := search.Evaluate(a.ctx, c.Eval, config, search.EvalOptions{Semantic: c.Semantic})
	if err != nil {
		return err
	}
	return a.answer("search", report, report.Write)
}
