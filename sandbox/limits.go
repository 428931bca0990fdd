package sandbox

import (
	"fmt"
	"time"
)

// Limits bound what one run may use. A zero field means the default, a
// negative one means no limit of that kind.
type Limits struct {
	// Fuel is the number of units (function entries plus loop iterations).
	Fuel int64
	// Memory is how far linear memory may grow, in bytes. For an instance
	// restored from a snapshot it counts what grows beyond the snapshot.
	Memory int64
	// Timeout bounds the time the guest works, which is processor time where the
	// system measures it. Waiting for a processor or for a host call is no work.
	Timeout time.Duration
	// Wall bounds elapsed time, waiting included. The default is ten times
	// Timeout.
	Wall time.Duration
	// Output bounds the bytes written to Stdout and Stderr together.
	Output int64
	// Files bounds the bytes a guest may add to its file tree.
	Files int64
}

// DefaultLimits are the bounds of the compute profile: what a component gets
// that asks for nothing. Fuel is calibrated so that it, not the clock, ends a
// runaway program on any machine of this decade.
var DefaultLimits = Limits{
	Fuel:    5_000_000_000,
	Memory:  64 << 20,
	Timeout: 5 * time.Second,
	Output:  16 << 20,
	Files:   64 << 20,
}

// waitFactor is how many times its Timeout a guest may exist, so that honest work
// ends on a busy machine as well.
const waitFactor = 10

// WallLimit is how long a guest may exist, negative for no limit.
func (l Limits) WallLimit() time.Duration {
	l = l.withDefaults()
	return l.Wall
}

// withDefaults fills zero fields from DefaultLimits.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	if l.Fuel == 0 {
		l.Fuel = d.Fuel
	}
	if l.Memory == 0 {
		l.Memory = d.Memory
	}
	if l.Timeout == 0 {
		l.Timeout = d.Timeout
	}
	switch {
	case l.Wall != 0:
	case l.Timeout < 0:
		l.Wall = -1
	default:
		l.Wall = waitFactor * l.Timeout
	}
	if l.Output == 0 {
		l.Output = d.Output
	}
	if l.Files == 0 {
		l.Files = d.Files
	}
	return l
}

// Caps are the ambient abilities a run is granted beyond its files, streams
// and host functions. The zero value grants nothing: the clock is virtual and
// random numbers come from Command.Seed. A run that holds any of them may
// give different bytes next time, so its result must not be cached.
type Caps struct {
	Clock  bool // real time, real sleeping, real file times
	Random bool // random numbers from the operating system
}

// Usage is the cost of a run.
type Usage struct {
	// Fuel is the number of units burnt: the same on every run and machine.
	Fuel int64
	// Memory is the largest size linear memory reached, in bytes.
	Memory int64
	// Work is the time it worked, which Limits.Timeout bounds.
	Work time.Duration
	// Wall is elapsed real time; it differs from run to run, as Work does.
	Wall time.Duration
}

// byteSize prints n as people write limits: 64 MiB, 512 KiB, 100 bytes.
func byteSize(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
