package format

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rounds is how often a table is recomputed at most until it settles, as
// org-table-iterate does.
const rounds = 10

// formula is one "target=expression;format" of a #+TBLFM: line.
type formula struct {
	target string
	row    int // zero-based data row; -1 for a column formula
	col    int // zero-based
	expr   string
	format string // "%.2f" or ""
}

var (
	columnTarget = regexp.MustCompile(`^\$(\d+|[<>])$`)
	fieldTarget  = regexp.MustCompile(`^@(\d+|[<>])\$(\d+|[<>])$`)
	floatFormat  = regexp.MustCompile(`^%\.\d{1,2}f$`)
	markedRow    = regexp.MustCompile(`^[!_^/#$*]$`)
)

// recompute returns the table after its formulas were applied until nothing
// changes. An error means that they are not of the kind this package knows.
func recompute(g grid, text string) (grid, error) {
	s := &sheet{cells: g.clone()}
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
	formulas, err := s.formulas(text)
	if err != nil {
		return nil, err
	}
	for range rounds {
		before := s.cells.clone()
		if err := s.apply(formulas); err != nil {
			return nil, err
		}
		if s.cells.equal(before) {
			return s.cells, nil
		}
	}
	return nil, errors.New("the values do not settle")
}

func (g grid) clone() grid {
	out := make(grid, len(g))
	for i, row := range g {
		out[i] = slices.Clone(row)
	}
	return out
}

func (g grid) equal(h grid) bool { return slices.EqualFunc(g, h, slices.Equal[[]string]) }

// sheet is a table that is being computed.
type sheet struct {
	cells grid
	data  []int // the lines that are not rules: data row n is cells[data[n]]
	width int
}

// formulas reads a #+TBLFM: value: column formulas first, each group in the
// order of its targets' names, which is the order Org computes them in.
func (s *sheet) formulas(text string) ([]formula, error) {
	var list []formula
	for _, part := range strings.Split(text, "::") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		target, expr, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q is no formula", part)
		}
		f := formula{target: strings.TrimSpace(target), expr: expr, row: -1}
		if i := strings.LastIndexByte(expr, ';'); i >= 0 {
			f.expr, f.format = expr[:i], strings.TrimSpace(expr[i+1:])
			if !floatFormat.MatchString(f.format) {
				return nil, fmt.Errorf("format %q", f.format)
			}
		}
		if err := s.aim(&f); err != nil {
			return nil, err
		}
		for _, other := range list {
			if other.row == f.row && other.col == f.col {
				return nil, fmt.Errorf("%s is set twice", f.target)
			}
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b formula) int {
		switch {
		case a.row < 0 && b.row >= 0:
			return -1
		case a.row >= 0 && b.row < 0:
			return 1
		}
		return strings.Compare(a.target, b.target)
	})
	return list, nil
}

// aim finds the place that a formula sets.
func (s *sheet) aim(f *formula) error {
	if m := columnTarget.FindStringSubmatch(f.target); m != nil {
		f.col = edge(m[1], s.width)
	} else if m := fieldTarget.FindStringSubmatch(f.target); m != nil {
		f.row, f.col = edge(m[1], len(s.data)), edge(m[2], s.width)
		if f.row < 0 || f.row >= len(s.data) {
			return fmt.Errorf("%s is outside the table", f.target)
		}
	} else {
		return fmt.Errorf("target %q", f.target)
	}
	if f.col < 0 || f.col >= s.width {
		return fmt.Errorf("%s is outside the table", f.target)
	}
	return nil
}

// edge turns "3", "<" or ">" into a zero-based index among n.
func edge(text string, n int) int {
	switch text {
	case "<":
		return 0
	case ">":
		return n - 1
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return i - 1
}

// apply computes all formulas once. Column formulas leave the header alone,
// which is what stands above the first rule, and fields with their own formula.
func (s *sheet) apply(formulas []formula) error {
	for row := s.header(); row < len(s.data); row++ {
		for _, f := range formulas {
			own := slices.ContainsFunc(formulas, func(o formula) bool { return o.row == row && o.col == f.col })
			if f.row >= 0 || own {
				continue
			}
			if err := s.set(f, row); err != nil {
				return err
			}
		}
	}
	for _, f := range formulas {
		if f.row < 0 {
			continue
		}
		if err := s.set(f, f.row); err != nil {
			return err
		}
	}
	return nil
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

func (s *sheet) set(f formula, row int) error {
	v, err := evaluate(s, f.expr, row, f.col)
	if err != nil {
		return fmt.Errorf("%s: %w", f.target, err)
	}
	text, err := v.print()
	if err != nil {
		return fmt.Errorf("%s: %w", f.target, err)
	}
	if f.format != "" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", f.target, err)
		}
		text = fmt.Sprintf(f.format, x)
	}
	s.cells[s.data[row]][f.col] = text
	return nil
}
