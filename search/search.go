package search

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"

	"wb/org/oql"
)

// Options bound an answer.
type Options struct {
	K int // headings at most; 0 is 8
	// Allowed are the headings that pass a filter, by file as it was named
	// and line; nil allows all. See [Index.Filter].
	Allowed map[oql.Place]bool
	// Semantic fuses the list with that of the nearest vectors. It needs an
	// Embedder.
	Semantic bool
	// Facets are the criteria for counting all headings found; see [Facets].
	Facets []string
}

// Hit is a heading that was found.
type Hit struct {
	Path    string   `json:"path"`
	Line    int      `json:"line"`
	Level   int      `json:"level"`
	Title   string   `json:"title"`
	Outline []string `json:"olp"` // itself last
	Tags    []string `json:"tags"`
	Score   float64  `json:"score"`
	// Snippet is a part of the text, on one line; Marks are the byte ranges of
	// it that were searched for.
	Snippet string   `json:"snippet"`
	Marks   [][2]int `json:"marks"`
}

// Answer is a list of headings, best first.
type Answer struct {
	Hits []Hit `json:"hits"`
	// Respelt are words that stand nowhere, and what was searched instead.
	Respelt map[string][]string `json:"respelt,omitempty"`
	// Semantic says that vectors took part.
	Semantic bool `json:"semantic"`
	Found    int  `json:"found"` // headings before K cut the list
	// Facets are the counts that were asked for, the largest first.
	Facets map[string][]FacetCount `json:"facets,omitempty"`
}

// candidates is how many documents are looked at more closely.
const candidates = 200

// Search answers a query over what the last [Index.Refresh] has seen.
func (x *Index) Search(ctx context.Context, q *Query, opts Options) (*Answer, error) {
	if opts.K <= 0 {
		opts.K = 8
	}
	s := searcher{x: x, ctx: ctx, q: q}
	scores, err := s.score(q.Terms)
	if err == nil && len(scores) == 0 && len(q.common) > 0 {
		scores, err = s.score(q.common)
	}
	if err != nil {
		return nil, err
	}
	if err := x.restrict(ctx, scores, opts.Allowed); err != nil {
		return nil, err
	}
	list, err := x.ranked(ctx, scores)
	if err != nil {
		return nil, err
	}
	facets, err := x.facets(ctx, scores, opts.Facets)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Facets: facets, Respelt: s.respelt, Found: len(scores), Hits: []Hit{}}
	if opts.Semantic {
		if list, err = x.fuse(ctx, q, list, opts); err != nil {
			return nil, err
		}
		answer.Semantic = true
		answer.Found = max(answer.Found, len(list))
	}
	texts := sources{}
	for _, d := range list[:min(opts.K, len(list))] {
		hit := Hit{Path: d.name, Line: d.Line, Level: d.Level, Title: d.Title, Tags: d.Tags, Score: round(d.score),
			Outline: append(slices.Clip(d.Outline), d.Title)}
		hit.Snippet, hit.Marks = snippet(texts.text(d.Found), s.marks)
		if hit.Tags == nil {
			hit.Tags = []string{}
		}
		answer.Hits = append(answer.Hits, hit)
	}
	return answer, nil
}

func round(score float64) float64 { return math.Round(score*1000) / 1000 }

// scored is a document in a ranked list.
type scored struct {
	Found
	name  string // of its file, as it was named to be searched
	score float64
}

// restrict drops the documents that are not asked for.
func (x *Index) restrict(ctx context.Context, scores map[ID]float64, allowed map[oql.Place]bool) error {
	numbers := make(map[string]int64, len(x.files))
	for file, name := range x.files {
		numbers[name] = file
	}
	lines := map[int64]map[int]bool{}
	for place := range allowed {
		file, ok := numbers[filepath.Clean(place.Path)]
		if !ok {
			continue
		}
		if lines[file] == nil {
			lines[file] = map[int]bool{}
		}
		lines[file][place.Line] = true
	}
	pass := map[ID]bool{}
	for file, wanted := range lines {
		ids, err := x.store.Lines(ctx, file)
		if err != nil {
			return err
		}
		for line := range wanted {
			if id, ok := ids[line]; ok {
				pass[id] = true
			}
		}
	}
	for id := range scores {
		_, searched := x.files[id.File()]
		if !searched || allowed != nil && !pass[id] {
			delete(scores, id)
		}
	}
	return nil
}

// ranked loads the best documents and puts them in order: by score, then by
// path and line, so that equal scores never change places.
func (x *Index) ranked(ctx context.Context, scores map[ID]float64) ([]scored, error) {
	ids := make([]ID, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b ID) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	if len(ids) > candidates {
		last := candidates
		for last < len(ids) && scores[ids[last]] == scores[ids[candidates-1]] {
			last++
		}
		ids = ids[:last]
	}
	found, err := x.store.Documents(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]scored, len(found))
	for i, f := range found {
		list[i] = scored{f, x.files[f.ID.File()], scores[f.ID]}
	}
	sortScored(list)
	return list, nil
}

func sortScored(list []scored) {
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name), cmp.Compare(a.Line, b.Line))
	})
}
