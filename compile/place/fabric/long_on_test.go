//go:build long

package fabric_test

import "time"

const (
	// kills is how many workers are killed at random moments.
	kills = 100
	// crew is how many workers TestCrew has, and crewWork how long each piece
	// of work takes them.
	crew     = 1000
	crewWork = 100 * time.Millisecond
)
