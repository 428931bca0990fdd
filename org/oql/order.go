package oql

import (
	"cmp"
	"container/heap"
	"slices"

	"wb/internal/value"
)

// ordering sorts rows, which it knows by their numbers. A value is read once, and only
// when two rows are compared by it: mostly the first key decides.
type ordering struct {
	by    []Order
	value func(row, key int) value.Value
	keys  [][]sortKey // of all rows, by key
	rows  int
}

// sortKey is a value as it is sorted: numbers come before text, and what is missing last.
type sortKey struct {
	class   keyClass
	isWhole bool
	whole   int64
	number  float64
	text    string
}

type keyClass uint8

const (
	keyUnread keyClass = iota
	keyNumber
	keyText
	keyMissing
)

func newOrdering(by []Order, rows int, of func(row, key int) value.Value) *ordering {
	return &ordering{by: by, value: of, keys: make([][]sortKey, len(by)), rows: rows}
}

// first gives the numbers of the first rows in order, or of all where most is 0. Equal
// rows stay as they were.
func (o *ordering) first(most int) []int {
	if most == 0 || most > o.rows/2 {
		all := make([]int, o.rows)
		for i := range all {
			all[i] = i
		}
		slices.SortFunc(all, o.compare)
		return all
	}
	best := &worstOnTop{ordering: o}
	for i := range o.rows {
		switch {
		case len(best.rows) < most:
			heap.Push(best, i)
		case o.compare(i, best.rows[0]) < 0:
			best.rows[0] = i
			heap.Fix(best, 0)
		}
	}
	slices.SortFunc(best.rows, o.compare)
	return best.rows
}

// worstOnTop is a heap of the best rows so far, the worst of them first.
type worstOnTop struct {
	*ordering
	rows []int
}

func (h *worstOnTop) Len() int           { return len(h.rows) }
func (h *worstOnTop) Less(i, j int) bool { return h.compare(h.rows[i], h.rows[j]) > 0 }
func (h *worstOnTop) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *worstOnTop) Push(row any)       { h.rows = append(h.rows, row.(int)) }
func (h *worstOnTop) Pop() any {
	last := h.rows[len(h.rows)-1]
	h.rows = h.rows[:len(h.rows)-1]
	return last
}

// compare orders two rows, those alike by where they stood.
func (o *ordering) compare(a, b int) int {
	for k, by := range o.by {
		order := o.key(a, k).compare(o.key(b, k))
		if by.Desc {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(a, b)
}

func (o *ordering) key(row, k int) *sortKey {
	if o.keys[k] == nil {
		o.keys[k] = make([]sortKey, o.rows)
	}
	key := &o.keys[k][row]
	if key.class == keyUnread {
		*key = sortKeyOf(o.value(row, k))
	}
	return key
}

func sortKeyOf(v value.Value) sortKey {
	if v.IsNull() {
		return sortKey{class: keyMissing}
	}
	if x, ok := number(v); ok {
		n, whole := parseWhole(plainText(v))
		return sortKey{class: keyNumber, number: x, whole: n, isWhole: whole}
	}
	return sortKey{class: keyText, text: plainText(v)}
}

func (a *sortKey) compare(b *sortKey) int {
	switch {
	case a.class != b.class:
		return cmp.Compare(a.class, b.class)
	case a.class == keyText:
		return cmp.Compare(a.text, b.text)
	case a.isWhole && b.isWhole: // beyond 2^53 floats are too coarse
		return cmp.Compare(a.whole, b.whole)
	}
	return cmp.Compare(a.number, b.number)
}
