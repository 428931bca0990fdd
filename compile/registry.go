package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wb/internal/nearest"
)

// Registry finds lanes by the language word of a source block. It is filled
// once (see package compile/lanes) and read-only afterwards, so it is safe for
// concurrent use.
type Registry struct {
	lanes []Lane
	names map[string]Lane

	citations Citations
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

// Names lists the lanes' names, sorted.
func (r *Registry) Names() []string {
	names := make([]string, len(r.lanes))
	for i, lane := range r.lanes {
		names[i] = lane.Info().Name
	}
	return names
}

// Words lists every word for a language that Lookup knows, sorted.
func (r *Registry) Words() []string { return slices.Sorted(maps.Keys(r.names)) }

// Nearest is the known language word closest to lang, or "" when none is close
// enough to be what the author meant, or lang is a language that wb lacks.
func (r *Registry) Nearest(lang string) string {
	if slices.Contains(lacking, strings.ToLower(lang)) {
		return ""
	}
	return Nearest(lang, r.Words())
}

// Nearest is the candidate closest to word, or "" when none is close enough to
// be what was meant (package nearest).
func Nearest(word string, candidates []string) string { return nearest.Word(word, candidates) }
