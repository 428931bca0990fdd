package federate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wb/internal/value"
	"wb/org/oql"
)

// Row is one row: values by name, in the order of the source.
type Row []value.Field

// Source yields the rows of one table. Rows that cannot meet the filter may be
// left out; the others must be there. yield's error ends the reading and is
// returned.
type Source interface {
	Rows(ctx context.Context, f Filter, yield func(Row) error) error
}

// maxRows bounds a table, so that an endless one is an error and not the end of
// memory.
const maxRows = 2_000_000

// table collects the rows of a source as a file of a corpus.
type table struct {
	file  *oql.File
	index map[string]bool // columns seen, in upper case
}

func newTable(name string) *table {
	return &table{&oql.File{Path: name, Title: name}, map[string]bool{}}
}

func (t *table) add(row Row) error {
	if len(t.file.Entries) >= maxRows {
		return fmt.Errorf("more than %d rows", maxRows)
	}
	e := oql.Entry{Title: title(row), Parent: -1, End: len(t.file.Entries) + 1, Line: len(t.file.Entries) + 1, Cells: make([]oql.Cell, len(row))}
	var text strings.Builder
	for i, f := range row {
		upper := strings.ToUpper(f.Name)
		e.Cells[i] = oql.Cell{Name: upper, Value: f.Value}
		if !t.index[upper] {
			t.index[upper] = true
			t.file.Columns = append(t.file.Columns, f.Name)
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(plain(f.Value))
	}
	e.Text = text.String()
	t.file.Entries = append(t.file.Entries, e)
	return nil
}

// titleColumns are the columns that may say what a row is, best first.
var titleColumns = []string{"title", "name", "summary", "id"}

// title is a row's title: its first column with a telling name.
func title(row Row) string {
	for _, name := range titleColumns {
		for _, f := range row {
			if strings.EqualFold(f.Name, name) && !f.Value.IsNull() {
				return strings.Join(strings.Fields(plain(f.Value)), " ")
			}
		}
	}
	return ""
}

// plain is a value as text: strings as they are, everything else as JSON.
func plain(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return ""
	case value.String:
		return v.Text()
	}
	return string(v.AppendJSON(nil))
}

// distinct makes column names differ: the second "a" is "a_2", one without a
// name "column_3".
func distinct(names []string) []string {
	out := make([]string, len(names))
	used := map[string]bool{}
	next := map[string]int{} // the number to try for a name that is taken
	for i, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		upper := strings.ToUpper(name)
		unique := name
		for n := max(2, next[upper]); used[strings.ToUpper(unique)]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
			next[upper] = n + 1
		}
		used[strings.ToUpper(unique)] = true
		out[i] = unique
	}
	return slices.Clip(out)
}
