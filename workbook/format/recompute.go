package format

import (
	"errors"
	"fmt"
)

// rounds is how often a table is recomputed at most until it settles, as
// org-table-iterate does.
const rounds = 10

// recompute returns the table after its formulas were applied until nothing
// changes. Formulas that this package does not know leave their fields as they
// are; each is among the errors once. remote finds another table by name.
func recompute(g grid, text string, remote func(name string) (grid, error)) (grid, []error) {
	s, err := newSheet(g, remote)
	if err != nil {
		return nil, []error{err}
	}
	formulas, failed := s.formulas(text)
	for range rounds {
		before := s.cells.clone()
		s.errors = nil
		s.apply(formulas)
		if s.cells.equal(before) {
			return s.cells, append(failed, s.failures()...)
		}
	}
	return nil, append(failed, errors.New("recomputing never reaches stable values"))
}

// failures are the errors of the last round, one for each formula.
func (s *sheet) failures() []error {
	var all []error
	seen := map[string]bool{}
	for _, e := range s.errors {
		if !seen[e.target] {
			seen[e.target] = true
			all = append(all, fmt.Errorf("%s: %w", e.target, e.err))
		}
	}
	return all
}

// apply computes all formulas once. Column formulas leave the header alone,
// which is what stands above the first rule, and fields with their own formula.
func (s *sheet) apply(formulas []formula) {
	own := map[[2]int]bool{}
	for _, f := range formulas {
		own[[2]int{f.row, f.col}] = true
	}
	for row := s.header(); row < len(s.data); row++ {
		for _, f := range formulas {
			if f.row < 0 && !own[[2]int{row, f.col}] {
				s.set(f, row)
			}
		}
	}
	for _, f := range formulas {
		if f.row >= 0 {
			s.set(f, f.row)
		}
	}
}

func (s *sheet) set(f formula, row int) {
	v, err := evaluate(s, f, row)
	var text string
	if err == nil {
		text, err = f.mode.print(v)
	}
	if err != nil {
		s.errors = append(s.errors, formulaError{f.target, err})
		return
	}
	s.cells[s.data[row]][f.col] = text
}
