package search

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"

	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"

	"wb/internal/nearest"
)

// BM25's constants.
const (
	k1 = 1.2
	b  = 0.75
)

// Match returns the BM25 score of every document that matches. A heading is one
// text: the places of a phrase in all fields are added up, each with the weight
// of its field, and count against the length of the whole heading.
func (s *bleveStore) Match(ctx context.Context, m Match) (scores map[ID]float64, err error) {
	defer recovered(&err)
	scores = map[ID]float64{}
	average := float64(s.tokens) / float64(max(s.documents, 1))
	for _, p := range m.Phrases {
		if len(p.Words) == 0 {
			continue
		}
		hits := make([]*tallies, len(s.shards))
		n := 0
		for i, sh := range s.shards {
			if hits[i], err = sh.count(ctx, p, m.Variants); err != nil {
				return nil, err
			}
			n += len(hits[i].touched)
		}
		idf := max(math.Log((float64(s.documents)-float64(n)+0.5)/(float64(n)+0.5)), 1e-6)
		for i, sh := range s.shards {
			for _, doc := range hits[i].touched {
				freq := hits[i].weights[doc]
				length := float64(sh.docs[doc].length)
				id, _ := sh.id(uint64(doc))
				scores[id] += idf * freq * (k1 + 1) / (freq + k1*(1-b+b*length/average))
			}
		}
	}
	return scores, ctx.Err()
}

// recovered turns a panic of bleve, which trusts its files, into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = errDamaged
	}
}

// tallies are the weighted places of a phrase by document of a shard.
type tallies struct {
	weights []float64
	touched []uint32
}

func (t *tallies) add(sh *shard, doc uint64, weight float64) {
	if t.weights == nil {
		t.weights = make([]float64, len(sh.docs))
	}
	if t.weights[doc] == 0 {
		if _, live := sh.id(doc); !live {
			return
		}
		t.touched = append(t.touched, uint32(doc))
	}
	t.weights[doc] += weight
}

// count finds a phrase in the fields of a shard.
func (sh *shard) count(ctx context.Context, p Phrase, variants bool) (*tallies, error) {
	t := &tallies{}
	if sh.segment == nil {
		return t, nil
	}
	fields := []string{writtenField}
	if variants && len(p.Words) == 1 {
		fields = append(fields, variantField)
	}
	for _, field := range fields {
		lasts := []string{p.Words[len(p.Words)-1]}
		if p.Prefix {
			var err error
			if lasts, err = sh.beginning(field, lasts[0]); err != nil {
				return nil, err
			}
		}
		for _, last := range lasts {
			words := append(slices.Clone(p.Words[:len(p.Words)-1]), last)
			var err error
			if len(words) == 1 {
				err = sh.countWord(ctx, field, last, t)
			} else {
				err = sh.countPhrase(ctx, words, t)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// beginning are the words of a field that begin with a prefix.
func (sh *shard) beginning(field, prefix string) (words []string, err error) {
	return sh.dictionary(field, nil, prefix)
}

// dictionary are the words of a field that begin so and that an automaton accepts;
// nil accepts all.
func (sh *shard) dictionary(field string, accept segment.Automaton, prefix string) (words []string, err error) {
	dict, err := sh.segment.Dictionary(field)
	if err != nil {
		return nil, err
	}
	entries := dict.AutomatonIterator(accept, []byte(prefix), behind(prefix))
	for {
		entry, err := entries.Next()
		if err != nil || entry == nil {
			return words, err
		}
		words = append(words, entry.Term)
	}
}

// behind is the least string after all that begin with a prefix; nil is none.
func behind(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

// postings are the headings that have a word, with its weight in each if it is asked
// for.
func (sh *shard) postings(field, word string, weights bool) (n uint64, each segment.PostingsIterator, err error) {
	dict, err := sh.segment.Dictionary(field)
	if err != nil {
		return 0, nil, err
	}
	list, err := dict.PostingsList([]byte(word), nil, nil)
	if err != nil {
		return 0, nil, err
	}
	return list.Count(), list.Iterator(weights, false, false, nil), nil
}

func (sh *shard) countWord(ctx context.Context, field, word string, t *tallies) error {
	_, each, err := sh.postings(field, word, true)
	if err != nil {
		return err
	}
	for {
		hit, err := each.Next()
		if err != nil || hit == nil {
			return err
		}
		t.add(sh, hit.Number(), float64(packed(field, int(hit.Frequency())))/10)
	}
}

// countPhrase looks for documents with all of the words and then, in those
// alone, at how the words follow one another.
func (sh *shard) countPhrase(ctx context.Context, words []string, t *tallies) error {
	both, err := sh.together(words)
	if err != nil {
		return err
	}
	var phrase []byte
	for _, w := range words {
		phrase = appendHash(phrase, w)
	}
	for _, number := range both {
		weight := uint64(0)
		for part := range parts {
			weight += weights[0][part] * occurrences(sh.sequence(number, part), phrase)
		}
		if weight > 0 {
			t.add(sh, number, float64(weight)/10)
		}
	}
	return nil
}

// occurrences counts a sequence of words in a longer one.
func occurrences(text, phrase []byte) (n uint64) {
	for at := 0; at+len(phrase) <= len(text); at++ {
		i := bytes.Index(text[at:], phrase)
		if i < 0 {
			break
		}
		if at += i; at%hashSize == 0 {
			n++
		}
	}
	return n
}

// together are the documents that have all of the words, in order.
func (sh *shard) together(words []string) (docs []uint64, err error) {
	type list struct {
		n    uint64
		each segment.PostingsIterator
		at   uint64
	}
	var lists []*list
	for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
		l := &list{}
		if l.n, l.each, err = sh.postings(writtenField, w, false); err != nil || l.n == 0 {
			return nil, err
		}
		lists = append(lists, l)
	}
	slices.SortFunc(lists, func(a, b *list) int { return cmp.Compare(a.n, b.n) })
	for {
		hit, err := lists[0].each.Next()
		if err != nil || hit == nil {
			return docs, err
		}
		doc, all := hit.Number(), true
		for _, l := range lists[1:] {
			if l.at <= doc { // at is behind the last that was seen
				seen, err := l.each.Advance(doc)
				if err != nil || seen == nil {
					return docs, err
				}
				l.at = seen.Number() + 1
			}
			if all = l.at == doc+1; !all {
				break
			}
		}
		if _, live := sh.id(doc); all && live {
			docs = append(docs, doc)
		}
	}
}

// Near are the words of the store's documents that differ from a word by at
// most so many letters, each with the number of documents that have it. With
// prefix, words that go on are compared by their beginning. first asks for words
// with the same first letter.
func (s *bleveStore) Near(ctx context.Context, word string, most int, prefix, first bool) (near map[string]int, err error) {
	defer recovered(&err)
	near = map[string]int{}
	begin := ""
	if first {
		for _, r := range word {
			begin = string(r)
			break
		}
	}
	for _, sh := range s.shards {
		if sh.segment == nil {
			continue
		}
		words, err := sh.near(word, begin, most, prefix)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			near[w] = 0
		}
	}
	for w := range near { // documents that are out of date do not count
		for _, sh := range s.shards {
			t, err := sh.count(ctx, Phrase{Words: []string{w}}, false)
			if err != nil {
				return nil, err
			}
			near[w] += len(t.touched)
		}
		if near[w] == 0 {
			delete(near, w)
		}
	}
	return near, nil
}

func (sh *shard) near(word, begin string, most int, prefix bool) (words []string, err error) {
	if prefix {
		all, err := sh.beginning(writtenField, begin)
		return slices.DeleteFunc(all, func(w string) bool {
			return nearest.Distance(word, strings.ToValidUTF8(w[:min(len(w), len(word))], "")) > most
		}), err
	}
	accept, err := spelt(word, most)
	if err != nil {
		return nil, err
	}
	return sh.dictionary(writtenField, accept, begin)
}

// spelt accepts words that differ by at most so many letters, where two neighbours
// that changed places are one. What it is made by takes milliseconds, which only
// searches for misspelt words pay.
func spelt(word string, most int) (segment.Automaton, error) {
	builder, err := spellings[most-1]()
	if err != nil {
		return nil, err
	}
	return builder.BuildDfa(word, uint8(most))
}

var spellings = [2]func() (*levenshtein.LevenshteinAutomatonBuilder, error){
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(1, true)
	}),
	sync.OnceValues(func() (*levenshtein.LevenshteinAutomatonBuilder, error) {
		return levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	}),
}
