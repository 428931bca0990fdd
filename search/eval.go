package search

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wb/org"
)

// Judged is a query with the headings that answer it.
type Judged struct {
	Line  int
	Query string
	// Grades are 0 to 3 by heading: FILE::Outer/Inner.
	Grades map[string]int
}

// Qrels are judged queries over the files below Root.
type Qrels struct {
	Root    string   // directory that paths are relative to
	Paths   []string // what is searched, relative to Root
	Queries []Judged
}

// ReadQrels reads judged queries from an org file. Each headline is a query,
// and its table has a grade and a heading in each row: 3 answers it, 2 helps,
// 1 mentions it, 0 looks as if it did and does not. Headings are named
// FILE::Outline/Path, the file relative to #+ROOT:, which is relative to this
// file; #+IN: lists the directories searched.
//
//   - how do I limit memory
//     | 3 | docs/limits.md::Limits/Memory |
func ReadQrels(path string) (*Qrels, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc := org.Parse(src)
	q := &Qrels{Root: filepath.Dir(path)}
	if root, ok := doc.Setting("ROOT"); ok {
		q.Root = filepath.Join(q.Root, root.Text)
	}
	if in, ok := doc.Setting("IN"); ok {
		q.Paths = strings.Fields(in.Text)
	}
	for h := range doc.Headlines() {
		line, _ := doc.Position(h.Start())
		j := Judged{Line: line, Query: h.Title.Text, Grades: map[string]int{}}
		for c := range h.Children() {
			table, ok := c.Table()
			if !ok {
				continue
			}
			for _, row := range table.Rows {
				if row.Rule {
					continue
				}
				at, _ := doc.Position(row.Start())
				if len(row.Cells) < 2 {
					return nil, fmt.Errorf("%s:%d:1: a judgement consists of a grade and a heading", path, at)
				}
				grade, err := strconv.Atoi(row.Cells[0].Text)
				if err != nil || grade < 0 || grade > 3 {
					return nil, fmt.Errorf("%s:%d:1: grade %q is not 0, 1, 2 or 3", path, at, row.Cells[0].Text)
				}
				j.Grades[row.Cells[1].Text] = grade
			}
		}
		if len(j.Grades) > 0 {
			q.Queries = append(q.Queries, j)
		}
	}
	if len(q.Queries) == 0 {
		return nil, fmt.Errorf("%s:1:1: no judged query: write a headline with a table of grades and headings", path)
	}
	return q, nil
}

// Scores are the means over all queries of one way of ranking.
type Scores struct {
	Name   string  `json:"name"`
	NDCG   float64 `json:"ndcg@10"`
	MRR    float64 `json:"mrr"`
	Recall float64 `json:"recall@10"`
}

// QueryScore is the score of one query with wb's ranking.
type QueryScore struct {
	Query string   `json:"query"`
	NDCG  float64  `json:"ndcg@10"`
	Plain float64  `json:"plain_ndcg@10"`
	First []string `json:"first"` // headings found, best first
}

// Report is the outcome of an evaluation.
type Report struct {
	Queries int `json:"queries"`
	// Unanswerable are the queries without an existing answer; they do not count.
	Unanswerable int          `json:"unanswerable"`
	Headings     int          `json:"headings"` // that could be found
	Rankings     []Scores     `json:"rankings"` // wb's first
	Missing      []string     `json:"missing"`  // judged headings that do not exist
	Each         []QueryScore `json:"each"`
}

// EvalOptions say how to evaluate.
type EvalOptions struct{ Semantic bool }

// depth is how many headings of a list count.
const depth = 10

// Evaluate answers judged queries in three ways: wb's, plain BM25 over all
// words of a heading as one text, and the order in which grep -i would show
// the headings (by path and line, those with any of the words).
func Evaluate(ctx context.Context, qrels string, config Config, opts EvalOptions) (*Report, error) {
	q, err := ReadQrels(qrels)
	if err != nil {
		return nil, err
	}
	config.Paths = nil
	for _, p := range q.Paths {
		config.Paths = append(config.Paths, filepath.Join(q.Root, p))
	}
	if len(config.Paths) == 0 {
		config.Paths = []string{q.Root}
	}
	x, err := Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if _, err := x.Refresh(ctx); err != nil {
		return nil, err
	}
	all, err := x.all(ctx, nil)
	if err != nil {
		return nil, err
	}
	base := newBaselines(all, q.name)
	report := &Report{Queries: len(q.Queries), Headings: len(all), Missing: []string{}}
	name := "wb"
	if opts.Semantic {
		name = "wb, semantic"
	}
	rankings := []Scores{{Name: name}, {Name: "plain BM25"}, {Name: "grep order"}}
	for _, j := range q.Queries {
		query, err := ParseQuery(j.Query)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", qrels, j.Line, err)
		}
		for heading := range j.Grades {
			if !base.names[heading] && !slices.Contains(report.Missing, heading) {
				report.Missing = append(report.Missing, heading)
			}
		}
		answer, err := x.Search(ctx, query, Options{K: depth, Semantic: opts.Semantic})
		if err != nil {
			return nil, err
		}
		var mine []string
		for _, hit := range answer.Hits {
			mine = append(mine, q.name(hit.Path, hit.Outline))
		}
		lists := [][]string{mine, base.bm25(j.Query), base.grep(j.Query)}
		grades := j.existing(base.names)
		if !relevant(grades) {
			report.Unanswerable++
			continue
		}
		for i, list := range lists {
			rankings[i].add(list, grades)
		}
		report.Each = append(report.Each, QueryScore{j.Query, round(ndcg(mine, grades)), round(ndcg(lists[1], grades)), mine[:min(3, len(mine))]})
	}
	for i := range rankings {
		n := float64(max(len(report.Each), 1))
		rankings[i].NDCG, rankings[i].MRR, rankings[i].Recall = round(rankings[i].NDCG/n), round(rankings[i].MRR/n), round(rankings[i].Recall/n)
	}
	report.Rankings = rankings
	slices.Sort(report.Missing)
	return report, nil
}

// name is how a qrels file names a heading.
func (q *Qrels) name(path string, outline []string) string {
	if rel, err := filepath.Rel(q.Root, path); err == nil {
		path = filepath.ToSlash(rel)
	}
	return path + "::" + strings.Join(outline, "/")
}

// existing are the grades of headings that can be found; what does not exist
// any more is reported, not held against a ranking.
func (j Judged) existing(names map[string]bool) map[string]int {
	grades := map[string]int{}
	for heading, grade := range j.Grades {
		if names[heading] {
			grades[heading] = grade
		}
	}
	return grades
}

func relevant(grades map[string]int) bool {
	for _, grade := range grades {
		if grade > 0 {
			return true
		}
	}
	return false
}

func (s *Scores) add(list []string, grades map[string]int) {
	s.NDCG += ndcg(list, grades)
	relevant, found := 0, 0
	for _, grade := range grades {
		if grade > 0 {
			relevant++
		}
	}
	for i, heading := range list[:min(depth, len(list))] {
		if grades[heading] > 0 {
			if found == 0 {
				s.MRR += 1 / float64(i+1)
			}
			found++
		}
	}
	if relevant > 0 {
		s.Recall += float64(found) / float64(min(relevant, depth))
	}
}

// ndcg is the discounted cumulative gain of the first ten headings with the
// gains 2^grade - 1, as a share of that of the best list there is.
func ndcg(list []string, grades map[string]int) float64 {
	ideal := make([]int, 0, len(grades))
	for _, grade := range grades {
		ideal = append(ideal, grade)
	}
	slices.SortFunc(ideal, func(a, b int) int { return cmp.Compare(b, a) })
	gain := func(grade, rank int) float64 { return (math.Exp2(float64(grade)) - 1) / math.Log2(float64(rank)+2) }
	var got, best float64
	for rank, heading := range list[:min(depth, len(list))] {
		got += gain(grades[heading], rank)
	}
	for rank, grade := range ideal[:min(depth, len(ideal))] {
		best += gain(grade, rank)
	}
	if best == 0 {
		return 0
	}
	return got / best
}

// Write shows a report to people.
func (r *Report) Write(w io.Writer) error {
	fmt.Fprintf(w, "%d queries over %d headings\n\n%-16s %8s %8s %10s\n", len(r.Each), r.Headings, "ranking", "nDCG@10", "MRR", "recall@10")
	for _, s := range r.Rankings {
		fmt.Fprintf(w, "%-16s %8.3f %8.3f %10.3f\n", s.Name, s.NDCG, s.MRR, s.Recall)
	}
	worst := slices.Clone(r.Each)
	slices.SortStableFunc(worst, func(a, b QueryScore) int { return cmp.Compare(a.NDCG, b.NDCG) })
	fmt.Fprintf(w, "\nworst queries\n")
	for _, q := range worst[:min(5, len(worst))] {
		fmt.Fprintf(w, "  %.3f  %s\n", q.NDCG, q.Query)
	}
	if len(r.Missing) > 0 {
		fmt.Fprintf(w, "\njudged headings that do not exist (left out):\n")
		for _, m := range r.Missing {
			fmt.Fprintf(w, "  %s\n", m)
		}
	}
	return nil
}
