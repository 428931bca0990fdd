package format

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

// evaluate computes a formula for the field at a data row.
//
// Precedence is Calc's, where a product binds tighter than a quotient: a/b*c is
// a/(b*c).
func evaluate(s *sheet, f formula, row int) (value, error) {
	e := &evaluation{sheet: s, rest: strings.TrimSpace(f.expr), row: row, col: f.col, mode: f.mode}
	v, err := e.or()
	if err == nil && e.rest != "" {
		err = fmt.Errorf("%q is not understood", e.rest)
	}
	if e.sawNaN && err == nil && !v.isText {
		v.nan = true
	}
	return v, err
}

type evaluation struct {
	sheet    *sheet
	rest     string // what is still to be read
	row, col int
	mode     mode
	depth    int
	sawNaN   bool
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

// or, and, compare: conditions are 1 or 0.
func (e *evaluation) or() (value, error) {
	v, err := e.and()
	for err == nil && e.take("||") {
		var w value
		w, err = e.and()
		v = truth(v.isTrue() || w.isTrue())
	}
	return v, err
}

func (e *evaluation) and() (value, error) {
	v, err := e.compare()
	for err == nil && e.take("&&") {
		var w value
		w, err = e.compare()
		v = truth(v.isTrue() && w.isTrue())
	}
	return v, err
}

func (e *evaluation) compare() (value, error) {
	v, err := e.sum()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">", "="} {
		if err != nil || !e.take(op) {
			continue
		}
		w, err := e.sum()
		if err != nil || v.isText || w.isText {
			return v, cmp.Or(err, errors.New("text cannot be compared"))
		}
		order := v.value().Cmp(w.value())
		return truth(map[string]bool{"==": order == 0, "=": order == 0, "!=": order != 0, "<=": order <= 0, ">=": order >= 0, "<": order < 0, ">": order > 0}[op]), nil
	}
	return v, err
}

func truth(yes bool) value {
	if yes {
		return value{number: number{rat: big.NewRat(1, 1)}}
	}
	return value{}
}

func (e *evaluation) sum() (value, error) {
	v, err := e.quotient()
	for err == nil {
		switch {
		case e.take("+"):
			v, err = e.combine(v, e.quotient, func(a, b number) (number, error) { return a.add(b), nil })
		case !strings.HasPrefix(e.rest, "->") && e.take("-"):
			v, err = e.combine(v, e.quotient, func(a, b number) (number, error) { return a.add(b.neg()), nil })
		default:
			return v, nil
		}
	}
	return v, err
}

// combine reads the right side of an operator and applies it.
func (e *evaluation) combine(v value, right func() (value, error), op func(a, b number) (number, error)) (value, error) {
	w, err := right()
	if err == nil && (v.isText || w.isText) {
		err = errors.New("text is not a number")
	}
	if err != nil {
		return v, err
	}
	n, err := op(v.number, w.number)
	return value{number: n}, err
}

func (e *evaluation) quotient() (value, error) {
	v, err := e.product()
	for err == nil {
		switch {
		case e.take("/"):
			v, err = e.combine(v, e.product, number.div)
		case e.take("%"):
			v, err = e.combine(v, e.product, number.mod)
		default:
			return v, nil
		}
	}
	return v, err
}

func (e *evaluation) product() (value, error) {
	v, err := e.sign()
	for err == nil && e.take("*") {
		v, err = e.combine(v, e.sign, func(a, b number) (number, error) { return a.mul(b), nil })
	}
	return v, err
}

func (e *evaluation) sign() (value, error) {
	if e.depth++; e.depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	defer func() { e.depth-- }()
	if e.take("-") {
		v, err := e.sign()
		v.number = v.neg()
		return v, err
	}
	v, err := e.atom()
	if err == nil && e.take("^") {
		v, err = e.combine(v, e.sign, number.pow)
	}
	return v, err
}

var (
	literal    = lazyregexp.New(`^(\d+(\.\d*)?|\.\d+)`)
	reference  = lazyregexp.New(`^(@(?:[-+]?\d+|<+|>+|I+))?(\$(?:[-+]?\d+|<+|>+))?`)
	position   = lazyregexp.New(`^[@$]#`)
	stringCall = lazyregexp.New(`^string\("([^"]*)"\)`)
	aggregates = []string{"vsum", "vmean", "vmin", "vmax", "vcount", "vlen", "vprod", "vmedian"}
)

func (e *evaluation) atom() (value, error) {
	if e.take("(") {
		v, err := e.or()
		if err == nil && !e.take(")") {
			err = errors.New("missing )")
		}
		return v, err
	}
	if m := literal.FindString(e.rest); m != "" {
		e.take(m)
		n, err := parseNumber(m)
		return value{number: n}, err
	}
	if m := stringCall.FindStringSubmatch(e.rest); m != nil {
		e.take(m[0])
		return value{text: m[1], isText: true}, nil
	}
	if m := position.FindString(e.rest); m != "" {
		e.take(m)
		at := e.row
		if m == "$#" {
			at = e.col
		}
		return value{number: number{rat: big.NewRat(int64(at+1), 1)}}, nil
	}
	for _, name := range aggregates {
		if e.take(name + "(") {
			values, err := e.span()
			if err == nil && !e.take(")") {
				err = errors.New("missing )")
			}
			if err != nil {
				return value{}, err
			}
			n, err := aggregate(name, values)
			return value{number: n}, err
		}
	}
	if m := functionCall.FindString(e.rest); m != "" {
		return e.function(m)
	}
	m := reference.FindStringSubmatch(e.rest)
	if m[0] == "" {
		return value{}, fmt.Errorf("%q is not understood", e.rest)
	}
	e.take(m[0])
	if strings.HasPrefix(e.rest, "..") {
		return value{}, errors.New("a range is used outside a function")
	}
	if strings.HasPrefix(m[1], "@I") {
		return value{}, fmt.Errorf("%s names a rule, not a field", m[0])
	}
	line, err := e.line(m[1])
	if err != nil {
		return value{}, err
	}
	col, err := e.column(m[2])
	if err != nil {
		return value{}, err
	}
	return e.field(e.sheet.cells[line][col])
}

// field is the value of one field by itself.
func (e *evaluation) field(text string) (value, error) {
	if text == "" && e.mode.keepEmpty && !e.mode.numbers {
		e.sawNaN = true
		return value{nan: true}, nil
	}
	n, err := e.number(text)
	return value{number: n}, err
}

// number reads a field as the mode says.
func (e *evaluation) number(text string) (number, error) {
	if e.mode.duration != 0 {
		text = seconds(text)
	}
	if e.mode.numbers {
		text = leadingNumber(text)
	}
	return parseCell(text)
}

// span reads a range, such as @2$1..@5$1, @I..@II or $1..$3, and returns the
// numbers in it; empty fields do not count.
func (e *evaluation) span() ([]number, error) {
	if e.take("remote(") {
		return e.remoteSpan()
	}
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
			if cell == "" && !e.mode.keepEmpty {
				continue
			}
			if cell == "" && !e.mode.numbers {
				e.sawNaN = true
				continue
			}
			v, err := e.number(cell)
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
		var err error
		if n, err = counted(spec, n); err != nil {
			return 0, err
		}
	}
	if n < 0 || n >= len(data) {
		return 0, fmt.Errorf("%s is outside the table", ref)
	}
	return data[n], nil
}

// counted is a place from 0 that a number names: with a sign from n, otherwise
// from 1.
func counted(spec string, n int) (int, error) {
	k, err := strconv.Atoi(spec)
	if spec[0] == '+' || spec[0] == '-' {
		return n + k, err
	}
	return k - 1, err
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
		var err error
		if n, err = counted(spec, n); err != nil {
			return 0, err
		}
	}
	if n < 0 || n >= e.sheet.width {
		return 0, fmt.Errorf("%s is outside the table", ref)
	}
	return n, nil
}
