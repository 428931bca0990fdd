package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"wb/search"
)

// Passages ranks the headings of dir, or with in "index" those of every
// directory that others gives, by package search.
func Passages(dir string, others func() []string) Searcher {
	return func(ctx context.Context, query, in string, k int) ([]Hit, error) {
		paths := []string{dir}
		switch in {
		case "", "files":
		case "index":
			paths = append(paths, others()...)
		default:
			return nil, fmt.Errorf("in must be files or index, not %q", in)
		}
		q, err := search.ParseQuery(query)
		if err != nil {
			return nil, err
		}
		if len(q.Terms) == 0 {
			return nil, nil
		}
		x, err := search.Open(ctx, search.Config{Paths: paths})
		if err != nil {
			return nil, err
		}
		defer x.Close()
		if _, err := x.Refresh(ctx); err != nil {
			return nil, err
		}
		answer, err := x.Search(ctx, q, search.Options{K: k})
		if err != nil {
			return nil, err
		}
		var hits []Hit
		for _, h := range answer.Hits {
			place := h.Path
			if rel, err := filepath.Rel(dir, h.Path); err == nil && filepath.IsLocal(rel) {
				place = rel
			}
			hits = append(hits, Hit{Place: fmt.Sprintf("%s:%d", filepath.ToSlash(place), h.Line), Title: strings.Join(h.Outline, " › "), Text: h.Snippet})
		}
		return hits, nil
	}
}
