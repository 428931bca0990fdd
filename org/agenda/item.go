package agenda

import (
	"fmt"
	"strings"
)

// The kinds of items.
const (
	Deadline         = "deadline"
	UpcomingDeadline = "upcoming-deadline"
	Scheduled        = "scheduled"
	PastScheduled    = "past-scheduled"
	Timestamp        = "timestamp"
	Block            = "block" // a day of a range
	Todo             = "todo"  // an item of a list, which has no day
	Grid             = "grid"  // a line of the time grid, which has no entry
)

// Item is one line of an agenda: an entry and why it shows.
type Item struct {
	*Entry
	Kind string `json:"kind"`
	// Date is when the entry is due, scheduled or takes place; the day that a list
	// of items does not use is left out.
	Date *Day `json:"date,omitempty"`
	// Time and End are times of day, such as 9:30.
	Time string `json:"time,omitempty"`
	End  string `json:"end,omitempty"`
	// Leader says why the item shows: "Deadline:", "In 2 d.:", "Sched. 3x:".
	Leader string `json:"leader,omitempty"`
	// Habit is a mark a day around today, for tasks that are habits.
	Habit string `json:"habit,omitempty"`
	// Urgency orders items without times.
	Urgency int `json:"urgency"`

	leader string // as Org writes it, blanks included
	clock  int    // time of day as Org sorts it: 930; -1 without one
	shown  string // the text behind the leader, tags included
}

// day holds the items of one day, in the order of the entries.
func (f *File) day(day, today Day, s Settings) []*Item {
	var deadlines, scheduled, blocks, stamps []*Item
	for _, e := range f.Entries {
		if i := e.deadlineOn(day, today, s); i != nil {
			deadlines = append(deadlines, i)
		}
		if i := e.scheduledOn(day, today, s); i != nil {
			scheduled = append(scheduled, i)
		}
		for _, r := range e.ranges {
			if i := e.rangeOn(r, day, s); i != nil {
				blocks = append(blocks, i)
			}
		}
		for _, t := range e.stamps {
			if i := e.stampOn(t, day, today, s); i != nil {
				stamps = append(stamps, i)
			}
		}
	}
	return append(append(append(deadlines, scheduled...), blocks...), stamps...)
}

// deadlineOn shows a deadline on its day, on days when it repeats, and today
// while it is near or has passed.
func (e *Entry) deadlineOn(day, today Day, s Settings) *Item {
	if e.deadline == nil {
		return nil
	}
	due := e.deadline.base()
	repeat := due
	if day > today {
		repeat = e.deadline.future(day)
	}
	left := int(due - day)
	switch {
	case day == due:
	case day == repeat:
	case day != today:
		return nil
	case left > e.warning(s):
		return nil
	case -left > mostDays:
		return nil
	}
	if e.Done && day != due {
		return nil
	}
	item := &Item{Entry: e, Kind: Deadline, Date: &due, leader: "Deadline:  "}
	switch {
	case day == today && due < today:
		item.leader = fmt.Sprintf("%2d d. ago: ", -left)
	case day == today && due > today:
		item.leader, item.Kind = fmt.Sprintf("In %3d d.: ", left), UpcomingDeadline
	}
	item.format(e.deadline.dotime(day == due || day == repeat), false, s)
	item.Urgency = item.priority(s)
	if day == today {
		item.Urgency -= left
	}
	return item
}

// mostDays is how long what was missed stays in the agenda.
const mostDays = 10000

// warning is how many days before a deadline the agenda warns of it.
func (e *Entry) warning(s Settings) int {
	if s.WarningDays <= 0 { // holds for all, whatever they say
		return -s.WarningDays
	}
	return e.deadline.lead(s.WarningDays)
}

// scheduledOn shows a task on the day it is scheduled for, on days when it
// repeats, and today until it is done.
func (e *Entry) scheduledOn(day, today Day, s Settings) *Item {
	if e.scheduled == nil {
		return nil
	}
	start := e.scheduled.base()
	repeat := start
	if day > today {
		repeat = e.scheduled.future(day)
	}
	passed := int(day - start)
	delay := e.scheduled.lead(0)
	switch {
	case delay > 0 && passed < delay, passed > mostDays, start > day, day != start && day != today && day != repeat:
		return nil
	case e.Done && day != start:
		return nil
	case e.isHabit() && (e.Done || day != today):
		return nil
	}
	item := &Item{Entry: e, Kind: Scheduled, Date: &day, leader: "Scheduled: "}
	if start < today {
		item.Kind, item.Date = PastScheduled, &start
		if day == today {
			item.leader = fmt.Sprintf("Sched.%2dx: ", passed)
		}
	}
	if e.isHabit() {
		item.leader = ""
	}
	item.format(e.scheduled.dotime(e.isHabit() || day == start || day == repeat), false, s)
	item.Urgency = 99 + passed + item.priority(s)
	if e.habit != nil {
		item.Urgency, item.Habit = e.habit.urgency(today), e.habit.graph(today)
	}
	return item
}

func (e *Entry) isHabit() bool { return e.habit != nil }

// rangeOn shows a range on each of its days.
func (e *Entry) rangeOn(r stamp, day Day, s Settings) *Item {
	from, to := r.base(), r.last()
	if day < from || day > to {
		return nil
	}
	item := &Item{Entry: e, Kind: Block, Date: &day}
	if from != to {
		item.leader = fmt.Sprintf("(%d/%d): ", day-from+1, to-from+1)
	}
	first, second := r.halves()
	switch {
	case from == day && to == day:
		item.format(&first, false, s)
		whole := "<" + r.text + ">"
		item.format(&whole, false, s)
	case from == day:
		item.format(&first, false, s)
	case to == day:
		item.format(&second, false, s)
	default:
		item.format(nil, false, s)
	}
	item.Urgency = item.priority(s)
	return item
}

// halves are both ends of a range as they are written.
func (s stamp) halves() (first, second string) {
	at := strings.Index(s.text, ">-")
	return "<" + s.text[:at+1], s.text[strings.LastIndexByte(s.text, '<'):] + ">"
}

// stampOn shows a timestamp of the text on its day and on days when it repeats.
func (e *Entry) stampOn(t stamp, day, today Day, s Settings) *Item {
	date := t.base()
	if day != date {
		if t.every == 0 {
			return nil
		}
		past := t.past(day)
		if day > today {
			past = t.past(today)
		}
		if day != past && (day <= today || day != t.future(day)) {
			return nil
		}
	}
	item := &Item{Entry: e, Kind: Timestamp, Date: &day}
	written := "<" + t.text + ">"
	item.format(&written, true, s)
	item.Urgency = item.priority(s)
	if e.isHabit() {
		item.Urgency = e.habit.urgency(today)
	}
	return item
}

// dotime is the text that may hold the time of a planned task: what stands from
// the time on, or nothing, when the time is looked for in the headline. It is nil
// for mere reminders, which show no time.
func (s stamp) dotime(wanted bool) *string {
	if !wanted {
		return nil
	}
	text := ""
	if m := plannedTime.FindStringSubmatchIndex(s.text); m != nil {
		text = s.text[m[2]:] + " "
	}
	return &text
}
