package toolchain

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress hears what an installation is doing. Its methods may be called from
// several goroutines.
type Progress interface {
	// Begin opens a step of work on a toolchain. Total is in bytes; 0 means
	// that the total is unknown.
	Begin(tool, text string, total int64) Step
}

// Step is one piece of work under way. Done must be called once.
type Step interface {
	Add(n int64)
	Done(err error)
}

// Silent hears nothing.
var Silent Progress = silent{}

type silent struct{}

func (silent) Begin(string, string, int64) Step { return silent{} }
func (silent) Add(int64)                        {}
func (silent) Done(error)                       {}

// Plain writes one line when a step begins and one when it ends: what a pipe
// or a log wants.
func Plain(w io.Writer) Progress { return &plain{w: w} }

type plain struct {
	mu sync.Mutex
	w  io.Writer
}

type plainStep struct {
	*plain
	label string
	start time.Time
}

func (p *plain) Begin(tool, text string, total int64) Step {
	label := tool + ": " + text
	if total > 0 {
		p.line("%s (%s)", label, size(total))
	} else {
		p.line("%s", label)
	}
	return &plainStep{plain: p, label: label, start: time.Now()}
}

func (p *plain) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (s *plainStep) Add(int64) {}

func (s *plainStep) Done(err error) {
	took := time.Since(s.start)
	switch {
	case err != nil:
		s.line("%s: failed after %.1f s", s.label, took.Seconds())
	case took >= time.Second:
		s.line("%s: done in %.1f s", s.label, took.Seconds())
	}
}

// size prints a number of bytes for people: 512 B, 1.5 KiB, 25.9 MiB.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
