package interp

import "math/rand/v2"

// seed starts RANDOM afresh: assigning to it makes the sequence repeatable.
func (sh *Shell) seed(n uint64) { sh.rand = rand.New(rand.NewPCG(n, 0)) }
