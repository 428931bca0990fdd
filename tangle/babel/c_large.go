package babel

import (
	"fmt"
	"math"
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

// A large table as an initialiser takes the C compiler minutes. It is declared
// empty instead and filled before main from one string constant, in which each
// text ends with a NUL and each number has a fixed count of hexadecimal digits.

const (
	cFill = `__attribute__((constructor)) static void %[1]s__fill(void) {
  const char *from = %[1]s__cells;
  %[2]s *to = (%[2]s *)%[1]s;
  for (long left = %[3]d; left > 0; left--) {
    %[4]s
  }
}`
	cFillText   = `*to++ = from; while (*from++) ;`
	cFillNumber = `unsigned long long bits = 0;
    for (int i = 0; i < %d; i++, from++) bits = bits << 4 | (unsigned)(*from <= '9' ? *from - '0' : *from - 'a' + 10);
    __builtin_memcpy(to++, &bits, sizeof *to);`
)

// cNumeric is an escape that may stand for a NUL.
var cNumeric = lazyregexp.New(`\\[0-9xuU]`)

// assignLarge declares a large list or table; ok is false for one that is
// better written out: rows of unequal length, lists in cells.
func (c cFamily) assignLarge(p *Params, v Var, kind scalarKind) (text string, ok bool, err error) {
	rows, proper := elisp.Items(v.Value)
	if !proper || c.variant == dLang {
		return "", false, nil
	}
	size, cells := fmt.Sprintf("[%d]", len(rows)), rows
	if first, isRow := elisp.Items(elisp.Car(v.Value)); isRow && len(first) > 0 {
		size += fmt.Sprintf("[%d]", len(first))
		cells = make([]elisp.Value, 0, len(rows)*len(first))
		for _, row := range rows {
			items, isRow := elisp.Items(row)
			if !isRow || len(items) != len(first) {
				return "", false, nil
			}
			cells = append(cells, items...)
		}
	}
	typ := c.typeOf(p, v.Value, kind)
	var b strings.Builder
	digits := map[string]int{"int": 8, "long long": 16, "unsigned long long": 16, "double": 16}[typ]
	fill := cFillText
	if kind != textKind {
		fill = fmt.Sprintf(cFillNumber, digits)
	}
	for _, cell := range cells {
		if isPair(cell) {
			return "", false, nil
		}
		text, err := c.atom(p, v, cell, kind)
		if kind == textKind || err != nil {
			if err != nil || cNumeric.MatchString(text) {
				return "", false, err
			}
			b.WriteString(text[1:len(text)-1] + `\000`)
			continue
		}
		fmt.Fprintf(&b, "%0*x", digits, bitsOf(cell, typ))
	}
	return fmt.Sprintf("%s %s%s;\nstatic const char %s__cells[] = \"%s\";\n", typ, v.Name, size, v.Name, b.String()) +
		fmt.Sprintf(cFill, v.Name, typ, len(cells), fill), true, nil
}

// bitsOf is a number as the C type has it in memory.
func bitsOf(x elisp.Value, typ string) uint64 {
	is, _ := truth(x)
	switch x := x.(type) {
	case elisp.Int:
		switch typ {
		case "int":
			return uint64(uint32(x))
		case "double":
			return math.Float64bits(float64(x))
		}
		return uint64(x)
	case elisp.Big:
		if typ == "double" {
			return math.Float64bits(float64(x))
		}
		return uint64(x)
	case elisp.Float:
		return math.Float64bits(float64(x))
	}
	if is {
		return bitsOf(elisp.Int(1), typ)
	}
	return 0
}

// typeOf is the type of a variable. Where values count, whole numbers that an
// int cannot hold make it long long.
func (c cFamily) typeOf(p *Params, x elisp.Value, kind scalarKind) string {
	switch {
	case kind != intKind || !p.Exact:
	case some(x, isBig):
		return "unsigned long long"
	case some(x, func(x elisp.Value) bool { return elisp.Int(int32(whole(x))) != whole(x) }):
		return "long long"
	}
	return c.typeName(kind)
}

// some reports whether an atom is of a kind, or one in a list.
func some(x elisp.Value, is func(elisp.Value) bool) bool {
	for pair, ok := x.(*elisp.Cons); ok; pair, ok = pair.Cdr.(*elisp.Cons) {
		if some(pair.Car, is) {
			return true
		}
	}
	return is(x)
}

// whole is a whole number of 64 bits, 0 for all else.
func whole(x elisp.Value) elisp.Int {
	n, _ := x.(elisp.Int)
	return n
}

func isNegative(x elisp.Value) bool { return whole(x) < 0 }

func isBig(x elisp.Value) bool {
	_, big := x.(elisp.Big)
	return big
}

// rounds reports whether a whole number becomes another one as a double.
func rounds(x elisp.Value) bool {
	v, err := elisp.ToValue(x)
	return err == nil && v.Rounds()
}
