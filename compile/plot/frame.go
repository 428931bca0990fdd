package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// frame is a table by columns, all equally long.
type frame struct{ columns []*column }

// column is one column. numbers has every cell as a number, NaN where there is
// none: a calendar column in seconds since 1970.
type column struct {
	name    string
	named   bool // by the table, not by its place
	cells   []value.Value
	numbers []float64
	kind    scaleKind
}

// maxCells bounds what is drawn: beyond it a picture says nothing.
const maxCells = 1_000_000

// newFrame reads a table (a list of rows, with its header's names if it has
// one), a list of records, or a list of numbers.
func newFrame(v value.Value, header []string) (*frame, error) {
	if v.Kind() != value.List {
		return nil, fmt.Errorf("the data is %s, not a table", v)
	}
	var rows [][]value.Value
	names := header
	for i, item := range v.Items() {
		switch item.Kind() {
		case value.HLine:
			if len(rows) == 1 && i == 1 && header == nil { // what stood above is the header
				for _, cell := range rows[0] {
					names = append(names, value.CellText(cell))
				}
				rows = nil
			}
		case value.List:
			rows = append(rows, item.Items())
		case value.Object:
			row := make([]value.Value, len(names))
			for _, f := range item.Fields() {
				at := index(names, f.Name)
				if at < 0 {
					at, names, row = len(names), append(names, f.Name), append(row, value.Nil())
				}
				row[at] = f.Value
			}
			rows = append(rows, row)
		default:
			rows = append(rows, []value.Value{item})
		}
	}
	width := len(names)
	for _, row := range rows {
		width = max(width, len(row))
	}
	switch {
	case len(rows) == 0 || width == 0:
		return nil, fmt.Errorf("the table has no rows")
	case len(rows)*width > maxCells:
		return nil, fmt.Errorf("the table has %d cells, more than the %d that can be drawn", len(rows)*width, maxCells)
	}
	f := &frame{}
	for at := range width {
		c := &column{name: strconv.Itoa(at + 1)}
		if at < len(names) && names[at] != "" {
			c.name, c.named = names[at], true
		}
		for _, row := range rows {
			cell := value.Nil()
			if at < len(row) {
				cell = row[at]
			}
			c.cells = append(c.cells, cell)
		}
		c.classify()
		f.columns = append(f.columns, c)
	}
	return f, nil
}

func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// classify finds what a column holds: numbers, moments or else categories.
func (c *column) classify() {
	for _, k := range []struct {
		kind scaleKind
		read func(value.Value) (float64, bool)
	}{{numeric, asNumber}, {calendar, asMoment}} {
		numbers, some := make([]float64, len(c.cells)), false
		fits := true
		for i, cell := range c.cells {
			numbers[i] = math.NaN()
			if blank(cell) {
				continue
			}
			n, ok := k.read(cell)
			if !ok {
				fits = false
				break
			}
			numbers[i], some = n, true
		}
		if fits && some {
			c.kind, c.numbers = k.kind, numbers
			return
		}
	}
	c.kind, c.numbers = category, make([]float64, len(c.cells))
	for i := range c.numbers {
		c.numbers[i] = math.NaN()
	}
}

func blank(v value.Value) bool {
	return v.IsNull() || v.Kind() == value.String && strings.TrimSpace(v.Text()) == ""
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func asNumber(v value.Value) (float64, bool) {
	switch v.Kind() {
	case value.Int, value.Float:
		return v.Float(), finite(v.Float())
	case value.String:
		n, err := strconv.ParseFloat(strings.TrimSpace(v.Text()), 64)
		return n, err == nil && finite(n)
	}
	return 0, false
}

var orgStamp = lazyregexp.New(`^[<\[](\d{4}-\d{2}-\d{2})(?: [^\d\]>]+)?(?: (\d{1,2}:\d{2}))?.*[>\]]$`)

// asMoment reads ISO 8601 dates and times, months and org timestamps.
func asMoment(v value.Value) (float64, bool) {
	if v.Kind() != value.String {
		return 0, false
	}
	s := strings.TrimSpace(v.Text())
	if m := orgStamp.FindStringSubmatch(s); m != nil {
		s = strings.TrimSpace(m[1] + " " + m[2])
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01"} {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.Unix()), true
		}
	}
	return 0, false
}

// find is the column with a name, or with a number counting from 1.
func (f *frame) find(name string) (*column, error) {
	var names []string
	for _, c := range f.columns {
		if c.named && c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(f.columns) {
		return f.columns[n-1], nil
	}
	return nil, &ColumnError{Name: name, Hint: didYouMean(name, names)}
}

// ColumnError names a column that the data does not have.
type ColumnError struct{ Name, Hint string }

func (e *ColumnError) Error() string { return fmt.Sprintf("the data has no column %q", e.Name) }
