package oql

import (
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/value"
)

// partner is a row that others are paired with, and the columns it brings,
// named after its table: orders.price.
type partner struct {
	row   *Entry
	cells []Cell
}

// join pairs rows whose columns are equal. The right row's columns are shown
// after the left's under the name of their table; where the left row has none of
// that name, the bare name does too.
func join(left, right *Corpus, rightKind string, j Join) *Corpus {
	names := joinedColumns(rightKind, right)
	prefix := tableName(j.From) + "."
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = prefix + name
	}
	partners := map[string][]partner{}
	for _, f := range right.Files {
		for i := range f.Len() {
			key, ok := fieldText(f, i, j.Right)
			if !ok {
				continue
			}
			cells := make([]Cell, len(names))
			for k, name := range names {
				v, _ := f.Field(i, name)
				cells[k] = Cell{strings.ToUpper(shown[k]), v}
			}
			partners[key] = append(partners[key], partner{f.At(i), cells})
		}
	}
	out := &Corpus{}
	for _, f := range left.Files {
		joined := &File{Path: f.Path, Title: f.Title, Todo: f.Todo, DoneKey: f.DoneKey, Columns: slices.Concat(f.Columns, shown)}
		for i := range f.Len() {
			key, ok := fieldText(f, i, j.Left)
			if !ok {
				continue
			}
			for _, p := range partners[key] {
				joined.Entries = append(joined.Entries, pair(f.At(i), p))
			}
		}
		out.Files = append(out.Files, joined)
	}
	return out
}

// joinedColumns are the columns that rows bring into a join: those that are
// shown of their kind, of headlines the title, the state and the properties.
func joinedColumns(kind string, c *Corpus) []string {
	if kind != "headlines" {
		return columnsOf(kind, c)
	}
	names := []string{"title", "state"}
	for _, f := range c.Files {
		for i := range f.Len() {
			for _, p := range f.At(i).Props {
				if name := strings.ToLower(p.Name); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// tableName is the name of a source's rows: the table of an SQLite
// file, the file without its directory and extension, the entity, or the kind.
func tableName(from []Source) string {
	for _, s := range slices.Backward(from) {
		if !slices.Contains(RowKinds, s.Name) {
			base := filepath.Base(s.Name)
			return strings.TrimSuffix(base, filepath.Ext(base))
		}
	}
	return from[len(from)-1].Name
}

func pair(l *Entry, r partner) Entry {
	row := *l
	row.Parent, row.End = -1, 0
	row.Props = slices.Clip(row.Props)
	for _, p := range r.row.Props {
		if _, taken := l.Prop(p.Name); !taken {
			row.Props = append(row.Props, p)
		}
	}
	row.Cells = append(slices.Clip(row.Cells), Cell{"OTHER_TITLE", value.OfString(r.row.Title)}, Cell{"OTHER_STATE", textOrNull(r.row.State)})
	row.Cells = append(row.Cells, r.row.Cells...)
	row.Cells = append(row.Cells, r.cells...)
	return row
}
