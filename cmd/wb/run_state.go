package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/sandbox"
	"wb/workbook"
)

// runState is the progress of a run as a person wants to see it:
//
//	[37/200] 41 s  2 running: parse, train (12 s)  30 cached
type runState struct {
	mu      sync.Mutex
	began   time.Time
	all     int // components that may run
	ended   int
	cached  int
	running []runningPart // in the order they began
}

type runningPart struct {
	id    string
	since time.Time
}

// start hears that a component begins to run.
func (r *runState) start(b workbook.Begun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = b.Of
	r.running = append(r.running, runningPart{string(sandbox.Neutralize([]byte(b.ID))), time.Now()})
}

// end hears how a component ended.
func (r *runState) end(d workbook.Done) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.Status == workbook.StatusData {
		return
	}
	r.ended++
	if d.Status == workbook.StatusCached {
		r.cached++
	}
	id := string(sandbox.Neutralize([]byte(d.ID)))
	r.running = slices.DeleteFunc(r.running, func(p runningPart) bool { return p.id == id })
}

// text is the state in one line.
func (r *runState) text(now time.Time) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "[%d/%d] %s", r.ended, max(r.all, r.ended), seconds(now.Sub(r.began)))
	if len(r.running) > 0 {
		var names []string
		for _, p := range r.running {
			name := p.id
			if took := now.Sub(p.since); took >= time.Second {
				name += " (" + seconds(took) + ")"
			}
			names = append(names, name)
		}
		fmt.Fprintf(&b, "  %d running: %s", len(names), strings.Join(names, ", "))
	}
	if r.cached > 0 {
		fmt.Fprintf(&b, "  %d cached", r.cached)
	}
	return b.String()
}

// seconds writes a duration in whole seconds, and minutes where there are some.
func seconds(d time.Duration) string {
	d = d.Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
