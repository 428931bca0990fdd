package oql

import (
	"slices"
	"strings"

	"wb/internal/value"
)

// Groups over logs of a million events are made from columns: keys are numbers
// of words, and values are read as numbers without passing through text. What
// cannot be done so (lists, values that are not numbers) is
// done the general way; both give the same answer, also in the last digit,
// since numbers are added in the same order.

// numeric are the aggregates that need nothing but numbers.
var numeric = []string{"count", "sum", "avg", "min", "max", "p50", "p95", "p99"}

// tally accumulates one aggregate of one group.
type tally struct {
	count  int
	sum    float64
	lo, hi float64
	values []float64 // for percentiles
	seen   map[uint32]struct{}
	last   uint32 // of seen; rows of a kind come together
}

// note counts a value that stands for a number of its own, which is not 0.
func (t *tally) note(id uint32) {
	if id == t.last {
		return
	}
	if t.seen == nil {
		t.seen = map[uint32]struct{}{}
	}
	t.seen[id] = struct{}{}
	t.last = id
}

func (t *tally) add(x float64, keep bool) {
	if t.count == 0 || x < t.lo {
		t.lo = x
	}
	if t.count == 0 || x > t.hi {
		t.hi = x
	}
	t.count++
	t.sum += x
	if keep {
		t.values = append(t.values, x)
	}
}

func (t *tally) result(fn string) value.Value {
	switch {
	case fn == "count":
		return value.OfInt(int64(t.count))
	case fn == "count-distinct":
		return value.OfInt(int64(len(t.seen)))
	case t.count == 0:
		return extremeText(fn, nil)
	case fn == "sum":
		return tidyNumber(t.sum)
	case fn == "avg":
		return tidyNumber(t.sum / float64(t.count))
	case fn == "min":
		return tidyNumber(t.lo)
	case fn == "max":
		return tidyNumber(t.hi)
	}
	return tidyNumber(percentile(t.values, percents[fn]))
}

var percents = map[string]float64{"p50": 50, "p95": 95, "p99": 99}

// groupColumns makes the groups of rows that are all in logs; ok is false when
// the query needs the general way.
func groupColumns(keys []string, cols []Column, found [][]rowID) (out [][]value.Value, ok bool) {
	if len(keys) > 4 {
		return nil, false
	}
	for _, c := range cols {
		if !slices.Contains(numeric, c.Func) && c.Func != "count-distinct" || isColumn(c.Field) || c.Func == "count" && c.Field != "" {
			return nil, false
		}
	}
	g := &columnGroups{keys: keys, cols: cols, words: map[string]uint16{}, index: map[uint64]int{}, ids: map[string]uint32{}}
	for _, rows := range found {
		if len(rows) > 0 && !g.chunk(rows) {
			return nil, false
		}
	}
	if len(keys) == 0 && len(g.texts) == 0 { // one row even so
		return nil, false
	}
	for i, texts := range g.texts {
		row := make([]value.Value, 0, len(keys)+len(cols))
		for k := range keys {
			row = append(row, texts[k])
		}
		for k, c := range cols {
			t := &g.tallies[i*len(cols)+k]
			if c.Field == "" {
				t.count = g.rows[i]
			}
			row = append(row, t.result(c.Func))
		}
		out = append(out, row)
	}
	return out, true
}

type columnGroups struct {
	keys    []string
	cols    []Column
	words   map[string]uint16 // words of keys, numbered
	index   map[uint64]int    // by the numbers of the key
	texts   [][]value.Value
	rows    []int
	tallies []tally           // len(cols) for each group
	ids     map[string]uint32 // numbers of values that are counted once, from 1
}

// chunk adds the rows of one chunk.
func (g *columnGroups) chunk(rows []rowID) bool {
	c := rows[0].file.log
	if c == nil {
		return false
	}
	keys := make([]func(int) uint16, len(g.keys))
	for k, name := range g.keys {
		if keys[k] = g.key(c, rows[0].file.Path, name); keys[k] == nil {
			return false
		}
	}
	// An aggregate per field is fed from a reader per field.
	fields := map[string]func(int) (float64, bool, bool){}
	readers := make([]func(int) (float64, bool, bool), len(g.cols))
	distinct := make([]func(int) uint32, len(g.cols))
	for k, col := range g.cols {
		if col.Field == "" {
			continue
		}
		name := strings.ToUpper(col.Field)
		if col.Func == "count-distinct" {
			distinct[k] = g.distinct(c, name)
			continue
		}
		if fields[name] == nil {
			fields[name] = numbers(c, name)
		}
		readers[k] = fields[name]
	}
	lastID, last := ^uint64(0), -1
	for _, r := range rows {
		id := uint64(0)
		for _, key := range keys {
			id = id<<16 | uint64(key(r.row))
		}
		group := last
		if id != lastID || last < 0 {
			group = g.group(id, r)
			lastID, last = id, group
		}
		g.rows[group]++
		for k, read := range readers {
			if of := distinct[k]; of != nil {
				if id := of(r.row); id != 0 {
					g.tallies[group*len(g.cols)+k].note(id)
				}
			}
			if read == nil {
				continue
			}
			x, has, number := read(r.row)
			if !has {
				continue
			}
			if !number {
				return false
			}
			g.tallies[group*len(g.cols)+k].add(x, g.cols[k].Func[0] == 'p')
		}
	}
	return true
}

// group finds or makes the group of a key.
func (g *columnGroups) group(id uint64, r rowID) int {
	if i, ok := g.index[id]; ok {
		return i
	}
	i := len(g.texts)
	g.index[id] = i
	texts := make([]value.Value, len(g.keys))
	for k, name := range g.keys {
		v, _ := r.file.Field(r.row, name)
		texts[k] = scalar(v)
	}
	g.texts, g.rows = append(g.texts, texts), append(g.rows, 0)
	g.tallies = append(g.tallies, make([]tally, len(g.cols))...)
	return i
}

// number numbers a word of a key; 0 is no word, and the empty one.
func (g *columnGroups) number(word string) (uint16, bool) {
	if word == "" {
		return 0, true
	}
	n, ok := g.words[word]
	if !ok {
		if len(g.words) > 60_000 {
			return 0, false
		}
		n = uint16(len(g.words) + 1)
		g.words[word] = n
	}
	return n, true
}

// key is how the number of a key column is found for a row; nil if it cannot.
func (g *columnGroups) key(c *chunk, path, name string) func(int) uint16 {
	name = strings.ToUpper(name)
	table := func(words []string) []uint16 {
		numbers := make([]uint16, len(words)+1)
		for i, w := range words {
			n, ok := g.number(w)
			if !ok {
				return nil
			}
			numbers[i+1] = n
		}
		return numbers
	}
	if name == "KIND" {
		kinds := make([]string, len(c.sets))
		for i, set := range c.sets {
			kinds[i] = set[0]
		}
		if numbers := table(kinds); numbers != nil {
			return func(i int) uint16 { return numbers[1+c.field(i, rowKind)>>8] }
		}
		return nil
	}
	k := c.columns[name]
	switch {
	case isColumn(name):
		return nil
	case k == nil:
		return func(int) uint16 { return 0 }
	case k.form != columnWords:
		return nil
	}
	numbers := table(k.dictionary(c.n))
	if numbers == nil {
		return nil
	}
	return func(i int) uint16 { return numbers[k.id(i)] }
}

// distinct numbers the values of a column, the same value always alike; 0 is
// none. A word of a chunk's dictionary is looked up once.
func (g *columnGroups) distinct(c *chunk, name string) func(int) uint32 {
	number := func(text string) uint32 {
		id, ok := g.ids[text]
		if !ok {
			id = uint32(len(g.ids) + 1)
			g.ids[strings.Clone(text)] = id
		}
		return id
	}
	k := c.columns[name]
	if k == nil {
		return func(int) uint32 { return 0 }
	}
	if k.form != columnWords {
		return func(i int) uint32 {
			if text, has := c.prop(i, name); has {
				return number(text)
			}
			return 0
		}
	}
	words := k.dictionary(c.n)
	table := make([]uint32, len(words)+1)
	return func(i int) uint32 {
		id := k.id(i)
		if id != 0 && table[id] == 0 {
			table[id] = number(words[id-1])
		}
		return table[id]
	}
}

// numbers reads a column as numbers: the number, whether the row has a value,
// and whether that is a number.
func numbers(c *chunk, name string) func(int) (x float64, has, number bool) {
	k := c.columns[name]
	if k == nil {
		return func(int) (float64, bool, bool) { return 0, false, false }
	}
	switch k.form {
	case columnWords:
		words := k.dictionary(c.n)
		table, isNumber := make([]float64, len(words)+1), make([]bool, len(words)+1)
		for i, w := range words {
			table[i+1], isNumber[i+1] = parseNumber(w)
		}
		return func(i int) (float64, bool, bool) { id := k.id(i); return table[id], id != 0, isNumber[id] }
	case columnInts:
		return func(i int) (float64, bool, bool) { n := k.int(i); return float64(n), n != noInt, true }
	}
	return func(i int) (float64, bool, bool) {
		text, has := c.prop(i, name)
		x, number := parseNumber(text)
		return x, has, number
	}
}
