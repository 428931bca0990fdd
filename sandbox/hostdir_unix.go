//go:build unix

package sandbox

import "syscall"

// nonblock keeps opening a named pipe, swapped in after it was checked, from
// waiting for a writer.
const nonblock = syscall.O_NONBLOCK
