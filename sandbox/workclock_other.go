//go:build !linux

package sandbox

import "time"

// threadTime is not to be had from this system.
func threadTime() (thread int, cpu time.Duration, ok bool) { return 0, 0, false }
