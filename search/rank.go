package search

import (
	"context"
	"slices"
	"strings"
)

// Weights of the ways a word may match, against the word as it was asked.
const (
	synonymWeight  = 0.3
	spellingWeight = 0.6
	phraseWeight   = 0.3 // of neighbouring words that stand so in the text
	coverageShare  = 0.8 // of the score that depends on how many words were found
)

// searcher scores the documents of an index for one query.
type searcher struct {
	x       *Index
	ctx     context.Context
	q       *Query
	respelt map[string][]string
	marks   []Phrase // what a snippet is chosen by
}

// score adds up what every term is worth in every document.
func (s *searcher) score(asked []Term) (map[ID]float64, error) {
	synonyms, err := s.x.store.Synonyms(s.ctx)
	if err != nil {
		return nil, err
	}
	total, hits := map[ID]float64{}, map[ID]int{}
	var required []map[ID]float64
	for _, t := range asked {
		own, err := s.term(t, synonyms)
		if err != nil {
			return nil, err
		}
		for id, score := range own {
			total[id] += score
			hits[id]++
		}
		if t.Required {
			required = append(required, own)
		}
	}
	for _, own := range required {
		keep(total, func(id ID) bool { _, ok := own[id]; return ok })
	}
	if err := s.neighbours(asked, total); err != nil {
		return nil, err
	}
	for id := range total {
		found := float64(hits[id]) / float64(len(asked))
		total[id] *= 1 - coverageShare + coverageShare*found
	}
	return total, s.exclude(total)
}

func keep(scores map[ID]float64, pass func(ID) bool) {
	for id := range scores {
		if !pass(id) {
			delete(scores, id)
		}
	}
}

// term scores one word or phrase in all the ways it may match.
func (s *searcher) term(t Term, groups [][]string) (map[ID]float64, error) {
	asked := Phrase{t.Words, t.Prefix}
	s.marks = append(s.marks, asked)
	if t.Exact {
		return s.x.store.Match(s.ctx, Match{Phrases: []Phrase{asked}})
	}
	ways := []Phrase{asked}
	for _, v := range variants(t.Raw) {
		ways = append(ways, Phrase{Words: []string{v}})
	}
	if parts := identifierParts(t.Raw); len(parts) > 1 {
		// userName also finds "user name", but not every user and every name.
		ways = append([]Phrase{asked, {Words: parts}}, Phrase{Words: []string{strings.Join(parts, "")}})
	}
	s.marks = append(s.marks, ways[1:]...)
	scores, err := s.x.store.Match(s.ctx, Match{Phrases: ways, Variants: true})
	if err != nil {
		return nil, err
	}
	others := synonymsOf(t.Words, groups)
	if len(others) > 0 {
		if err := s.add(scores, others, synonymWeight); err != nil {
			return nil, err
		}
	}
	if len(scores) == 0 && len(others) == 0 {
		return scores, s.respell(t, scores)
	}
	return scores, nil
}

// add scores further phrases that mean the same, for less.
func (s *searcher) add(scores map[ID]float64, phrases []Phrase, weight float64) error {
	s.marks = append(s.marks, phrases...)
	more, err := s.x.store.Match(s.ctx, Match{Phrases: phrases, Variants: true})
	for id, score := range more {
		scores[id] = max(scores[id], weight*score)
	}
	return err
}

// synonymsOf are the phrases that some glossary puts beside a phrase.
func synonymsOf(words []string, groups [][]string) (others []Phrase) {
	asked := strings.Join(words, " ")
	stem := stemOf(asked)
	for _, group := range groups {
		if !slices.ContainsFunc(group, func(p string) bool { return p == asked || stemOf(p) == stem }) {
			continue
		}
		for _, p := range group {
			if p != asked {
				others = append(others, Phrase{Words: strings.Fields(p)})
			}
		}
	}
	return others
}

// respell replaces a word that no text contains by words spelt like it.
func (s *searcher) respell(t Term, scores map[ID]float64) error {
	if len(t.Words) != 1 {
		return nil
	}
	near, err := nearWords(s.ctx, s.x.store, t.Words[0], t.Prefix)
	if err != nil || len(near) == 0 {
		return err
	}
	if s.respelt == nil {
		s.respelt = map[string][]string{}
	}
	s.respelt[t.Words[0]] = near
	phrases := make([]Phrase, len(near))
	for i, w := range near {
		phrases[i] = Phrase{Words: []string{w}, Prefix: t.Prefix}
	}
	return s.add(scores, phrases, spellingWeight)
}

// neighbours lifts documents in which words of the query stand together.
func (s *searcher) neighbours(terms []Term, total map[ID]float64) error {
	for i := 1; i < len(terms); i++ {
		left, right := terms[i-1], terms[i]
		if left.Prefix || left.Exact || right.Exact {
			continue
		}
		pair := Phrase{append(slices.Clip(left.Words), right.Words...), right.Prefix}
		together, err := s.x.store.Match(s.ctx, Match{Phrases: []Phrase{pair}})
		if err != nil {
			return err
		}
		for id, score := range together {
			if _, ok := total[id]; ok {
				total[id] += phraseWeight * score
			}
		}
	}
	return nil
}

// exclude drops the documents that have an excluded word or phrase.
func (s *searcher) exclude(total map[ID]float64) error {
	for _, t := range s.q.Exclude {
		unwanted, err := s.x.store.Match(s.ctx, Match{Phrases: []Phrase{{t.Words, t.Prefix}}})
		if err != nil {
			return err
		}
		keep(total, func(id ID) bool { _, ok := unwanted[id]; return !ok })
	}
	return nil
}
