//go:build !long

package fabric_test

import "time"

const (
	// kills is how many workers are killed at random moments.
	kills = 5
	// losses is how many servers of a cluster are killed, one after the other.
	losses = 1
	// crew is how many workers TestCrew has, and crewWork how long each piece
	// of work takes them.
	crew     = 50
	crewWork = 20 * time.Millisecond
)
