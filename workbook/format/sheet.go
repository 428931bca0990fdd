package format

import (
	"fmt"
	"slices"

	"wb/internal/lazyregexp"
)

// sheet is a table that is being computed.
type sheet struct {
	cells  grid
	data   []int // the lines that are not rules: data row n is cells[data[n]]
	width  int
	remote func(name string) (grid, error)
	errors []formulaError
}

// formula is one "target=expression;format" of a #+TBLFM: line. Targets that
// mean several fields become a formula for each.
type formula struct {
	target string
	row    int // zero-based data row; -1 for a column formula
	col    int // zero-based
	expr   string
	mode   mode
}

// mode holds the modifiers behind the semicolon of a formula.
type mode struct {
	numbers   bool   // N: text counts as the number it begins with, or zero
	keepEmpty bool   // E: empty fields count, as nan
	duration  byte   // T, t or U: fields and result are durations
	printf    string // "%.2f" or ""
	fixed     int    // f2: digits behind the point, -1 for none
}

// formulaError is why a formula left a field as it is.
type formulaError struct {
	target string
	err    error
}

// header is the number of data rows above the first rule below a data row, 0
// when nothing follows that rule.
func (s *sheet) header() int {
	for n := 1; n < len(s.data); n++ {
		if s.data[n] > s.data[n-1]+1 {
			return n
		}
	}
	return 0
}

// newSheet readies a table for computing with it.
func newSheet(g grid, remote func(string) (grid, error)) (*sheet, error) {
	s := &sheet{cells: g.clone(), remote: remote}
	for i, row := range s.cells {
		if row == nil {
			continue
		}
		s.data = append(s.data, i)
		s.width = max(s.width, len(row))
		if len(row) > 0 && markedRow.MatchString(row[0]) {
			return nil, fmt.Errorf("row mark %q", row[0])
		}
	}
	for _, i := range s.data {
		s.cells[i] = append(s.cells[i], make([]string, s.width-len(s.cells[i]))...)
	}
	return s, nil
}

func (g grid) clone() grid {
	out := make(grid, len(g))
	for i, row := range g {
		out[i] = slices.Clone(row)
	}
	return out
}

func (g grid) equal(h grid) bool { return slices.EqualFunc(g, h, slices.Equal[[]string]) }

var markedRow = lazyregexp.New(`^[!_^/#$*]$`)
