package oql

import (
	"slices"
	"time"
)

// period is what :from, :to, :on and :with-time ask of a timestamp. Zero
// bounds are open.
type period struct {
	from, to time.Time
	withTime *bool
}

// today is midnight of the compiler's day.
func (c *compiler) today() time.Time {
	return time.Date(c.now.Year(), c.now.Month(), c.now.Day(), 0, 0, 0, 0, time.UTC)
}

// start and end are the first and the last moment a when can mean.
func (c *compiler) start(w when) time.Time {
	if w.rel {
		return c.today().AddDate(0, 0, w.days)
	}
	return w.date
}

func (c *compiler) end(w when) time.Time {
	if w.hasTime {
		return w.date
	}
	return c.start(w).AddDate(0, 0, 1).Add(-time.Second)
}

// period reads the keyword arguments of a time predicate.
func (c *compiler) period(e *Call) (period, error) {
	var p period
	for _, n := range e.Named {
		if n.Name == "with-time" {
			yes := n.Value.Text != "nil"
			p.withTime = &yes
			continue
		}
		w, ok := parseWhen(n.Value)
		if !ok {
			return p, errorf(n.Value.Pos, dateTip, "%q is no date", n.Value.Text)
		}
		switch n.Name {
		case "from":
			p.from = c.start(w)
		case "to":
			p.to = c.end(w)
		case "on":
			w.hasTime = false
			day := c.start(w)
			p.from = time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
			p.to = p.from.AddDate(0, 0, 1).Add(-time.Second)
		}
	}
	return p, nil
}

func (p period) contains(t time.Time) bool {
	return (p.from.IsZero() || !t.Before(p.from)) && (p.to.IsZero() || !t.After(p.to))
}

func (p period) holds(s Stamp) bool {
	return (p.withTime == nil || *p.withTime == s.HasTime) && p.contains(s.At)
}

// timeTest compiles the predicates about timestamps.
func (c *compiler) timeTest(e *Call) (test, error) {
	p, err := c.period(e)
	if err != nil {
		return nil, err
	}
	backward := e.Name == "clocked" || e.Name == "closed"
	if e.Name == "deadline-warning" {
		return c.warning(p), nil
	}
	if len(e.Args) == 1 {
		if e.Args[0].Text == "auto" {
			return c.warning(period{to: c.today().AddDate(0, 0, warningDays+1).Add(-time.Second)}), nil
		}
		w, ok := parseWhen(e.Args[0])
		if !ok {
			return nil, errorf(e.Args[0].Pos, dateTip, "%q is no date", e.Args[0].Text)
		}
		switch {
		case backward && w.rel:
			w.days = -w.days
			p.from = c.start(w)
		case backward:
			p.from = c.start(w)
		case e.Name == "scheduled": // on that day, while the others mean up to it
			p.from, p.to = c.start(w), c.end(w)
		default:
			p.to = c.end(w)
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
	return onEntry(func(h *Entry) bool {
		for _, s := range h.Stamps {
			if (e.Name == "ts" || (e.Name == "ts-active") == s.Active) && p.holds(s) {
				return true
			}
		}
		return false
	}), nil
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
			return !shift(h.Deadline.At, -n, unit).After(c.now)
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

func shift(t time.Time, n int, unit byte) time.Time {
	switch unit {
	case 'h':
		return t.Add(time.Duration(n) * time.Hour)
	case 'w':
		return t.AddDate(0, 0, 7*n)
	case 'm':
		return t.AddDate(0, n, 0)
	case 'y':
		return t.AddDate(n, 0, 0)
	}
	return t.AddDate(0, 0, n)
}
