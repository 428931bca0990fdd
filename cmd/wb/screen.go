package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"wb/compile/toolchain"
)

// screen is a terminal with lines at its bottom that say what is under way: a bar for
// each toolchain that is being made, and the state of a run. What is written meanwhile
// appears above them; when nothing is under way it is written as it is.
type screen struct {
	out *os.File

	mu   sync.Mutex
	bars *mpb.Progress // nil while nothing is under way
	open int           // bars that have not ended
}

// onScreen makes a screen of a terminal that can move its cursor; anything else stays
// what it is.
func onScreen(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && isTerminal(f) && os.Getenv("TERM") != "dumb" {
		return &screen{out: f}
	}
	return w
}

// Write writes text above what is under way.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bars != nil {
		return s.bars.Write(p)
	}
	return s.out.Write(p)
}

// add makes room for one more line.
func (s *screen) add(total int64, style mpb.BarFillerBuilder, options ...mpb.BarOption) *mpb.Bar {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bars == nil {
		s.bars = mpb.New(mpb.WithOutput(s.out), mpb.WithWidth(48), mpb.WithRefreshRate(120*time.Millisecond), mpb.PopCompletedMode())
	}
	s.open++
	return s.bars.New(total, style, options...)
}

// ended is told of each line that has ended; the last one leaves the screen clean.
func (s *screen) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open--; s.open == 0 {
		s.bars.Wait()
		s.bars = nil
	}
}

// Begin draws a bar for one step of work on a toolchain.
func (s *screen) Begin(tool, text string, total int64) toolchain.Step {
	label := mpb.PrependDecorators(decor.Name(tool+": "+text, decor.WCSyncSpaceR))
	if total > 0 {
		return &barStep{screen: s, total: total, Bar: s.add(total, mpb.BarStyle(), label,
			mpb.AppendDecorators(decor.CountersKibiByte("% .1f / % .1f"), decor.Name(" "), decor.AverageETA(decor.ET_STYLE_GO)))}
	}
	return &barStep{screen: s, Bar: s.add(0, mpb.SpinnerStyle(), label, mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))}
}

// barStep is a step with its bar.
type barStep struct {
	*mpb.Bar
	screen *screen
	total  int64
}

// Add draws progress.
func (b *barStep) Add(n int64) { b.IncrInt64(n) }

// Done ends the bar, which stays where it is above what comes later.
func (b *barStep) Done(err error) {
	if err != nil {
		b.Abort(false)
	} else {
		b.SetCurrent(b.total)
		b.SetTotal(-1, true)
	}
	b.screen.ended()
}

// lateAfter is how long something goes on before its state is shown, so that what has all
// it needs draws nothing.
const lateAfter = 300 * time.Millisecond

// late is line for what may soon be over. It may be called off twice.
func (s *screen) late(text func(now time.Time) string) (off func()) {
	var mu sync.Mutex
	end := func() {}
	timer := time.AfterFunc(lateAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if end != nil {
			end = s.line(text)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		if end != nil {
			end()
		}
		end = nil
	}
}

// line shows a text that changes, cut to the width of the terminal, until it is
// called off.
func (s *screen) line(text func(now time.Time) string) (off func()) {
	bar := s.add(0, mpb.NopStyle(), mpb.BarRemoveOnComplete(), mpb.BarNoPop(), mpb.PrependDecorators(decor.Any(func(at decor.Statistics) string {
		return runewidth.Truncate(text(time.Now()), max(at.AvailableWidth-1, 1), "…")
	})))
	return func() {
		bar.Abort(true)
		s.ended()
	}
}
