package oql

import (
	"slices"
	"time"
	"wb/org"
)

// period is the condition that :from, :to, :on and :with-time put on a timestamp. Zero
// bounds are open.
type period struct {
	from, to time.Time
	withTime *bool
	active   *bool // of timestamps; nil is either
}

// today is midnight of the compiler's day.
func (c *compiler) today() time.Time {
	return time.Date(c.now.Year(), c.now.Month(), c.now.Day(), 0, 0, 0, 0, time.UTC)
}

// period reads the keyword arguments of a time predicate.
func (c *compiler) period(e *Call) (period, error) {
	var p period
	for _, n := range e.Named {
		switch n.Name {
		case "with-time":
			yes := n.Value.Text != "nil" && n.Value.Text != "" // with-time= is with-time=nil
			p.withTime = &yes
			continue
		case "type":
			if err := p.restrict(n.Value); err != nil {
				return p, err
			}
			continue
		}
		if s, ok := parseSpan(n.Value); ok && n.Name == "on" {
			p.between(s, c.now)
			continue
		}
		w, ok := parseWhen(n.Value)
		if !ok {
			return p, noDate(n.Value)
		}
		switch n.Name {
		case "from":
			p.from = w.start(c.now)
		case "to":
			p.to = w.end(c.now)
		case "on":
			w = w.wholeDay(c.now)
			p.from, p.to = w.start(c.now), w.end(c.now)
		}
	}
	return p, nil
}

// between bounds the period by a range.
func (p *period) between(s span, now time.Time) {
	if s.from != nil {
		p.from = s.from.start(now)
	}
	if s.to != nil {
		p.to = s.to.end(now)
	}
}

// stampTypes are the values of :type.
var stampTypes = []string{"active", "inactive", "both"}

// restrict reads :type.
func (p *period) restrict(a Arg) error {
	yes := a.Text == "active"
	switch a.Text {
	case "active", "inactive":
		p.active = &yes
	case "both":
	default:
		return errorf(a.Pos, suggest(a.Text, stampTypes), "%q is not a type of timestamp", a.Text)
	}
	return nil
}

func noDate(a Arg) error { return errorf(a.Pos, dateTip, "%q is not a date", a.Text) }

func (p period) contains(t time.Time) bool {
	return (p.from.IsZero() || !t.Before(p.from)) && (p.to.IsZero() || !t.After(p.to))
}

func (p period) holds(s Stamp) bool {
	return (p.withTime == nil || *p.withTime == s.HasTime) && (p.active == nil || *p.active == s.Active) && p.contains(s.At)
}

// timeTest compiles the predicates about timestamps.
func (c *compiler) timeTest(e *Call) (test, error) {
	p, err := c.period(e)
	if err != nil {
		return nil, err
	}
	if stampPredicate(e.Name) {
		p, err := c.stampPeriod(e)
		return onEntry(func(h *Entry) bool { return slices.ContainsFunc(h.Stamps, p.holds) }), err
	}
	if e.Name == "deadline-warning" {
		return c.warning(p), nil
	}
	if len(e.Args) == 1 {
		if e.Args[0].Text == "auto" {
			return c.warning(period{to: c.today().AddDate(0, 0, warningDays+1).Add(-time.Second)}), nil
		}
		if err := c.argument(e, &p); err != nil {
			return nil, err
		}
	}
	planned := func(s *Stamp) bool { return s != nil && p.holds(*s) }
	switch e.Name {
	case "scheduled":
		return onEntry(func(h *Entry) bool { return planned(h.Scheduled) }), nil
	case "deadline":
		return onEntry(func(h *Entry) bool { return planned(h.Deadline) }), nil
	case "closed":
		return onEntry(func(h *Entry) bool { return planned(h.Closed) }), nil
	case "planning":
		return onEntry(func(h *Entry) bool { return planned(h.Scheduled) || planned(h.Deadline) || planned(h.Closed) }), nil
	case "clocked":
		return onEntry(func(h *Entry) bool { return clockedIn(h.Clocks, p) }), nil
	}
	return nil, errorf(e.Pos, "", "unknown predicate %s", e.Name)
}

// stampPeriod is the condition that ts, ts-active and ts-inactive put on a timestamp.
func (c *compiler) stampPeriod(e *Call) (period, error) {
	p, err := c.period(e)
	if err == nil && len(e.Args) == 1 {
		err = c.argument(e, &p)
	}
	if e.Name != "ts" {
		active := e.Name == "ts-active"
		p.active = &active
	}
	return p, err
}

// anyIn reports whether a text has a timestamp in the period. The date is looked
// at first: most texts of a log are of another day.
func (p period) anyIn(text string) (found bool) {
	var first, last [10]byte
	bounded := !p.from.IsZero() && !p.to.IsZero() && p.from.Year() > 0 && p.to.Year() < 9999
	if bounded { // a day before, and some after: the 31st of June is in July
		p.from.AddDate(0, 0, -4).AppendFormat(first[:0], "2006-01-02")
		p.to.AddDate(0, 0, 1).AppendFormat(last[:0], "2006-01-02")
	}
	eachDate(text, func(at int) bool {
		if day := text[at+1 : at+11]; bounded && (day < string(first[:]) || day > string(last[:])) {
			return true
		}
		_, stamp, ok := stampAt(text, at)
		found = ok && p.holds(stamp)
		return !found
	})
	return found
}

// argument reads the date or range that a predicate may have without a
// keyword. A single date is the far end of the period, seen from today, but of
// scheduled and of any timestamp it is the day itself.
func (c *compiler) argument(e *Call, p *period) error {
	backward := e.Name == "clocked" || e.Name == "closed"
	if s, ok := parseSpan(e.Args[0]); ok {
		for _, end := range []*when{s.from, s.to} {
			if end != nil && backward {
				*end = end.back()
			}
		}
		p.between(s, c.now)
		return nil
	}
	w, ok := parseWhen(e.Args[0])
	switch {
	case !ok:
		return noDate(e.Args[0])
	case backward:
		p.from = w.back().start(c.now)
	case e.Name == "scheduled" || stampPredicate(e.Name):
		p.from, p.to = w.start(c.now), w.end(c.now)
	default:
		p.to = w.end(c.now)
	}
	return nil
}

// stampPredicate reports whether a predicate looks at all timestamps.
func stampPredicate(name string) bool {
	return name == "ts" || name == "ts-active" || name == "ts-inactive"
}

// clockedIn reports whether some clock was started in the period.
func clockedIn(clocks []Clock, p period) bool {
	return slices.ContainsFunc(clocks, func(k Clock) bool { return p.contains(k.Start) })
}

// warningDays is org-deadline-warning-days, for deadlines without their own.
const warningDays = 14

// warning holds for deadlines whose own warning period has begun and, among
// those that have none, for those in the period; an unbounded period has none.
func (c *compiler) warning(p period) test {
	return onEntry(func(h *Entry) bool {
		if h.Deadline == nil {
			return false
		}
		if n, unit, ok := interval(h.Deadline.Warning); ok {
			return !org.Later(h.Deadline.At, -n, unit).After(c.now)
		}
		return (!p.from.IsZero() || !p.to.IsZero()) && p.contains(h.Deadline.At)
	})
}

// interval reads "-3d" or "--2w": how much, and the unit.
func interval(s string) (n int, unit byte, ok bool) {
	for len(s) > 0 && (s[0] == '-' || s[0] == '+' || s[0] == '.') {
		s = s[1:]
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return n, s[i], i > 0
		}
		n = min(n*10+int(s[i]-'0'), 1e6)
	}
	return 0, 0, false
}
