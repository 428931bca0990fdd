//go:build long

package main

// killedRuns is how many scripted runs are killed, at every killedStride-th length
// of their journals.
const (
	killedRuns   = 20
	killedStride = 1
)
