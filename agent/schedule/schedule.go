// Package schedule reads when agents and workflows are due: :SCHEDULE: with five
// cron fields, @daily or @every 6h, and SCHEDULED timestamps with their repeaters.
// Times are in the local time zone.
package schedule

import (
	"fmt"
	"strings"
	"time"
	"wb/org"

	"github.com/robfig/cron/v3"
)

// Times gives the first time after another, the zero time when there is none.
type Times func(after time.Time) time.Time

// Never is the schedule of what is not due.
func Never(time.Time) time.Time { return time.Time{} }

// Clock says what time it is and wakes who waits for a time.
type Clock interface {
	Now() time.Time
	// At sends when a time has come.
	At(time.Time) <-chan time.Time
}

// System is the clock of the machine.
type System struct{}

// Now is the time.
func (System) Now() time.Time { return time.Now() }

// At sends when a time has come.
func (System) At(t time.Time) <-chan time.Time { return time.After(time.Until(t)) }

// Parse reads a cron expression, or a moment with or without a repeater:
// 2026-06-06, 2026-06-06T06:00 +1d.
func Parse(text string) (Times, error) {
	if at, repeat, ok := moment(text); ok {
		return repeating(at, repeat)
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf(":SCHEDULE: %s: %w", text, err)
	}
	return parsed.Next, nil
}

// moment is the time that a text begins with, and the rest.
func moment(text string) (at time.Time, repeat string, ok bool) {
	first, rest, _ := strings.Cut(text, " ")
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, first, time.Local); err == nil {
			return at, strings.TrimSpace(rest), true
		}
	}
	return time.Time{}, "", false
}

// repeating is a moment and what comes after it.
func repeating(first time.Time, repeat string) (Times, error) {
	count, unit := 0, byte(0)
	if repeat != "" {
		if _, err := fmt.Sscanf(strings.TrimLeft(repeat, "+."), "%d%c", &count, &unit); err != nil || count < 1 || !strings.ContainsRune("hdwmy", rune(unit)) {
			return nil, fmt.Errorf("SCHEDULED: %s is not a repeater", repeat)
		}
	}
	return func(after time.Time) time.Time {
		if first.After(after) {
			return first
		}
		if count == 0 {
			return time.Time{}
		}
		return repeated(first, count, unit, after)
	}, nil
}

// repeated is the first of the repetitions of a moment that is after another.
func repeated(first time.Time, count int, unit byte, after time.Time) time.Time {
	at := func(n int) time.Time { return org.Later(first, n*count, unit) }
	low, high := 0, 1
	for !at(high).After(after) {
		low, high = high, high*2
	}
	for low+1 < high {
		if middle := (low + high) / 2; at(middle).After(after) {
			high = middle
		} else {
			low = middle
		}
	}
	return at(high)
}
