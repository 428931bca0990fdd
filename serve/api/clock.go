package api

import "time"

// Clock says what time it is and wakes who waits for a time.
type Clock interface {
	Now() time.Time
	// At sends when a time has come.
	At(time.Time) <-chan time.Time
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time                  { return time.Now() }
func (systemClock) At(t time.Time) <-chan time.Time { return time.After(time.Until(t)) }
