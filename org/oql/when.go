package oql

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/org"
)

// when is a moment given in a query: a day counted from today, or a date with
// or without a time. Shifts such as +2w are added to either.
type when struct {
	rel     bool // counted from today
	days    int  // from today
	weekday int  // 1 is Sunday: the first such day from today on; 0 is none
	date    time.Time
	hasTime bool
	shifts  []dateShift
	// unsigned says that the distance was given without a sign: closed:7 and
	// closed:2w look back, deadline:7 and deadline:2w ahead.
	unsigned bool
}

// dateShift is one step of +2w-1d.
type dateShift struct {
	n    int
	unit byte // h d w m y
}

// dateLayouts are the spellings of absolute dates.
var dateLayouts = []struct {
	layout  string
	hasTime bool
}{
	{"2006-01-02", false}, {"2006-01-02 15:04", true}, {"2006-01-02T15:04", true},
	{"2006-01-02 15:04:05", true}, {"2006-01-02T15:04:05", true},
	{"2006-01-02 Mon", false}, {"2006-01-02 Mon 15:04", true}, {"2006-01-02 Mon 15:04:05", true},
}

// shiftPattern splits the shifts off the end of a date.
var shiftPattern = lazyregexp.New(`^(.*?)((?:[+-]\d{1,5}[hdwmy])*)$`)

var (
	onlyShift = lazyregexp.New(`^\d{1,5}[hdwmy]$`)
	oneShift  = lazyregexp.New(`([+-]?)(\d+)([hdwmy])`)
)

// namedDays are the words for days near today.
var namedDays = map[string]int{"yesterday": -1, "today": 0, "tomorrow": 1}

// parseWhen reads a number of days, the name of a day, a date, or a distance
// such as +2w, which may also follow a day: today+1w, sat-1d, 2026-11-21+1m.
func parseWhen(a Arg) (when, bool) {
	if a.Kind == ArgNumber {
		return when{days: int(a.Num), rel: true, unsigned: true}, a.Num == float64(int(a.Num))
	}
	text := strings.Trim(a.Text, "<>[]")
	if w, ok := parseDay(text); ok {
		return w, true
	}
	if onlyShift.MatchString(text) {
		return when{rel: true, shifts: readShifts(text), unsigned: true}, true
	}
	if n := atom(text, a.Pos); n.Kind == ArgNumber {
		return parseWhen(n)
	}
	m := shiftPattern.FindStringSubmatch(text)
	if m == nil || m[2] == "" {
		return when{}, false
	}
	w, ok := when{rel: true}, true
	if m[1] != "" {
		w, ok = parseDay(m[1])
	}
	w.shifts = readShifts(m[2])
	return w, ok
}

// ParseTime reads a moment as queries have it: 2026-12-01, "2026-12-01 09:30",
// tomorrow, sat, +2w. A day begins at midnight.
func ParseTime(text string, now time.Time) (time.Time, bool) {
	w, ok := parseWhen(atom(text, Pos{1, 1}))
	if !ok {
		return time.Time{}, false
	}
	return w.start(naive(now)), true
}

// parseDay reads the name of a day or an absolute date.
func parseDay(text string) (when, bool) {
	lower := strings.ToLower(text)
	if days, ok := namedDays[lower]; ok {
		return when{rel: true, days: days}, true
	}
	if day, ok := weekdayNamed(lower); ok {
		return when{rel: true, weekday: day}, true
	}
	for _, l := range dateLayouts {
		if t, err := time.Parse(l.layout, text); err == nil {
			return when{date: t, hasTime: l.hasTime}, true
		}
	}
	return when{}, false
}

// weekdayNamed reads sat or saturday; 1 is Sunday.
func weekdayNamed(lower string) (int, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := strings.ToLower(day.String())
		if lower == name || lower == name[:3] {
			return int(day) + 1, true
		}
	}
	return 0, false
}

func readShifts(text string) (list []dateShift) {
	for _, m := range oneShift.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[2]) // digits only
		if m[1] == "-" {
			n = -n
		}
		list = append(list, dateShift{n, m[3][0]})
	}
	return list
}

// back turns a distance without a sign towards the past.
func (w when) back() when {
	if !w.unsigned {
		return w
	}
	w.days = -w.days
	w.shifts = slices.Clone(w.shifts)
	for i := range w.shifts {
		w.shifts[i].n = -w.shifts[i].n
	}
	return w
}

// start is the first moment it can mean, seen from now.
func (w when) start(now time.Time) time.Time {
	t := w.date
	if w.rel {
		t = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC).AddDate(0, 0, w.days)
		if w.weekday > 0 {
			t = t.AddDate(0, 0, (w.weekday-1-int(t.Weekday())+7)%7)
		}
		if w.toTheMinute() {
			t = now
		}
	}
	for _, s := range w.shifts {
		t = org.Later(t, s.n, s.unit)
	}
	return t
}

// end is the last moment it can mean.
func (w when) end(now time.Time) time.Time {
	if w.toTheMinute() {
		return w.start(now)
	}
	return w.start(now).AddDate(0, 0, 1).Add(-time.Second)
}

// toTheMinute reports whether it means a time of day and not a whole day.
func (w when) toTheMinute() bool {
	for _, s := range w.shifts {
		if s.unit == 'h' {
			return true
		}
	}
	return w.hasTime
}

// wholeDay leaves the time of day out.
func (w when) wholeDay(now time.Time) when {
	t := w.start(now)
	return when{date: time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

// span is a range of moments; an end that was left out is nil.
type span struct{ from, to *when }

// parseSpan reads FROM..TO, of which one end may be left out.
func parseSpan(a Arg) (span, bool) {
	left, right, ok := strings.Cut(a.Text, "..")
	if !ok || left == "" && right == "" {
		return span{}, false
	}
	read := func(text string) (*when, bool) {
		if text == "" {
			return nil, true
		}
		w, ok := parseWhen(atom(text, a.Pos))
		return &w, ok
	}
	from, okFrom := read(left)
	to, okTo := read(right)
	return span{from, to}, okFrom && okTo
}

// isDate reports whether an argument is a date or a range of dates.
func isDate(a Arg) bool {
	if _, ok := parseWhen(a); ok {
		return true
	}
	_, ok := parseSpan(a)
	return ok
}

// knownField names the columns rows have, so that a field is never mistaken
// for a misspelt predicate.
func knownField(name string) bool {
	switch strings.ToLower(name) {
	case "title", "state", "id", "props", "body", "line", "olp", "file", "lang", "name", "args", "result",
		"run", "call", "step", "agent", "tool", "component", "exit", "dur_ms", "fuel", "cache", "kind", "status", "type", "model", "at":
		return true
	}
	return false
}
