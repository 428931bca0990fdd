package agenda

import (
	"strconv"
	"time"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Day is a date as the number of days since the first of January 1970.
type Day int

// DayOf is the date of a moment.
func DayOf(t time.Time) Day {
	return civil(t.Year(), int(t.Month()), t.Day())
}

// civil is the day of a date. Like Emacs it reads the 31st of April as the first
// of May.
func civil(year, month, day int) Day {
	return Day(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// Time is midnight of the day.
func (d Day) Time() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// String is the date as Org writes it.
func (d Day) String() string { return d.Time().Format("2006-01-02") }

// MarshalText is the date as Org writes it.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// stamp is one active timestamp of an entry.
type stamp struct {
	text  string // without brackets
	at    org.Moment
	end   org.Moment // equal to at without a range
	place int        // offset in the document

	every int  // of the repeater; 0 without one
	unit  byte // h d w m y
}

var (
	repeaterPattern = lazyregexp.New(`\+([0-9]+)([hdwmy])`)
	leadPattern     = lazyregexp.New(`-([0-9]+)([hdwmy])(?:$|>| )`)
)

// newStamp is a timestamp that is written so.
func newStamp(written string, t org.Timestamp, place int) stamp {
	s := stamp{text: written[1 : len(written)-1], at: t.From, end: t.To, place: place}
	if m := repeaterPattern.FindStringSubmatch(s.text); m != nil {
		s.every, s.unit = number(m[1]), m[2][0]
	}
	return s
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil { // longer than any date reaches
		return 1 << 30
	}
	return n
}

// base is the date as it is written.
func (s stamp) base() Day { return civil(s.at.Year, s.at.Month, s.at.Day) }

// last is the date of the end of a range.
func (s stamp) last() Day { return civil(s.end.Year, s.end.Month, s.end.Day) }

// daysIn are the days that a unit of a warning or delay counts for.
var daysIn = map[byte]float64{'d': 1, 'w': 7, 'm': 30.4, 'y': 365.25, 'h': 0.041667}

// lead is the warning period of a deadline or the delay of a schedule, in days.
func (s stamp) lead(usual int) int {
	if m := leadPattern.FindStringSubmatch(s.text); m != nil {
		return int(float64(number(m[1])) * daysIn[m[2][0]])
	}
	return usual
}

// past is the last repetition that is not after a day, and the base date when
// the day is before that or nothing repeats.
func (s stamp) past(day Day) Day {
	before, after := s.around(day)
	if after == day {
		return after
	}
	return before
}

// future is the first repetition that is not before a day.
func (s stamp) future(day Day) Day {
	before, after := s.around(day)
	if before == day {
		return before
	}
	return after
}

// around are the repetitions at or before a day and after it.
func (s stamp) around(day Day) (before, after Day) {
	base := s.base()
	if s.every == 0 || day <= base {
		return base, base
	}
	switch s.unit {
	case 'h':
		missing := mod(24*int(day-base)-s.at.Hour, s.every)
		before = day
		if missing > 0 {
			before = day - Day(1+missing/24)
		}
		return before, day + Day((s.every-missing)/24)
	case 'd', 'w':
		step := Day(s.every)
		if s.unit == 'w' {
			step *= 7
		}
		before = base + step*((day-base)/step)
		return before, before + step
	case 'm':
		target := day.Time()
		months := 12*(target.Year()-s.at.Year) + int(target.Month()) - s.at.Month
		if target.Day() <= s.at.Day {
			months--
		}
		months = months / s.every * s.every
		return civil(s.at.Year, s.at.Month+months, s.at.Day), civil(s.at.Year, s.at.Month+months+s.every, s.at.Day)
	}
	target := day.Time()
	years := target.Year() - s.at.Year
	if month := int(target.Month()); month < s.at.Month || month == s.at.Month && target.Day() <= s.at.Day {
		years--
	}
	years = years / s.every * s.every
	return civil(s.at.Year+years, s.at.Month, s.at.Day), civil(s.at.Year+years+s.every, s.at.Month, s.at.Day)
}

// mod is the remainder with the sign of the divisor, as Lisp has it.
func mod(n, by int) int { return ((n % by) + by) % by }
