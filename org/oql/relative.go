package oql

import (
	"slices"
	"strings"
	"time"

	"wb/internal/lazyregexp"
)

// timeColumns are the columns that always hold a moment, so that a small whole
// number compared with them can only mean days from today.
var timeColumns = []string{"deadline", "scheduled", "closed", "ts", "started"}

// mostDays tells days from years: deadline:>2026 is about the year.
const mostDays = 1000

// dated replaces the relative dates of comparisons by dates: deadline:<=today,
// scheduled:<7. It is done once, before anything that reads rows, so that
// screens, foreign sources and tests all compare with the same constant.
func dated(e Expr, now time.Time) Expr {
	each := func(args []Expr) []Expr {
		out := make([]Expr, len(args))
		for i, a := range args {
			out[i] = dated(a, now)
		}
		return out
	}
	switch e := e.(type) {
	case *And:
		return &And{Args: each(e.Args), Pos: e.Pos}
	case *Or:
		return &Or{Args: each(e.Args), Pos: e.Pos}
	case *Not:
		return &Not{Arg: dated(e.Arg, now), Pos: e.Pos}
	case *Call:
		if e.Query == nil {
			return e
		}
		call := *e
		call.Query = dated(e.Query, now)
		return &call
	case *Compare:
		if text, ok := e.date(now); ok {
			return &Compare{Op: e.Op, Field: e.Field, Value: Arg{Kind: ArgString, Text: text, Pos: e.Value.Pos}, Pos: e.Pos}
		}
	}
	return e
}

// date is the date that a comparison's constant stands for. On a column that
// may hold any text, only what looks like nothing else is a date, and only
// where an order is asked for: due:<=+2w, but not size:>2 or name:sat.
func (e *Compare) date(now time.Time) (string, bool) {
	w, ok := parseWhen(e.Value)
	if !ok || strings.HasSuffix(e.Op, "~") || !w.rel && len(w.shifts) == 0 {
		return "", false
	}
	switch {
	case isTimeColumn(e.Field):
		if w.unsigned && len(w.shifts) == 0 && (w.days >= mostDays || w.days <= -mostDays) {
			return "", false
		}
	case w.unsigned, !strings.ContainsAny(e.Op, "<>"), w.weekday > 0 && e.Value.Kind == ArgString:
		return "", false
	}
	layout := "2006-01-02"
	if w.toTheMinute() {
		layout = "2006-01-02 15:04"
	}
	return w.start(now).Format(layout), true
}

// isTimeColumn reports whether a column always holds a moment.
func isTimeColumn(name string) bool { return slices.Contains(timeColumns, strings.ToLower(name)) }

// partOfDate matches the text that a date may be compared with: a year, a month.
var partOfDate = lazyregexp.New(`^\d{4}(?:-\d\d)?$`)

// checkDates refuses to compare a moment with what is not a date: as text, the
// comparison would have an answer, but no meaning.
func checkDates(e Expr) (err error) {
	walk(e, func(e Expr) {
		c, ok := e.(*Compare)
		if !ok || err != nil || !isTimeColumn(c.Field) || strings.HasSuffix(c.Op, "~") {
			return
		}
		if _, ok := parseWhen(c.Value); !ok && !partOfDate.MatchString(c.Value.Text) {
			err = noDate(c.Value)
		}
	})
	return err
}

// rangeOf reads field:FROM..TO as two comparisons.
func rangeOf(field string, a Arg, pos Pos) (Expr, bool) {
	s, ok := parseSpan(a)
	if !ok {
		return nil, false
	}
	left, right, _ := strings.Cut(a.Text, "..")
	both := &And{Pos: pos}
	add := func(op, text string, w *when) bool {
		if w == nil {
			return true
		}
		number := w.unsigned && len(w.shifts) == 0
		if w.unsigned && !number {
			text = "+" + text
		}
		both.Args = append(both.Args, &Compare{Op: op, Field: field, Value: atom(text, a.Pos), Pos: pos})
		return !number || isTimeColumn(field)
	}
	return both, add(">=", left, s.from) && add("<=", right, s.to)
}
