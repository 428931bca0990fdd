package shell

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// pipe carries bytes from one stage to the next. An ordinary pipe hands over:
// a write returns when all of it has been read. How far a stage gets before
// the next one stops reading then depends on the programs alone, never on
// timing, so that the fuel of `yes | head` is the same on every run.
//
// An unbounded pipe keeps what is written until it is read. It stands where
// nobody reads meanwhile, and what it holds counts against the run's memory.
type pipe struct {
	mu         sync.Mutex
	data       []byte // not read yet
	unbounded  bool
	kernel     *kernel
	readClosed bool
	writers    int
	changed    chan struct{} // closed and replaced at every change
	turn       chan struct{} // held while a bounded write is under way
}

func newPipe(k *kernel, unbounded bool) *pipe {
	return &pipe{unbounded: unbounded, kernel: k, writers: 1, changed: make(chan struct{}), turn: make(chan struct{}, 1)}
}

// signal wakes those who wait; mu is held.
func (p *pipe) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *pipe) read(ctx context.Context, b []byte) (int, error) {
	for {
		p.mu.Lock()
		if len(p.data) > 0 {
			n := copy(b, p.data)
			p.data = p.data[n:]
			if p.unbounded {
				p.kernel.release(int64(n))
			}
			p.signal()
			p.mu.Unlock()
			return n, nil
		}
		ended, changed := p.writers == 0, p.changed
		p.mu.Unlock()
		if ended {
			return 0, io.EOF
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (p *pipe) write(ctx context.Context, b []byte) (int, error) {
	if p.unbounded {
		return p.keep(b)
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	p.mu.Lock()
	if p.readClosed {
		p.mu.Unlock()
		return 0, syscall.EPIPE
	}
	p.data = append([]byte(nil), b...)
	p.signal()
	for {
		left, closed, changed := len(p.data), p.readClosed, p.changed
		p.mu.Unlock()
		switch {
		case left == 0: // all of it was read, whatever came after
			return len(b), nil
		case closed:
			return len(b) - left, syscall.EPIPE
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return len(b) - left, ctx.Err()
		}
		p.mu.Lock()
	}
}

// keep appends to an unbounded pipe.
func (p *pipe) keep(b []byte) (int, error) {
	if err := p.kernel.reserve(int64(len(b))); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readClosed {
		p.kernel.release(int64(len(b)))
		return 0, syscall.EPIPE
	}
	p.data = append(p.data, b...)
	p.signal()
	return len(b), nil
}

func (p *pipe) closeRead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readClosed = true
	if p.unbounded {
		p.kernel.release(int64(len(p.data)))
		p.data = nil
	}
	p.signal() // a writer still sees how much of its data was left
}

func (p *pipe) closeWrite() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers--
	p.signal()
}
