package interp

import "math/rand/v2"

// seed starts RANDOM afresh: assigning to it makes the sequence repeatable, and
// without an assignment it is the same on every run.
func (sh *Shell) seed(n uint64) { sh.rand = rand.New(rand.NewPCG(n, 0)) }
