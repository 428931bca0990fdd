package oql

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"wb/internal/value"
)

// The first rows in order are the same whether all rows are sorted or only the best are
// kept, and rows alike stay as they were.
func TestFirstInOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(18, 7))
	values := []value.Value{value.Nil(), value.OfInt(3), value.OfString("3.5"), value.OfString("x"), value.OfString("10"),
		value.OfInt(1<<53 + 1), value.OfInt(1 << 53), value.OfString("")}
	const rows = 500
	table := make([][2]int, rows) // the numbers of values
	for i := range table {
		table[i] = [2]int{rnd.IntN(len(values)), rnd.IntN(len(values))}
	}
	of := func(row, key int) value.Value { return values[table[row][key]] }
	for _, by := range [][]Order{{{}}, {{Desc: true}}, {{}, {Desc: true}}, {{Desc: true}, {}}} {
		all := newOrdering(by, rows, of).first(0)
		for _, most := range []int{1, 7, 100, rows - 1, rows, rows + 1} {
			if got, want := newOrdering(by, rows, of).first(most), all[:min(most, rows)]; !slices.Equal(got[:min(most, rows)], want) {
				t.Errorf("%v: the first %d are %v, not %v", by, most, got, want)
			}
		}
		for i, row := range all[1:] {
			if before := all[i]; table[before] == table[row] && before > row { // alike
				t.Errorf("%v: row %d is before its like %d", by, before, row)
			}
		}
	}
	var order []string
	for _, i := range newOrdering([]Order{{}}, len(values), func(row, _ int) value.Value { return values[row] }).first(0) {
		order = append(order, plainText(values[i]))
	}
	if got, want := strings.Join(order, " "), "3 3.5 10 9007199254740992 9007199254740993  x "; got != want {
		t.Errorf("values are in the order %q, not %q", got, want)
	}
}
