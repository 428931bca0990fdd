package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// Facets are the criteria for counting headings.
var Facets = []string{"tags", "todo", "file", "lang"}

// FacetCount is how many of the headings found have a value.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// FacetError names an unknown facet.
type FacetError struct{ Name string }

func (e *FacetError) Error() string { return fmt.Sprintf("unknown facet %q", e.Name) }

// Hint names the facets.
func (e *FacetError) Hint() string {
	if near := nearest.Word(e.Name, Facets); near != "" {
		return "did you mean " + near + "?"
	}
	return "use one of " + strings.Join(Facets, " ")
}

// ExitCode is that of a usage error.
func (e *FacetError) ExitCode() int { return diag.ExitUsage }

// facets counts all headings found, also those that K cuts off: a heading once
// for each of its tags and languages.
func (x *Index) facets(ctx context.Context, scores map[ID]float64, names []string) (map[string][]FacetCount, error) {
	if len(names) == 0 {
		return nil, nil
	}
	for _, name := range names {
		if !slices.Contains(Facets, name) {
			return nil, &FacetError{name}
		}
	}
	found, err := x.store.Documents(ctx, slices.Collect(maps.Keys(scores)))
	if err != nil {
		return nil, err
	}
	out := map[string][]FacetCount{}
	for _, name := range names {
		counts := map[string]int{}
		for _, f := range found {
			for _, value := range x.facetValues(f, name) {
				counts[value]++
			}
		}
		list := []FacetCount{}
		for value, n := range counts {
			list = append(list, FacetCount{value, n})
		}
		slices.SortFunc(list, func(a, b FacetCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		out[name] = list
	}
	return out, nil
}

func (x *Index) facetValues(f Found, name string) []string {
	switch name {
	case "tags":
		return f.Tags
	case "lang":
		return f.Langs
	case "todo":
		if f.State != "" {
			return []string{f.State}
		}
		return nil
	}
	return []string{filepath.ToSlash(x.files[f.ID.File()])}
}
