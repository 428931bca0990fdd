//go:build long && unix

package rebuild_test

import "syscall"

// umask sets which bits of a mode new files go without, and returns those before.
func umask(mask int) int { return syscall.Umask(mask) }
