package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the thread this runs on and the processor time it has used.
func threadTime() (thread int, cpu time.Duration, ok bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, 0, false
	}
	return unix.Gettid(), time.Duration(t.Nano()), true
}
