// Package activity follows what all runs of a state directory do, as it happens:
// those of this process and of others, of agents and of workbooks. It reads the
// events.org that runs register, from where it has read them last.
package activity

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"wb/internal/trace"
)

// Config says what is followed.
type Config struct {
	State *trace.State
	// Since is the time of the first event that is told; the zero time is now.
	Since time.Time
	// Every is how often it is looked; 0 is half a second.
	Every time.Duration
	// Beat is called after every look at which nothing was new; it may be nil.
	Beat func() error
}

const (
	lookEvery = 500 * time.Millisecond
	// behind is how much of a file is read of what was before, in bytes.
	behind = 16 << 20
)

// Follow tells every event once, those of one look in the order of their times, until
// ctx ends or tell returns an error.
func Follow(ctx context.Context, c Config, tell func(trace.Event) error) error {
	if c.Every <= 0 {
		c.Every = lookEvery
	}
	if c.Since.IsZero() {
		c.Since = time.Now()
	}
	f := &follower{config: c, files: map[string]*file{}}
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for {
		told, err := f.look(tell)
		if err == nil && !told && c.Beat != nil {
			err = c.Beat()
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

type follower struct {
	config   Config
	registry fs.FileInfo
	files    map[string]*file
	order    []string
}

// file is an events.org and how far it has been read.
type file struct {
	offset int64
	first  bool
}

// look tells what is new, and whether anything was.
func (f *follower) look(tell func(trace.Event) error) (told bool, err error) {
	if err := f.register(); err != nil {
		return false, err
	}
	var found []trace.Event
	for _, path := range f.order {
		text, err := f.files[path].more(path)
		if err != nil {
			return told, err
		}
		read := 0
		for record := range trace.ScanEvents(text) {
			if record.Torn { // it is being written
				break
			}
			read = offsetAfter(text, record.Text)
			e := record.Event()
			if e.Time.Before(f.config.Since.Truncate(time.Second)) {
				continue
			}
			found = append(found, e)
		}
		f.files[path].offset += int64(read)
	}
	slices.SortStableFunc(found, func(a, b trace.Event) int { return a.Time.Compare(b.Time) })
	for _, e := range found {
		if err := tell(e); err != nil {
			return true, err
		}
	}
	return len(found) > 0, nil
}

// offsetAfter is where a part of a text ends in it.
func offsetAfter(text, part []byte) int { return cap(text) - cap(part) + len(part) }

// register finds the files of runs that have been registered since the last look.
func (f *follower) register() error {
	info, err := f.config.State.Changed()
	if err != nil || f.registry != nil && info != nil && info.Size() == f.registry.Size() && info.ModTime().Equal(f.registry.ModTime()) {
		return err
	}
	f.registry = info
	runs, err := f.config.State.Runs()
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Events != "" && f.files[r.Events] == nil {
			f.files[r.Events] = &file{first: true}
			f.order = append(f.order, r.Events)
		}
	}
	return nil
}

// more is the unread part of a file.
func (f *file) more(path string) ([]byte, error) {
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // not yet, or not any more
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if f.first {
		f.first, f.offset = false, max(0, info.Size()-behind)
	}
	if info.Size() < f.offset { // somebody has made it anew
		f.offset = 0
	}
	if info.Size() == f.offset {
		return nil, nil
	}
	if _, err := in.Seek(f.offset, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}
