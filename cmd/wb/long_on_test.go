//go:build long

package main

// killedRuns is how many scripted runs are killed, at every killedStride-th length
// of their journals; the odd ones at the odd lengths. With 1 it takes six minutes.
const (
	killedRuns   = 20
	killedStride = 2
)

// keptRuns is how many kept agents are killed, at every keptStride-th length of their
// journals.
const (
	keptRuns   = 3
	keptStride = 4
)
