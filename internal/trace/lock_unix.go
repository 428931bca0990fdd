//go:build unix && !solaris && !aix

package trace

import (
	"errors"
	"os"
	"syscall"
)

// noFollow makes opening a symbolic link fail: a workbook that somebody else
// wrote must not choose, by a link named events.org, which file grows.
const noFollow = syscall.O_NOFOLLOW

// tryLock takes the exclusive lock of f unless another open file has it. On
// file systems without locks it does nothing and reports success.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOLCK):
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

func unlock(f *os.File) {
	// Closing would release it too; there is nothing to do about a failure.
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
}
