package run

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/compile"
)

// TestOutputWhileItRuns lets a program go on only when its first line was heard.
func TestOutputWhileItRuns(t *testing.T) {
	n := newNotebook(t, "#+NAME: a\n#+begin_src toy\nreturn 1\n#+end_src\n")
	var said []Printed
	first := make(chan struct{})
	n.opts.Output = func(p Printed) {
		said = append(said, p)
		if len(said) == 1 {
			close(first)
		}
	}
	inner := n.lane.run
	n.lane.run = func(ctx context.Context, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
		write := func(text string) {
			if _, err := job.Stdout.Write([]byte(text)); err != nil {
				t.Error(err)
			}
		}
		write("one\nbeg")
		select {
		case <-first:
		case <-time.After(time.Minute):
			t.Error("nobody heard the first line")
		}
		write("un\nlast")
		return inner(ctx, src, job)
	}
	n.run()
	var text strings.Builder
	for _, p := range said {
		if p.ID != "a" || p.Stderr {
			t.Errorf("%+v", p)
		}
		text.WriteString(p.Text)
	}
	if text.String() != "one\nbegun\nlast" || said[0].Text != "one\n" {
		t.Errorf("heard %+v", said)
	}
	first, said = make(chan struct{}), nil
	if _, got := n.run(); got != "a:cached" || said != nil {
		t.Errorf("%s: what was cached printed %+v", got, said)
	}
}

// TestLiner cuts at line ends, tells a begun line of a program that pauses, and
// nothing after the end.
func TestLiner(t *testing.T) {
	var mu sync.Mutex
	var said []string
	heard := make(chan struct{}, 8)
	l := &liner{tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
		heard <- struct{}{}
	}}
	write := func(text string) {
		if _, err := l.Write([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	write("a")
	write("b\nc\nd")
	<-heard
	<-heard // the pause
	long := strings.Repeat("x", longestLine+1)
	write(long)
	<-heard
	write("end")
	l.end()
	write("late\n")
	if want := []string{"ab\nc\n", "d", long, "end"}; !slices.Equal(said, want) {
		t.Errorf("told %q", said)
	}
}
