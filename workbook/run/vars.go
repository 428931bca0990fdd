package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/elisp"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// variable is a resolved :var. The names of columns and rows are set where
// :colnames or :rownames took them off the table.
type variable struct {
	name               string
	value              value.Value
	colNames, rowNames []value.Value
	flat               bool // colNames is the first item of a plain list
}

// variables resolves every :var and takes tables apart as :hlines, :colnames
// and :rownames say.
func (r binder) variables(ctx context.Context, c *plan.Component, args argSet, this *value.Value) ([]variable, error) {
	var vars []variable
	for _, v := range args.Vars() {
		resolved, given := r.given[v.Name]
		if !given {
			var err error
			if resolved, err = r.eval(ctx, c, v.Expr, this); err != nil {
				return nil, err
			}
		}
		one := variable{name: v.Name, value: resolved}
		if err := one.disassemble(args); err != nil {
			return nil, err
		}
		vars = append(vars, one)
	}
	return vars, nil
}

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

// eval is the value of the right side of a :var of a component: a literal, *this*, or what a
// reference names.
func (r binder) eval(ctx context.Context, c *plan.Component, expr string, this *value.Value) (value.Value, error) {
	if expr == "*this*" {
		if this == nil {
			return value.Nil(), nil
		}
		return *this, nil
	}
	env := &elisp.Env{}
	if this != nil {
		env.Vars = map[elisp.Symbol]elisp.Value{"*this*": elisp.FromValue(*this)}
	}
	v, isLiteral, err := plan.Literal(expr, env)
	if err != nil && plan.IsForm(expr) {
		return r.lisp(ctx, c, expr, this, err)
	}
	if err != nil || isLiteral {
		return v, err
	}
	ref := plan.ParseReference(expr)
	from := r.plan.ReferredBy(c, ref.Key())
	if from == nil {
		return value.Nil(), fmt.Errorf("%q names nothing here", expr)
	}
	switch {
	case ref.Body && from.IsBlock():
		return value.OfString(result.EndLine(from.Body)), nil // the text itself, not its result
	case ref.RunsAnew() && from.Kind != plan.KindData, this != nil && from.ReadsThis():
		v, err = r.call(ctx, from, ref, this)
	default:
		v, err = r.valueOf(from, ref.Name)
	}
	if err != nil {
		return v, err
	}
	return plan.Index(v, ref.Index), nil
}

// valueOf is the value of a component whose turn is over.
func (r binder) valueOf(c *plan.Component, name string) (value.Value, error) {
	t := r.tasks[c.Index()]
	if t == nil {
		return value.Nil(), fmt.Errorf("%s is not part of this run", c.ID)
	}
	select {
	case <-t.finished:
	default: // the plan missed an edge; better an error than a race
		return value.Nil(), fmt.Errorf("%s is needed, but nothing waited for it", c.ID)
	}
	if err := t.withheld(c); err != nil {
		return value.Nil(), err
	}
	return c.Output(t.done.Value, name), nil
}

// call runs a block anew with the arguments of a reference and returns its
// value. Equal calls in one run happen once.
func (r binder) call(ctx context.Context, c *plan.Component, ref plan.Reference, this *value.Value) (value.Value, error) {
	var vars []org.Arg
	for _, arg := range ref.Args {
		vars = append(vars, org.Arg{Key: ":var", Value: arg, Origin: org.FromCallArgs})
	}
	args := org.MergeArgs(c.Args, org.ParseArgs(ref.Header, 0, org.FromCallInside), vars)
	if r.given != nil { // those inputs are for the component that is mapped
		plain := *r.runner
		plain.given = nil
		r.runner = &plain
	}
	p, err := r.prepare(ctx, c, args, this)
	if err != nil {
		return value.Nil(), err
	}
	return r.calls.do(ctx, p.digests.Key(), func() (value.Value, error) {
		t := &task{done: Done{ID: callLabel(c, ref), Lang: p.code.Lang, Pos: c.Pos}, words: p.words, args: p.args}
		start := time.Now()
		if err := executing(r.runner).execute(ctx, p, t); err != nil {
			t.fail(err)
		}
		t.done.Duration = time.Since(start) - t.done.Queued
		r.recordEnd(c, t)
		return t.done.Value, t.done.Err
	})
}

func callLabel(c *plan.Component, ref plan.Reference) string {
	return c.ID + "(" + strings.Join(ref.Args, ", ") + ")"
}

// stdinText is the value of :stdin in the form that a lane reads.
func stdinText(v value.Value, form compile.StdinForm) []byte {
	switch {
	case form == compile.StdinJSON && v.Kind() == value.List:
		return []byte(value.OfList(withoutRules(v.Items())...).String())
	case form == compile.StdinJSON && v.Kind() == value.Object:
		return []byte(v.String())
	}
	return []byte(shellText(v, "\t", ""))
}

// shellText is a value as text for a program: rows on lines with a separator
// between cells, lists one item a line. The rules of a table are left out, or
// written as a word where org-babel does that; in a list, such as one column of
// a table, they are items.
func shellText(v value.Value, separator, rule string) string {
	if v.Kind() != value.List {
		if v.IsNull() {
			return ""
		}
		return result.Display(v)
	}
	isTable := slices.ContainsFunc(v.Items(), func(item value.Value) bool { return item.Kind() == value.List })
	if !isTable {
		rule = "hline"
	}
	var lines []string
	for _, item := range v.Items() {
		switch item.Kind() {
		case value.HLine:
			if rule != "" {
				lines = append(lines, rule)
			}
		case value.List:
			lines = append(lines, strings.Join(displayAll(item.Items()), separator))
		default:
			lines = append(lines, result.Display(item))
		}
	}
	return strings.Join(lines, "\n")
}
