package remote

import "fmt"

// Ties bind a program to its caller, so that it may not be run by
// whoever is free: what happened in memory here, what must not happen twice, and
// what differs from machine to machine.
type Ties struct {
	Session       bool     // it shares an interpreter with other blocks
	Granted       []string // what it was granted of the dock
	Clock, Random bool
}

// Reason is why the program stays with its caller, "" when it may travel.
func (t Ties) Reason() string {
	switch {
	case t.Session:
		return "its session lives here"
	case len(t.Granted) > 0:
		return fmt.Sprintf("it was granted %s, whose effects must not happen twice", t.Granted[0])
	case t.Clock:
		return "it reads the clock"
	case t.Random:
		return "it reads random numbers"
	}
	return ""
}
