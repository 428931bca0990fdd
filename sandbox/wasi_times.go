package sandbox

import (
	"strings"
	"time"
)

// fileTimes are the times a guest gave a file, in nanoseconds since the epoch; 0 is
// one that it did not give. The tree does not keep them, so they last as long as the
// run: the same program sees the same times every time it runs.
type fileTimes struct{ access, change int64 }

// The flags of fd_filestat_set_times.
const (
	fstAccess    = 1 << 0
	fstAccessNow = 1 << 1
	fstChange    = 1 << 2
	fstChangeNow = 1 << 3
)

// setTimes gives a file times, or now.
func (in *Instance) setTimes(name string, access, change, flags uint64) errno {
	flags = uint64(uint16(flags)) // the rest of the word is undefined
	switch {
	case flags&fstAccess != 0 && flags&fstAccessNow != 0, flags&fstChange != 0 && flags&fstChangeNow != 0, flags >= fstChangeNow<<1:
		return errnoInval
	}
	if in.sys.times == nil {
		in.sys.times = map[string]fileTimes{}
	}
	times := in.sys.times[name]
	now := in.sys.clock.wall(in.fuelUsed()).UnixNano()
	for _, one := range []struct {
		to               *int64
		said             uint64
		given, fromClock uint64
	}{{&times.access, access, fstAccess, fstAccessNow}, {&times.change, change, fstChange, fstChangeNow}} {
		switch {
		case flags&one.given != 0:
			*one.to = int64(one.said)
		case flags&one.fromClock != 0:
			*one.to = now
		}
	}
	in.sys.times[name] = times
	return 0
}

// timesOf are the times a guest sees: those that it gave, else mtime.
func (in *Instance) timesOf(name string, mtime time.Time) (access, change int64) {
	access, change = mtime.UnixNano(), mtime.UnixNano()
	times := in.sys.times[name]
	if times.access != 0 {
		access = times.access
	}
	if times.change != 0 {
		change = times.change
	}
	return access, change
}

// forgetTimes drops the times of a file that was removed or written, and those below
// a directory that is no more.
func (w *wasi) forgetTimes(name string) {
	if len(w.times) == 0 {
		return
	}
	for known := range w.times {
		if known == name || strings.HasPrefix(known, name+"/") {
			delete(w.times, known)
		}
	}
}

// moveTimes lets a file that was renamed keep its times.
func (w *wasi) moveTimes(from, to string) {
	if len(w.times) == 0 {
		return
	}
	w.forgetTimes(to)
	for known, times := range w.times {
		if rest, below := strings.CutPrefix(known, from); below && (rest == "" || rest[0] == '/') {
			delete(w.times, known)
			w.times[to+rest] = times
		}
	}
}
