package toolchain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockPoll is how often a held lock is tried again.
const lockPoll = 100 * time.Millisecond

// lock takes the lock of a toolchain name against other processes and returns
// what releases it. The system releases it too when the process dies.
func (s *Depot) lock(ctx context.Context, name string, progress Progress) (func(), error) {
	dir := filepath.Join(s.dir, ".locks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", name, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", name, err)
	}
	ok, err := tryLock(f)
	if err == nil && !ok {
		step := progress.Begin(name, "waiting for another wb that is installing it", 0)
		for err == nil && !ok {
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-time.After(lockPoll):
				ok, err = tryLock(f)
			}
		}
		step.Done(err)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("toolchain %s: lock: %w", name, err)
	}
	return func() { f.Close() }, nil
}
