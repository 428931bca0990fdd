//go:build unix && !solaris && !aix

package toolchain

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes an exclusive lock on f unless another process or file
// description has it. Closing f releases it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
