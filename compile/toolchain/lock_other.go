//go:build !unix || solaris || aix

package toolchain

import "os"

// tryLock does nothing where the system has no flock: two processes may then
// install the same toolchain at once, and the later rename wins.
func tryLock(*os.File) (bool, error) { return true, nil }
