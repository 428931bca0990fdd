//go:build long

package main

// killedRuns is how many scripted runs are killed, at every killedStride-th length
// of their journals; the odd ones at the odd lengths. With 1 it takes six minutes.
const (
	killedRuns   = 20
	killedStride = 2
)
