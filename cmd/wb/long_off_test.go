//go:build !long

package main

// killedRuns is how many scripted runs are killed, at every killedStride-th length
// of their journals.
const (
	killedRuns   = 2
	killedStride = 3
)

// keptRuns is how many kept agents are killed, at every keptStride-th length of their
// journals.
const (
	keptRuns   = 1
	keptStride = 8
)
