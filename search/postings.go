package search

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"

	api "github.com/blevesearch/bleve_index_api"

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
	if sh.reader == nil {
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
	dict, err := sh.reader.FieldDictPrefix(field, []byte(prefix))
	if err != nil {
		return nil, err
	}
	defer dict.Close()
	for {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return words, err
		}
		words = append(words, entry.Term)
	}
}

func (sh *shard) countWord(ctx context.Context, field, word string, t *tallies) error {
	r, err := sh.reader.TermFieldReader(ctx, []byte(word), field, true, false, false)
	if err != nil {
		return err
	}
	defer r.Close()
	var doc api.TermFieldDoc
	for {
		hit, err := r.Next(&doc)
		if err != nil || hit == nil {
			return err
		}
		t.add(sh, hit.ID.Value(), float64(hit.Freq)/10)
	}
}

// countPhrase looks for documents with all of the words and then, in those
// alone, at how the words follow one another.
func (sh *shard) countPhrase(ctx context.Context, words []string, t *tallies) error {
	both, err := sh.together(ctx, words)
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
func (sh *shard) together(ctx context.Context, words []string) ([]uint64, error) {
	var readers []api.TermFieldReader
	defer func() {
		for _, r := range readers {
			_ = r.Close()
		}
	}()
	for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
		r, err := sh.reader.TermFieldReader(ctx, []byte(w), writtenField, false, false, false)
		if err != nil {
			return nil, err
		}
		readers = append(readers, r)
		if r.Count() == 0 {
			return nil, nil
		}
	}
	slices.SortFunc(readers, func(a, b api.TermFieldReader) int { return int(min(a.Count(), 1<<30)) - int(min(b.Count(), 1<<30)) })
	var out []uint64
	var doc, other api.TermFieldDoc
	for {
		hit, err := readers[0].Next(&doc)
		if err != nil || hit == nil {
			return out, err
		}
		all := true
		for _, r := range readers[1:] {
			at, err := r.Advance(hit.ID, &other)
			if err != nil {
				return nil, err
			}
			if at == nil {
				return out, nil
			}
			if !at.ID.Equals(hit.ID) {
				all = false
				break
			}
		}
		if !all {
			continue
		}
		if _, live := sh.id(hit.ID.Value()); live {
			out = append(out, hit.ID.Value())
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
		if sh.reader == nil {
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
	dict, err := sh.reader.(api.IndexReaderFuzzy).FieldDictFuzzy(writtenField, word, most, begin)
	if err != nil {
		return nil, err
	}
	defer dict.Close()
	for {
		entry, err := dict.Next()
		if err != nil || entry == nil {
			return words, err
		}
		words = append(words, entry.Term)
	}
}
