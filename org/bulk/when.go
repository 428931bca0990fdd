package bulk

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/org"
)

// relative is today, tomorrow, yesterday or a number of days, weeks, months or
// years from today.
var relative = lazyregexp.New(`^(?:today|tomorrow|yesterday|([+-]\d{1,4})([dwmy]))$`)

// shifts are the repeaters and warning periods that may end a timestamp.
var shifts = lazyregexp.New(`^(?:(?:\+\+?|\.\+|--?)\d+[hdwmy](?:/\d+[hdwmy])?)$`)

// stamp makes an active timestamp of what people write: a date or a day
// relative to today, perhaps a time, perhaps repeaters. Repeaters that the old
// timestamp has are kept when the new one brings none, as Emacs keeps them.
func stamp(text string, old org.Timestamp, now time.Time) (string, error) {
	words := strings.Fields(strings.Trim(text, "<>"))
	if len(words) == 0 {
		return "", nil
	}
	bad := &UsageError{fmt.Sprintf("%q is not a date", text), "write 2026-12-01, 2026-12-01 09:30, today, +3d, or nothing to remove it"}
	day, ok := date(words[0], now)
	if !ok {
		return "", bad
	}
	out := day.Format("2006-01-02 Mon")
	words = words[1:]
	if len(words) > 0 && dayName.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) > 0 && clock.MatchString(words[0]) {
		out += " " + pad(words[0])
		words = words[1:]
	}
	for _, w := range words {
		if !shifts.MatchString(w) {
			return "", bad
		}
		out += " " + w
	}
	if len(words) == 0 && old.Present() {
		out += keptShifts(old)
	}
	out = "<" + out + ">"
	if _, ok := org.ParseTimestamp(out); !ok {
		return "", bad
	}
	return out, nil
}

var (
	dayName = lazyregexp.New(`^\pL+\.?$`)
	clock   = lazyregexp.New(`^(?:[01]?\d|2[0-3]):[0-5]\d(?:-(?:[01]?\d|2[0-3]):[0-5]\d)?$`)
)

// pad writes 9:30 as 09:30.
func pad(clock string) string {
	parts := strings.Split(clock, "-")
	for i, p := range parts {
		if p[1] == ':' {
			parts[i] = "0" + p
		}
	}
	return strings.Join(parts, "-")
}

func date(word string, now time.Time) (time.Time, bool) {
	if t, err := time.Parse("2006-01-02", word); err == nil {
		return t, true
	}
	m := relative.FindStringSubmatch(word)
	if m == nil {
		return time.Time{}, false
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	switch word {
	case "today":
		return today, true
	case "tomorrow":
		return today.AddDate(0, 0, 1), true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	}
	n, err := strconv.Atoi(m[1])
	switch m[2] {
	case "d":
		today = today.AddDate(0, 0, n)
	case "w":
		today = today.AddDate(0, 0, 7*n)
	case "m":
		today = today.AddDate(0, n, 0)
	case "y":
		today = today.AddDate(n, 0, 0)
	}
	return today, err == nil
}

// keptShifts is the repeater and the warning period of a timestamp as text.
func keptShifts(t org.Timestamp) string {
	out := ""
	for _, s := range []org.Shift{t.Repeat, t.Warn} {
		if s.Mark == "" {
			continue
		}
		out += fmt.Sprintf(" %s%d%c", s.Mark, s.Count, s.Unit)
		if s.Max.Count > 0 {
			out += fmt.Sprintf("/%d%c", s.Max.Count, s.Max.Unit)
		}
	}
	return out
}
