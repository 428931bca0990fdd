//go:build unix

// Package cpu measures processor time for benchmarks, which other work on the machine
// lengthens less than the time that passes.
package cpu

import (
	"os"
	"syscall"
	"time"
)

// Own is the processor time that this process has used.
func Own() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for a wrong argument alone
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Peak is how many bytes of memory an ended process had at most, where the system
// counts them in KiB as Linux does.
func Peak(s *os.ProcessState) int64 { return s.SysUsage().(*syscall.Rusage).Maxrss << 10 }
