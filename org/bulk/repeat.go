package bulk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/org"
)

// A task that repeats is not done for good: Emacs opens it again, moves its
// timestamps on, and writes down when it was done.

var (
	repeatedStamp = lazyregexp.New(`<\d{4}-\d\d-\d\d [^>\n]*?(\.\+|\+\+|\+)(\d+)([hdwmy])[^>\n]*>`)
	stampTail     = lazyregexp.New(`((?:-[012][0-9]:[0-5][0-9])?(?: +[.+]?-?[-+][0-9]+[hdwmy](?:/[0-9]+[hdwmy])?)*)>$`)
	stampClock    = lazyregexp.New(`^.{11}.*?[0-9]+:[0-9][0-9]`)
	warnOnce      = lazyregexp.New(` --[0-9]+[hdwmy]`)
	endClock      = lazyregexp.New(`^-([012][0-9]):([0-5][0-9])`)
)

// repeatsAt are the places of timestamps that repeat, in the headline and in what
// belongs to it.
func (s *section) repeatsAt() (places [][]int) {
	doc := org.Parse([]byte(s.prefix + s.text))
	source := doc.Source()
	for _, m := range repeatedStamp.FindAllStringSubmatchIndex(source, -1) {
		if m[0] >= len(s.prefix) && doc.CountsAsTimestamp(m[0]) {
			places = append(places, m)
		}
	}
	return places
}

// repeats reports whether a task that is done now repeats. The first repeater
// decides: a count of zero means that nothing does.
func (s *section) repeats(before, after org.Headline) bool {
	if !after.Done || before.Done {
		return false
	}
	places := s.repeatsAt()
	if len(places) == 0 {
		return false
	}
	m := places[0]
	count, err := strconv.Atoi((s.prefix + s.text)[m[4]:m[5]])
	return err == nil && count > 0
}

// repeat opens a task again that was done, and moves it on. It reports the state
// that the task has then.
func (s *section) repeat(before, after org.Headline) (state string, err error) {
	done := after.Keyword.Text
	state = s.reopened(before)
	edits, err := org.SetKeyword(after, state)
	if err != nil {
		return "", err
	}
	if err := s.apply(edits); err != nil {
		return "", err
	}
	if err := s.edit(func(h org.Headline) ([]org.Edit, error) { return org.SetPlanning(h, "CLOSED", "") }); err != nil {
		return "", err
	}
	at := "[" + s.now.Format("2006-01-02 Mon 15:04") + "]"
	if s.logsRepeats || hasClock(after) {
		if err := s.edit(func(h org.Headline) ([]org.Edit, error) { return org.SetProperty(h, "LAST_REPEAT", at) }); err != nil {
			return "", err
		}
	}
	if err := s.edit(dropSchedule); err != nil {
		return "", err
	}
	if err := s.shiftAll(); err != nil {
		return "", err
	}
	if s.logsRepeats || s.log && asksForLog(after, before) {
		err = s.edit(func(h org.Headline) ([]org.Edit, error) { return s.logLine(h, before.Keyword.Text, done, at), nil })
	}
	return state, err
}

// edit applies edits of the headline as it is now.
func (s *section) edit(make func(org.Headline) ([]org.Edit, error)) error {
	h, err := s.head()
	if err != nil {
		return err
	}
	edits, err := make(h)
	if err != nil {
		return err
	}
	return s.apply(edits)
}

// dropSchedule takes away a SCHEDULED that does not repeat: it is over.
func dropSchedule(h org.Headline) ([]org.Edit, error) {
	if p, ok := h.Planning(); ok && p.Scheduled.Present() && p.Scheduled.Active && p.Scheduled.Repeat.Mark == "" {
		return org.SetPlanning(h, "SCHEDULED", "")
	}
	return nil, nil
}

// reopened is the state that a repeating task goes back to: what REPEAT_TO_STATE
// says, its own state among #+TYP_TODO: keywords, or the first of its sequence.
func (s *section) reopened(before org.Headline) string {
	doc := before.Document()
	if to, ok := before.Property("REPEAT_TO_STATE"); ok {
		if _, known := doc.Todo().Find(to); known {
			return to
		}
	}
	if !before.Keyword.Present() {
		return ""
	}
	for k := range doc.Keywords("TODO", "SEQ_TODO", "TYP_TODO") {
		var names []string
		for _, word := range strings.Fields(k.Value.Text) {
			name, _, _ := strings.Cut(word, "(")
			names = append(names, name)
		}
		if slices.Contains(names, before.Keyword.Text) {
			if k.Name() == "TYP_TODO" {
				return before.Keyword.Text
			}
			return names[0]
		}
	}
	return doc.Todo().List[0].Name
}

func hasClock(h org.Headline) bool {
	for c := range h.Children() {
		for n := range c.Walk() {
			if n.Kind() == org.KindClock {
				return true
			}
			if n.Kind() == org.KindHeadline {
				return false
			}
		}
	}
	return false
}

// asksForLog reports whether a keyword is declared with a note for the change.
func asksForLog(after, before org.Headline) bool {
	todo := after.Document().Todo()
	k, _ := todo.Find(after.Keyword.Text)
	entering, _, _ := strings.Cut(k.Log, "/")
	old, _ := todo.Find(before.Keyword.Text)
	_, leaving, _ := strings.Cut(old.Log, "/")
	return entering != "" || leaving != ""
}

// shiftAll moves the timestamps on that repeat.
func (s *section) shiftAll() error {
	source := s.prefix + s.text
	var edits []org.Edit
	for _, m := range s.repeatsAt() {
		text := source[m[0]:m[1]]
		count, err := strconv.Atoi(source[m[4]:m[5]])
		if err != nil {
			return fmt.Errorf("repeater in %s: %w", text, err)
		}
		moved, err := s.shift(text, source[m[2]:m[3]], count, source[m[6]])
		if err != nil {
			return err
		}
		edits = append(edits, org.Edit{Start: m[0], End: m[1], New: moved})
	}
	return s.apply(edits)
}

// mostShifts bounds how often ++ is added until a date lies in the future.
const mostShifts = 100_000

// shift moves one timestamp to its next repetition: + by its distance, ++ as often
// as it takes to get past today, .+ from today on.
func (s *section) shift(text, mark string, count int, unit byte) (string, error) {
	t, ok := org.ParseTimestamp(text)
	if !ok {
		return text, nil
	}
	if unit == 'h' && !t.From.HasTime {
		return "", fmt.Errorf("%s cannot repeat after hours: it has no time of day", text)
	}
	at := t.From.Time(time.UTC)
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch {
	case count == 0:
	case mark == ".+" && unit == 'h':
		at = s.now
	case mark == ".+":
		at = at.Add(day(s.now).Sub(day(at)))
	case mark == "++":
		passed := func() bool { return at.After(s.now) }
		if unit != 'h' {
			passed = func() bool { return day(at).After(day(s.now)) }
		}
		for n := 0; n == 0 || !passed(); n++ {
			if n == mostShifts {
				return "", fmt.Errorf("%s repeats too often to get past today", text)
			}
			at = org.Later(at, count, unit)
		}
		at = org.Later(at, -count, unit)
	}
	at = org.Later(at, count, unit)
	return rewrite(text, t, at), nil
}

// rewrite is a timestamp at another time. What follows the time stays, but for a
// warning period that holds once (--3d).
func rewrite(text string, t org.Timestamp, at time.Time) string {
	tail := ""
	if m := stampTail.FindStringSubmatch(text); m != nil {
		tail = warnOnce.ReplaceAllString(m[1], "")
	}
	layout := "2006-01-02 Mon"
	if stampClock.MatchString(text) {
		layout += " 15:04"
		if m := endClock.FindStringSubmatch(tail); m != nil { // the end moves with the beginning
			passed := time.Duration(at.Hour()-t.From.Hour)*time.Hour + time.Duration(at.Minute()-t.From.Minute)*time.Minute
			if end, err := time.Parse("15:04", m[1]+":"+m[2]); err == nil {
				tail = "-" + end.Add(passed).Format("15:04") + tail[len(m[0]):]
			}
		}
	}
	return "<" + at.Format(layout) + tail + ">"
}
