package oql

import (
	"slices"
	"strings"
	"time"
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
// may hold any text, today is a date only where an order is asked for.
func (e *Compare) date(now time.Time) (string, bool) {
	moment := slices.Contains(timeColumns, strings.ToLower(e.Field))
	ordered := strings.ContainsAny(e.Op, "<>")
	named := slices.Contains([]string{"today", "yesterday", "tomorrow"}, e.Value.Text)
	if strings.HasSuffix(e.Op, "~") || !moment && !(ordered && named) {
		return "", false
	}
	w, ok := parseWhen(e.Value)
	if !ok || !w.rel || w.days >= mostDays || w.days <= -mostDays {
		return "", false
	}
	return now.AddDate(0, 0, w.days).Format("2006-01-02"), true
}
