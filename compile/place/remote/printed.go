package remote

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"wb/compile"
)

// mostPrinted is how many bytes one question carries.
const mostPrinted = 64 << 10

// printer tells the caller what a program prints, while the program goes on: what
// comes during one question is in the next. It falls silent when the caller does
// not want to know or is gone; the reply has everything.
type printer struct {
	ask    Ask
	ctx    context.Context
	signal sync.Cond // there is something to tell, or no more will come

	mu      sync.Mutex
	pending []printed
	ended   bool
	deaf    bool
	done    chan struct{}
}

// printed is a piece of one stream: '1' or '2'.
type printed struct {
	stream byte
	text   []byte
}

func newPrinter(ctx context.Context, ask Ask) *printer {
	p := &printer{ask: ask, ctx: ctx, done: make(chan struct{})}
	p.signal.L = &p.mu
	go p.tell()
	return p
}

// stream is the writer of one stream.
func (p *printer) stream(name byte) io.Writer { return printerStream{p, name} }

type printerStream struct {
	*printer
	name byte
}

// Write never waits, and never fails.
func (s printerStream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deaf {
		return len(b), nil
	}
	last := len(s.pending) - 1
	if last < 0 || s.pending[last].stream != s.name || len(s.pending[last].text) >= mostPrinted {
		s.pending = append(s.pending, printed{stream: s.name})
		last++
	}
	s.pending[last].text = append(s.pending[last].text, b...)
	s.signal.Signal()
	return len(b), nil
}

// tell asks until all was told.
func (p *printer) tell() {
	defer close(p.done)
	for {
		p.mu.Lock()
		for len(p.pending) == 0 && !p.ended {
			p.signal.Wait()
		}
		if len(p.pending) == 0 {
			p.mu.Unlock()
			return
		}
		next := p.pending[0]
		p.pending = p.pending[1:]
		p.mu.Unlock()
		for text := next.text; len(text) > 0; {
			n := min(len(text), mostPrinted)
			answer, err := p.ask(p.ctx, append([]byte{askPrint, next.stream}, text[:n]...))
			if err != nil || len(answer) == 0 || answer[0] != answerOK {
				p.fallSilent()
				return
			}
			text = text[n:]
		}
	}
}

func (p *printer) fallSilent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deaf, p.pending = true, nil
}

// end waits until all was told.
func (p *printer) end() {
	p.mu.Lock()
	p.ended = true
	p.signal.Signal()
	p.mu.Unlock()
	<-p.done
}

// print passes on what the program prints.
func (a *Answerer) print(about []byte) error {
	if a.Stdout == nil || a.Stderr == nil || len(about) == 0 {
		return fs.ErrInvalid
	}
	to := a.Stdout
	if about[0] == '2' {
		to = a.Stderr
	}
	a.heard.Store(true)
	if _, err := to.Write(about[1:]); err != nil {
		return fmt.Errorf("passing output on: %w", err)
	}
	return nil
}

// rest is the program without who listens to it, when that one has heard
// everything already.
func (a *Answerer) rest(p *compile.Program) *compile.Program {
	if !a.heard.Load() {
		return p
	}
	quiet, job := *p, *p.Job
	job.Stdout, job.Stderr = nil, nil
	quiet.Job = &job
	return &quiet
}
