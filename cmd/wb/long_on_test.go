//go:build long

package main

// killedRuns is how many scripted runs are killed, at every killedStride-th length
// of their journals, each beginning elsewhere. With WB_KILL_EVERY=1 they are killed
// at every length, which takes some minutes.
const (
	killedRuns   = 20
	killedStride = 3
)

// keptRuns is how many kept agents are killed, at every keptStride-th length of their
// journals.
const (
	keptRuns   = 3
	keptStride = 4
)
