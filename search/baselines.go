package search

import (
	"cmp"
	"math"
	"slices"
)

// baselines are the simpler rankings that wb's is measured against. They see
// the same headings.
type baselines struct {
	names   map[string]bool
	list    []baseDocument // by path and line
	holders map[string]int // how many documents have a word
	average float64
}

type baseDocument struct {
	name  string
	count map[string]int
	n     int
}

func newBaselines(all []scored, name func(string, []string) string) *baselines {
	b := &baselines{names: map[string]bool{}, holders: map[string]int{}}
	files := sources{}
	for _, d := range all {
		doc := baseDocument{name: name(d.name, append(slices.Clip(d.Outline), d.Title)), count: map[string]int{}}
		for _, w := range Words(d.Title + "\n" + files.text(d.Found)) {
			if doc.count[w]++; doc.count[w] == 1 {
				b.holders[w]++
			}
			doc.n++
		}
		b.names[doc.name] = true
		b.average += float64(doc.n) / float64(len(all))
		b.list = append(b.list, doc)
	}
	return b
}

// bm25 is the textbook's: one field, words as they are written, k1 = 1.2,
// b = 0.75.
func (b *baselines) bm25(query string) []string {
	type ranked struct {
		name  string
		score float64
	}
	words := Words(query)
	var out []ranked
	for _, d := range b.list {
		score := 0.0
		for _, w := range words {
			n := float64(d.count[w])
			if n == 0 {
				continue
			}
			df := float64(b.holders[w])
			idf := math.Log(1 + (float64(len(b.list))-df+0.5)/(df+0.5))
			score += idf * n * 2.2 / (n + 1.2*(0.25+0.75*float64(d.n)/b.average))
		}
		if score > 0 {
			out = append(out, ranked{d.name, score})
		}
	}
	slices.SortStableFunc(out, func(x, y ranked) int { return cmp.Compare(y.score, x.score) })
	names := make([]string, len(out))
	for i, r := range out {
		names[i] = r.name
	}
	return names
}

// grep lists the headings in which any word of a query stands, in the order of
// files and lines: what rg --sort path -i 'one|two' shows from the top.
func (b *baselines) grep(query string) (names []string) {
	words := Words(query)
	for _, d := range b.list {
		if slices.ContainsFunc(words, func(w string) bool { return d.count[w] > 0 }) {
			names = append(names, d.name)
		}
	}
	return names
}
