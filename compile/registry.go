package compile

import (
	"fmt"
	"slices"
	"strings"
)

// Registry finds lanes by the language word of a source block. It is filled
// once (see package compile/lanes) and read-only afterwards, so it is safe for
// concurrent use.
type Registry struct {
	lanes []Lane
	names map[string]Lane
}

// NewRegistry holds lanes under their names and aliases. Two lanes that claim
// the same word are a mistake of the program, reported as an error.
func NewRegistry(lanes ...Lane) (*Registry, error) {
	r := &Registry{names: make(map[string]Lane)}
	for _, lane := range lanes {
		info := lane.Info()
		for _, name := range append([]string{info.Name}, info.Aliases...) {
			if other, taken := r.names[name]; taken && other != lane {
				return nil, fmt.Errorf("language %q is claimed by lanes %q and %q", name, other.Info().Name, info.Name)
			}
			r.names[name] = lane
		}
		r.lanes = append(r.lanes, lane)
	}
	slices.SortFunc(r.lanes, func(a, b Lane) int { return strings.Compare(a.Info().Name, b.Info().Name) })
	return r, nil
}

// Lookup finds the lane for a language word, exactly as written or else
// without regard to case ("C" and "c" may be told apart by registering both).
func (r *Registry) Lookup(lang string) (Lane, bool) {
	if lane, ok := r.names[lang]; ok {
		return lane, true
	}
	lane, ok := r.names[strings.ToLower(lang)]
	return lane, ok
}

// All lists the lanes by name.
func (r *Registry) All() []Lane { return slices.Clone(r.lanes) }

// Nearest is the known language word closest to lang, or "" when none is close
// enough to be what the author meant.
func (r *Registry) Nearest(lang string) string {
	words := make([]string, 0, len(r.names))
	for name := range r.names {
		words = append(words, name)
	}
	return Nearest(lang, words)
}

// Nearest is the candidate with the smallest edit distance to word (ties go to
// the first in alphabetical order), or "" when even that one differs in more
// than a third of its letters. Case does not count.
func Nearest(word string, candidates []string) string {
	candidates = slices.Sorted(slices.Values(candidates))
	word = strings.ToLower(word)
	best, bestDistance := "", max(1, (len(word)+2)/3)+1
	for _, c := range candidates {
		if d := editDistance(word, strings.ToLower(c)); d < bestDistance && d < max(len(word), len(c)) {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is the number of insertions, deletions, replacements and swaps
// of neighbours that turn a into b (optimal string alignment).
func editDistance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
