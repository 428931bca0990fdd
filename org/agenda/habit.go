package agenda

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// habit is a task that repeats and whose past is shown as a row of marks.
type habit struct {
	scheduled, deadline Day
	done                []Day // sorted
}

// What the row of marks shows, as Org does by default.
const (
	habitColumn    = 40
	habitPast      = 21
	habitFuture    = 7
	habitMostDates = habitPast + habitFuture
)

var (
	habitRepeat = lazyregexp.New(`[.+]?\+([0-9]+)([dwmy])(?:/([0-9]+)([dwmy]))?`)
	closingNote = `CLOSING NOTE \[(\d{4}-\d\d-\d\d(?: [^\]\n]*)?)\]`
)

// readHabit reads the habit that an entry is, nil if it is none.
func readHabit(e *Entry, h org.Headline, doc *org.Document) *habit {
	if style, _ := h.Property("STYLE"); style != "habit" || e.scheduled == nil {
		return nil
	}
	m := habitRepeat.FindStringSubmatch(e.scheduled.text)
	if m == nil {
		return nil
	}
	days := func(count, unit string) int { return int(math.Floor(float64(number(count)) * daysIn[unit[0]])) }
	every := days(m[1], m[2])
	if every < 1 {
		return nil
	}
	base := e.scheduled.base()
	out := &habit{scheduled: base, deadline: base}
	if m[3] != "" {
		most := days(m[3], m[4])
		if most <= every {
			return nil
		}
		out.deadline = base + Day(most-every)
	}
	out.done = doneDates(doc, doc.Text(org.Span{Start: h.Line.End, End: h.Body().End}))
	return out
}

// doneDates are the days on which the log says that a task was done.
func doneDates(doc *org.Document, text string) (days []Day) {
	var names []string
	for _, k := range doc.Todo().List {
		if k.Done {
			names = append(names, regexp.QuoteMeta(k.Name))
		}
	}
	pattern, err := regexp.Compile(`(?m)^[ \t]*-[ \t]+(?:State "(?:` + strings.Join(names, "|") + `)".*\[(\d{4}-\d\d-\d\d(?: [^\]\n]*)?)\]|` + closingNote + `)`)
	if err != nil {
		return nil
	}
	for _, m := range pattern.FindAllStringSubmatch(text, habitMostDates) {
		if t, ok := org.ParseTimestamp("[" + m[1] + m[2] + "]"); ok {
			days = append(days, civil(t.From.Year, t.From.Month, t.From.Day))
		}
	}
	slices.Sort(days)
	return days
}

// urgency grows with each day that a habit is late.
func (h *habit) urgency(today Day) int {
	u := 1000 + 10*int(today-h.scheduled)
	if h.scheduled != h.deadline && today == h.deadline {
		u += 50
	}
	slip := int(today - h.deadline + 1)
	if slip > 0 {
		return u + 100*slip
	}
	return u + 10*slip
}

// graph is a mark a day: * when it was done, ! for today.
func (h *habit) graph(today Day) string {
	marks := []byte(strings.Repeat(" ", habitMostDates+1))
	start := today - habitPast
	for i := range habitMostDates {
		day := start + Day(i)
		switch _, done := slices.BinarySearch(h.done, day); {
		case done:
			marks[i] = '*'
		case day == today:
			marks[i] = '!'
		}
	}
	return string(marks)
}
