package trace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// lockWait is how long a writer waits for a file's lock. Locks are held for
// microseconds; a holder that takes longer is stopped or stuck.
const lockWait = 5 * time.Second

// errBusy is a lock that could not be had in time.
var errBusy = errors.New("locked by another process for too long")

// lockFile takes the exclusive lock of f, waiting at most wait.
func lockFile(f *os.File, wait time.Duration) error {
	var deadline time.Time
	for pause := time.Duration(0); ; {
		ok, err := tryLock(f)
		if err != nil || ok {
			return err
		}
		switch {
		case pause == 0:
			runtime.Gosched()
			pause, deadline = 20*time.Microsecond, time.Now().Add(wait)
			continue
		case time.Now().After(deadline):
			return errBusy
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// appendFile appends records to a file that other processes append to as well.
// It notices when the file was replaced (editors do that when they save) or
// removed, and goes on in the file that has the name now.
type appendFile struct {
	path string
	mode os.FileMode
	wait time.Duration // for the lock

	mu   sync.Mutex
	file *os.File
	info os.FileInfo // of file, to recognise it by
	end  int64       // the file's size after our last append, -1 before the first
}

func newAppendFile(path string, mode os.FileMode) *appendFile {
	return &appendFile{path: path, mode: mode, wait: lockWait, end: -1}
}

// append writes record, which ends in a newline, with one write(2) under the
// file's lock and returns the file's size after it. When the file does not end
// in a newline, because a writer died, a newline comes first.
func (a *appendFile) append(record []byte) (end int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	size, err := a.acquire()
	if err != nil {
		return 0, err
	}
	defer unlock(a.file)
	if torn, err := a.torn(size); err != nil {
		return 0, err
	} else if torn {
		record = append([]byte{'\n'}, record...)
	}
	if n, err := a.file.Write(record); err != nil {
		if n > 0 { // a full disk: remove the fragment while no other process can have written
			_ = a.file.Truncate(size)
		}
		return 0, err
	}
	a.end = size + int64(len(record))
	return a.end, nil
}

// acquire opens the file if need be, locks it and returns its size.
func (a *appendFile) acquire() (int64, error) {
	for range 10 {
		if a.file == nil {
			if err := a.open(); err != nil {
				return 0, err
			}
		}
		if err := lockFile(a.file, a.wait); err != nil {
			return 0, fmt.Errorf("%s: %w", a.path, err)
		}
		if named, err := os.Lstat(a.path); err == nil && os.SameFile(a.info, named) {
			return named.Size(), nil
		}
		unlock(a.file)
		a.close()
	}
	return 0, fmt.Errorf("%s: replaced again and again while appending", a.path)
}

func (a *appendFile) open() error {
	if info, err := os.Lstat(a.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", a.path)
	}
	const flags = os.O_RDWR | os.O_CREATE | os.O_APPEND | noFollow
	f, err := os.OpenFile(a.path, flags, a.mode)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(a.path), 0o755); err == nil {
			f, err = os.OpenFile(a.path, flags, a.mode)
		}
	}
	if err != nil {
		return err
	}
	if a.info, err = f.Stat(); err != nil {
		f.Close()
		return err
	}
	a.file = f
	return nil
}

func (a *appendFile) close() error {
	err := a.file.Close()
	a.file, a.info, a.end = nil, nil, -1
	return err
}

// torn reports whether the file's last line has no end. Our own appends end
// well, so only what others wrote is looked at.
func (a *appendFile) torn(size int64) (bool, error) {
	if size == 0 || size == a.end {
		return false, nil
	}
	var last [1]byte
	if _, err := a.file.ReadAt(last[:], size-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// Close closes the file. A later append opens it again.
func (a *appendFile) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	return a.close()
}
