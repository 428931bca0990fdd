package agenda

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// Span is the days that a view shows.
type Span struct {
	Name string // Day, Week, …
	From Day
	Days int
}

// NewSpan is the span of a name, seen from a day: day, week, fortnight, month and
// year, as Org has them. Weeks and fortnights start on Monday.
func NewSpan(name string, from Day) (Span, bool) {
	t := from.Time()
	monday := from - Day((int(t.Weekday())+6)%7)
	switch name {
	case "day":
		return Span{"Day", from, 1}, true
	case "week":
		return Span{"Week", monday, 7}, true
	case "fortnight":
		return Span{"Fortnight", monday, 14}, true
	case "month":
		return Span{"Month", from, int(civil(t.Year(), int(t.Month())+1, 1) - civil(t.Year(), int(t.Month()), 1))}, true
	case "year":
		return Span{"Year", from, int(civil(t.Year()+1, 1, 1) - civil(t.Year(), 1, 1))}, true
	}
	return Span{}, false
}

// DaySpan is so many days.
func DaySpan(from Day, days int) Span {
	for _, name := range []string{"day", "week", "fortnight"} {
		if s, _ := NewSpan(name, from); s.Days == days {
			return s
		}
	}
	return Span{fmt.Sprintf("%d days", days), from, days}
}

// View is an agenda that was worked out: days with items, or one list.
type View struct {
	Title string `json:"title"`
	Days  []Page `json:"days,omitempty"`
	// Items are those of a list, which has no days.
	Items  []*Item `json:"items,omitzero"`
	Groups []Group `json:"groups,omitempty"`

	list     bool
	settings Settings
}

// Page is one day of a view.
type Page struct {
	Date  Day     `json:"date"`
	Today bool    `json:"today,omitempty"`
	Items []*Item `json:"items,omitzero"`
	// Groups hold the items instead, where they were asked for.
	Groups []Group `json:"groups,omitempty"`

	grid []*Item // Items with the time grid
}

// Days are the days of a span with what shows on them.
func Days(files []*File, span Span, now time.Time, s Settings) *View {
	v := &View{Title: span.title(), settings: s}
	today := DayOf(now)
	for i := range span.Days {
		day := span.From + Day(i)
		page := Page{Date: day, Today: day == today, Items: []*Item{}}
		for _, f := range files {
			page.Items = append(page.Items, f.day(day, today, s)...)
		}
		page.grid = page.Items
		if page.Today || span.Days == 1 {
			page.grid = addGrid(page.Items, page.Today, now)
		}
		slices.SortStableFunc(page.grid, byTime)
		page.Items = slices.DeleteFunc(slices.Clone(page.grid), func(i *Item) bool { return i.Kind == Grid })
		v.Days = append(v.Days, page)
	}
	return v
}

// title is the headline of a span: Week-agenda (W47):
func (s Span) title() string {
	last := s.From + Day(s.Days-1)
	weeks := ""
	_, first := s.From.Time().ISOWeek()
	_, end := last.Time().ISOWeek()
	switch {
	case last-s.From >= 350:
	case first == end:
		weeks = fmt.Sprintf(" (W%02d)", first)
	default:
		weeks = fmt.Sprintf(" (W%02d-W%02d)", first, end)
	}
	return s.Name + "-agenda" + weeks + ":"
}

// addGrid adds the hours and the time it is now, if any item has a time.
func addGrid(items []*Item, today bool, now time.Time) []*Item {
	if !slices.ContainsFunc(items, func(i *Item) bool { return i.clock >= 0 }) {
		return items
	}
	line := func(hours, minutes int, text string) *Item {
		return &Item{Entry: &Entry{}, Kind: Grid, Time: fmt.Sprintf("%d:%02d", hours, minutes), clock: 100*hours + minutes, shown: text}
	}
	var grid []*Item
	if today {
		grid = append(grid, line(now.Hour(), now.Minute(), "now - - - - - - - - - - - - - - - - - - - - - - - - -"))
	}
	for hour := 20; hour >= 8; hour -= 2 {
		grid = append(grid, line(hour, 0, "----------------"))
	}
	return append(grid, items...)
}

// byTime is the order of a day: habits last, then by time of day, then by urgency.
func byTime(a, b *Item) int {
	notime := func(i *Item) int {
		if i.clock < 0 {
			return 9901
		}
		return i.clock
	}
	habit := func(i *Item) int { return len(i.Habit) }
	return cmp.Or(cmp.Compare(habit(a), habit(b)), cmp.Compare(notime(a), notime(b)), cmp.Compare(b.Urgency, a.Urgency))
}

// List is entries without regard to dates, the most urgent first.
func List(title string, entries []*Entry, s Settings) *View {
	v := &View{Title: title, list: true, settings: s, Items: []*Item{}}
	for _, e := range entries {
		item := &Item{Entry: e, Kind: Todo}
		item.format(nil, false, s)
		item.Urgency = 1 + item.priority(s)
		v.Items = append(v.Items, item)
	}
	slices.SortStableFunc(v.Items, func(a, b *Item) int { return cmp.Compare(b.Urgency, a.Urgency) })
	return v
}

// Entries are the entries that the view shows, each once.
func (v *View) Entries() (list []*Entry) {
	seen := map[*Entry]bool{}
	add := func(items []*Item) {
		for _, i := range items {
			if !seen[i.Entry] {
				seen[i.Entry] = true
				list = append(list, i.Entry)
			}
		}
	}
	add(v.Items)
	for _, page := range v.Days {
		add(page.Items)
	}
	return list
}

// Text writes the view as Emacs shows it.
func (v *View) Text(w io.Writer) error {
	out := &lines{w: w}
	out.line(v.Title)
	show := func(items []*Item, groups []Group) {
		for _, item := range items {
			out.line(item.line(v.list, v.settings))
		}
		for _, g := range groups {
			out.line("\n " + g.Name)
			for _, item := range g.Items {
				out.line(item.line(v.list, v.settings))
			}
		}
	}
	show(v.Items, v.Groups)
	for _, page := range v.Days {
		out.line(page.Date.title())
		show(page.grid, page.Groups)
	}
	return out.err
}

// title is a date as the agenda shows it: Monday     16 November 2026 W47
func (d Day) title() string {
	t := d.Time()
	text := fmt.Sprintf("%-10s %2d %s %4d", t.Weekday(), t.Day(), t.Month(), t.Year())
	if t.Weekday() == time.Monday {
		_, week := t.ISOWeek()
		text += fmt.Sprintf(" W%02d", week)
	}
	return text
}

// lines writes lines until one fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(text string) {
	if l.err == nil {
		_, l.err = fmt.Fprintln(l.w, text)
	}
}
