package search

import (
	"context"

	"wb/org/oql"
)

// Filter finds the headings that pass an OQL condition in either spelling, and notes
// what is doubtful about it. It sees org files only: Markdown has no properties to ask for.
func (x *Index) Filter(ctx context.Context, where string) (allowed map[oql.Place]bool, notes []string, err error) {
	q, err := oql.Parse(where)
	if err != nil {
		return nil, nil, err
	}
	q.Select = []oql.Column{{Field: "path"}, {Field: "line"}}
	var names []string
	for _, name := range x.files {
		if isOrg(name) {
			names = append(names, name)
		}
	}
	corpus, err := x.rows(ctx, names, q)
	if err != nil {
		return nil, nil, err
	}
	defer corpus.Close()
	res, err := oql.Run(ctx, q, oql.Options{Corpus: corpus})
	if err != nil {
		return nil, nil, err
	}
	allowed = make(map[oql.Place]bool, len(res.Rows))
	for _, p := range res.Places {
		allowed[p] = true
	}
	return allowed, res.Notes, nil
}

// rows reads files through the index of queries, or without one where it
// cannot be kept.
func (x *Index) rows(ctx context.Context, names []string, q *oql.Query) (*oql.Corpus, error) {
	if x.dir != "" {
		if store, err := oql.OpenIndex(x.config.Paths[0]); err == nil {
			return oql.ReadIndexed(ctx, store, names, q, x.config.Presets)
		}
	}
	return oql.ReadPaths(ctx, names, x.config.Presets)
}
