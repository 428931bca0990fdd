package run

import (
	"fmt"
	"slices"

	"wb/internal/value"
	"wb/tangle/elisp"
	"wb/workbook/plan"
)

// disassemble takes column names, row names and rules off a table. Columns are
// named when :colnames says so, or when it says nothing and the table has a
// rule below its first row and no other.
func (v *variable) disassemble(args argSet) error {
	if v.value.Kind() != value.List {
		return nil
	}
	rows := v.value.Items()
	colNames, said := args.Get(":colnames")
	named := said && colNames.Value != "" && colNames.Value != "nil"
	if colNames.Value != "no" && (named || hasHeader(rows)) {
		v.flat = len(rows) > 0 && rows[0].Kind() != value.List && rows[0].Kind() != value.HLine
		v.colNames, rows = splitHeader(rows)
	}
	if plan.IsSet(args.Args, ":rownames") {
		if slices.ContainsFunc(rows, isCell) {
			return fmt.Errorf(":rownames needs a table, but %s is a plain list", v.name)
		}
		v.rowNames, rows = splitRowNames(rows)
	}
	if args.Value(":hlines") != "yes" {
		rows = withoutRules(rows)
	}
	v.value = value.OfList(rows...)
	return nil
}

// isCell reports whether a table cannot have v as a row; an empty row may be null.
func isCell(v value.Value) bool {
	return v.Kind() != value.List && v.Kind() != value.HLine && !v.IsNull()
}

// hasHeader reports whether a table's only rule stands below its first row.
func hasHeader(rows []value.Value) bool {
	if len(rows) < 2 || rows[0].Kind() == value.HLine || rows[1].Kind() != value.HLine {
		return false
	}
	return len(withoutRules(rows)) == len(rows)-1
}

// splitHeader takes the first row, and the rule below it, off a table.
func splitHeader(rows []value.Value) (header, rest []value.Value) {
	for len(rows) > 0 && rows[0].Kind() == value.HLine {
		rows = rows[1:]
	}
	if len(rows) == 0 {
		return nil, nil
	}
	header = rows[0].Items()
	if rows[0].Kind() != value.List {
		header = rows[:1]
	}
	rest = rows[1:]
	if len(rest) > 0 && rest[0].Kind() == value.HLine {
		rest = rest[1:]
	}
	return header, rest
}

// splitRowNames takes the first column, and all rules, off a table.
func splitRowNames(rows []value.Value) (names, rest []value.Value) {
	for _, row := range withoutRules(rows) {
		items := row.Items()
		if len(items) == 0 {
			names, rest = append(names, value.Nil()), append(rest, row)
			continue
		}
		names = append(names, items[0])
		rest = append(rest, value.OfList(items[1:]...))
	}
	return names, rest
}

func withoutRules(rows []value.Value) []value.Value {
	var kept []value.Value
	for _, row := range rows {
		if row.Kind() != value.HLine {
			kept = append(kept, row)
		}
	}
	return kept
}

// reassemble puts row and column names back on a result where :rownames and
// :colnames ask for that and the sizes fit. The names are those given in the
// argument, else those of the last variable that had any.
func reassemble(v value.Value, args argSet, vars []variable) value.Value {
	if v.Kind() != value.List {
		return v
	}
	rows := v.Items()
	names := chosenNames(args, ":rownames", vars, func(v variable) []value.Value { return v.rowNames })
	if names != nil && len(names) == len(rows) {
		rows = withRowNames(rows, names)
	}
	names = chosenNames(args, ":colnames", vars, func(v variable) []value.Value { return v.colNames })
	if names != nil && len(rows) > 0 && rows[0].Kind() == value.List && len(rows[0].Items()) == len(names) {
		rows = append([]value.Value{value.OfList(names...), value.Rule()}, rows...)
	}
	return value.OfList(rows...)
}

// chosenNames picks column or row names as org-babel-pick-name does.
func chosenNames(args argSet, key string, vars []variable, of func(variable) []value.Value) []value.Value {
	if !plan.IsSet(args.Args, key) {
		return nil
	}
	if v, err := elisp.ReadCell(args.Value(key), &elisp.Env{}); err == nil {
		if list, err := elisp.ToValue(v); err == nil && list.Kind() == value.List {
			return list.Items()
		}
	}
	var last []value.Value
	for _, v := range vars {
		if names := of(v); names != nil {
			last = names
		}
	}
	return last
}

func withRowNames(rows, names []value.Value) []value.Value {
	named := make([]value.Value, len(rows))
	for i, row := range rows {
		named[i] = row
		if row.Kind() == value.List || row.IsNull() {
			named[i] = value.OfList(append([]value.Value{names[i]}, row.Items()...)...)
		}
	}
	return named
}
