package format

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// evaluate computes an expression for the field at a data row and a column.
//
// Precedence is Calc's, where a product binds tighter than a quotient: a/b*c is
// a/(b*c).
func evaluate(s *sheet, text string, row, col int) (number, error) {
	e := &evaluation{sheet: s, rest: strings.TrimSpace(text), row: row, col: col}
	v, err := e.sum()
	if err == nil && e.rest != "" {
		err = fmt.Errorf("%q is not understood", e.rest)
	}
	return v, err
}

type evaluation struct {
	sheet    *sheet
	rest     string // what is still to be read
	row, col int
	depth    int
}

// maxDepth bounds the nesting of parentheses and signs.
const maxDepth = 100

// take consumes a prefix of the rest, and blanks behind it.
func (e *evaluation) take(prefix string) bool {
	rest, ok := strings.CutPrefix(e.rest, prefix)
	if ok {
		e.rest = strings.TrimLeft(rest, " \t")
	}
	return ok
}

func (e *evaluation) sum() (number, error) {
	v, err := e.quotient()
	for err == nil {
		var w number
		switch {
		case e.take("+"):
			w, err = e.quotient()
			v = v.add(w)
		case e.take("-"):
			w, err = e.quotient()
			v = v.add(w.neg())
		default:
			return v, nil
		}
	}
	return v, err
}

func (e *evaluation) quotient() (number, error) {
	v, err := e.product()
	for err == nil && e.take("/") {
		var w number
		if w, err = e.product(); err == nil {
			v, err = v.div(w)
		}
	}
	return v, err
}

func (e *evaluation) product() (number, error) {
	v, err := e.sign()
	for err == nil && e.take("*") {
		var w number
		w, err = e.sign()
		v = v.mul(w)
	}
	return v, err
}

func (e *evaluation) sign() (number, error) {
	if e.depth++; e.depth > maxDepth {
		return number{}, errors.New("nested too deeply")
	}
	defer func() { e.depth-- }()
	if e.take("-") {
		v, err := e.sign()
		return v.neg(), err
	}
	v, err := e.atom()
	if err == nil && e.take("^") {
		var w number
		if w, err = e.sign(); err == nil {
			v, err = v.pow(w)
		}
	}
	return v, err
}

var (
	literal    = regexp.MustCompile(`^(\d+(\.\d*)?|\.\d+)`)
	reference  = regexp.MustCompile(`^(@(?:[-+]?\d+|<+|>+|I+))?(\$(?:[-+]?\d+|<+|>+))?`)
	aggregates = []string{"vsum", "vmean", "vmin", "vmax", "vcount"}
)

func (e *evaluation) atom() (number, error) {
	if e.take("(") {
		v, err := e.sum()
		if err == nil && !e.take(")") {
			err = errors.New("missing )")
		}
		return v, err
	}
	if m := literal.FindString(e.rest); m != "" {
		e.take(m)
		return parseNumber(m)
	}
	for _, name := range aggregates {
		if e.take(name + "(") {
			values, err := e.span()
			if err == nil && !e.take(")") {
				err = errors.New("missing )")
			}
			if err != nil {
				return number{}, err
			}
			return aggregate(name, values)
		}
	}
	m := reference.FindStringSubmatch(e.rest)
	if m[0] == "" {
		return number{}, fmt.Errorf("%q is not understood", e.rest)
	}
	e.take(m[0])
	if strings.HasPrefix(e.rest, "..") {
		return number{}, errors.New("a range stands outside a function")
	}
	if strings.HasPrefix(m[1], "@I") {
		return number{}, fmt.Errorf("%s names a rule, not a field", m[0])
	}
	line, err := e.line(m[1])
	if err != nil {
		return number{}, err
	}
	col, err := e.column(m[2])
	if err != nil {
		return number{}, err
	}
	return parseCell(e.sheet.cells[line][col])
}

// span reads a range, such as @2$1..@5$1, @I..@II or $1..$3, and returns the
// numbers in it; empty fields do not count.
func (e *evaluation) span() ([]number, error) {
	from := reference.FindStringSubmatch(e.rest)
	e.take(from[0])
	if from[0] == "" || !e.take("..") {
		return nil, errors.New("a function needs a range")
	}
	to := reference.FindStringSubmatch(e.rest)
	if to[0] == "" {
		return nil, errors.New("a range needs an end")
	}
	e.take(to[0])
	// A range's end has the row and the column of its start unless it says
	// otherwise.
	if to[1] == "" {
		to[1] = from[1]
	}
	if to[2] == "" {
		to[2] = from[2]
	}
	corners := [4]int{}
	var err [4]error
	corners[0], err[0] = e.line(from[1])
	corners[1], err[1] = e.line(to[1])
	corners[2], err[2] = e.column(from[2])
	corners[3], err[3] = e.column(to[2])
	if err := errors.Join(err[:]...); err != nil {
		return nil, err
	}
	return e.collect(min(corners[0], corners[1]), max(corners[0], corners[1]), min(corners[2], corners[3]), max(corners[2], corners[3]))
}

func (e *evaluation) collect(top, bottom, left, right int) ([]number, error) {
	var values []number
	for _, row := range e.sheet.cells[top:min(bottom+1, len(e.sheet.cells))] {
		if row == nil {
			continue
		}
		for _, cell := range row[left : right+1] {
			if cell == "" {
				continue
			}
			v, err := parseCell(cell)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// line finds the line of the table that a row reference means; for @I that is
// a rule, or the end of the table for the one behind the last.
func (e *evaluation) line(ref string) (int, error) {
	data := e.sheet.data
	spec := strings.TrimPrefix(ref, "@")
	n := e.row
	switch {
	case spec == "" || spec == "0":
	case spec[0] == 'I':
		return e.rule(len(spec), ref)
	case spec[0] == '<':
		n = len(spec) - 1
	case spec[0] == '>':
		n = len(data) - len(spec)
	default:
		k, err := strconv.Atoi(spec)
		if err != nil {
			return 0, err
		}
		if spec[0] == '+' || spec[0] == '-' {
			n += k
		} else {
			n = k - 1
		}
	}
	if n < 0 || n >= len(data) {
		return 0, fmt.Errorf("%s is outside the table", ref)
	}
	return data[n], nil
}

func (e *evaluation) rule(n int, ref string) (int, error) {
	for i, row := range e.sheet.cells {
		if row == nil {
			if n--; n == 0 {
				return i, nil
			}
		}
	}
	if n == 1 {
		return len(e.sheet.cells), nil
	}
	return 0, fmt.Errorf("%s is outside the table", ref)
}

func (e *evaluation) column(ref string) (int, error) {
	spec := strings.TrimPrefix(ref, "$")
	n := e.col
	switch {
	case spec == "" || spec == "0":
	case spec[0] == '<':
		n = len(spec) - 1
	case spec[0] == '>':
		n = e.sheet.width - len(spec)
	default:
		k, err := strconv.Atoi(spec)
		if err != nil {
			return 0, err
		}
		if spec[0] == '+' || spec[0] == '-' {
			n += k
		} else {
			n = k - 1
		}
	}
	if n < 0 || n >= e.sheet.width {
		return 0, fmt.Errorf("%s is outside the table", ref)
	}
	return n, nil
}
