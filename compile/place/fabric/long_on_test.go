//go:build long

package fabric_test

import "time"

const (
	// kills is how many workers are killed at random moments.
	kills = 100
	// losses is how many servers of a cluster are killed, one after the other.
	losses = 10
	// crew is how many workers TestCrew has, and crewWork how long each piece
	// of work takes them.
	crew     = 1000
	crewWork = 100 * time.Millisecond
)
