package oql

import (
	"slices"
	"strings"

	"wb/internal/value"
)

// A where behind a group is about the groups, as HAVING is in SQL: it compares their
// columns, and only those, since a group has no keyword, tags or text of its own.

// checkHaving finds conditions that groups cannot meet.
func (q *Query) checkHaving() error {
	if q.Having == nil {
		return nil
	}
	if !q.grouped() {
		return errorf(q.Having.Position(), "use where, or add group-by", "having needs groups")
	}
	var wrong error
	walk(q.Having, func(e Expr) {
		if c, ok := e.(*Call); ok && wrong == nil {
			wrong = errorf(c.Pos, "compare a column of the groups, such as count:>10, or put where before the group",
				"a group has no %s", c.Name)
		}
	})
	return wrong
}

// keep leaves the groups that meet a condition.
func (r *Result) keep(c *compiler, having Expr) error {
	if having == nil {
		return nil
	}
	var missing error
	walk(having, func(e Expr) {
		if e, ok := e.(*Compare); ok && missing == nil && !slices.Contains(upperAll(r.Columns), strings.ToUpper(e.Field)) {
			missing = errorf(e.Pos, suggest(e.Field, r.Columns), "groups have no column %s: put where before the group to ask the rows", e.Field)
		}
	})
	if missing != nil {
		return missing
	}
	match, err := c.compile(having)
	if err != nil {
		return err
	}
	names := upperAll(r.Columns)
	groups := &File{Entries: make([]Entry, 1)}
	r.Rows = slices.DeleteFunc(r.Rows, func(row []value.Value) bool {
		cells := make([]Cell, len(row))
		group := Entry{Cells: cells}
		for k, v := range row {
			cells[k] = Cell{names[k], v}
			if letter := plainText(v); names[k] == "PRIORITY" && len(letter) == 1 {
				group.Priority = letter[0]
			}
		}
		groups.Entries[0] = group
		return !match(groups, 0)
	})
	return nil
}

func upperAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.ToUpper(name)
	}
	return out
}
