package run

import (
	"bytes"
	"sync"
	"time"

	"wb/compile"
	"wb/workbook/plan"
)

// longestLine is how much of an unfinished line waits for its end, and linePatience
// for how long: a prompt or a row of dots is seen, too.
const (
	longestLine  = 4 << 10
	linePatience = 500 * time.Millisecond
)

// listen lets Options.Output hear what a job prints, until the function it returns
// is called.
func (r teller) listen(id string, job *compile.Job) (done func()) {
	if r.opts.Output == nil {
		return func() {}
	}
	tell := func(stderr bool) *liner {
		return &liner{tell: func(text string) {
			r.hearing.Lock()
			defer r.hearing.Unlock()
			r.opts.Output(Printed{id, stderr, text})
		}}
	}
	stdout, stderr := tell(false), tell(true)
	job.Stdout, job.Stderr = stdout, stderr
	return func() { stdout.end(); stderr.end() }
}

// liner cuts what is written at the ends of lines.
type liner struct {
	tell func(string)

	mu    sync.Mutex
	begun []byte // of a line that has not ended
	timer *time.Timer
	ended bool
}

// Write tells the lines that p completes.
func (l *liner) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return len(p), nil
	}
	l.begun = append(l.begun, p...)
	whole := bytes.LastIndexByte(l.begun, '\n') + 1
	if len(l.begun)-whole > longestLine {
		whole = len(l.begun)
	}
	l.pass(whole)
	switch {
	case len(l.begun) == 0:
	case l.timer == nil:
		l.timer = time.AfterFunc(linePatience, l.pause)
	default:
		l.timer.Reset(linePatience)
	}
	return len(p), nil
}

// pass tells the first n bytes; mu is held.
func (l *liner) pass(n int) {
	if n > 0 {
		l.tell(string(l.begun[:n]))
		l.begun = l.begun[:copy(l.begun, l.begun[n:])]
	}
}

// pause tells the begun line of a program that has not gone on with it.
func (l *liner) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		l.pass(len(l.begun))
	}
}

func (l *liner) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.pass(len(l.begun))
	l.ended = true
}

// begun tells that a component begins to run.
func (r teller) begun(id string) {
	if r.opts.Begun == nil {
		return
	}
	of := 0
	for _, c := range r.plan.Components {
		if r.tasks[c.Index()] != nil && c.Kind != plan.KindData {
			of++
		}
	}
	r.hearing.Lock()
	defer r.hearing.Unlock()
	r.opts.Begun(Begun{ID: id, Of: of})
}

// progress tells that a component has ended.
func (r teller) progress(d Done) {
	if r.opts.Progress == nil {
		return
	}
	r.hearing.Lock()
	defer r.hearing.Unlock()
	r.opts.Progress(d)
}
