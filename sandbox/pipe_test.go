package sandbox

import (
	"context"
	"io"
	"sync"
	"syscall"
)

// pipeSize is how many bytes a pipe holds before its writer waits.
const pipeSize = 64 << 10

// Pipe makes an in-memory pipe between two guests, or a guest and the host.
// It holds up to 64 KiB. A write after the reader has closed fails with EPIPE.
// A read returns less than was asked for only at the end of the stream, so that
// what a guest sees does not depend on which of the two was faster; after the
// last byte it reports io.EOF. Guests that wait on a pipe still honour their deadline and
// their context. Each end must be closed by whoever owns it: Run closes
// neither.
func Pipe() (*PipeReader, *PipeWriter) {
	p := &pipe{changed: make(chan struct{})}
	return &PipeReader{p}, &PipeWriter{p}
}

type pipe struct {
	mu         sync.Mutex
	ring       []byte // pipeSize bytes, made at the first write
	start, n   int    // the n bytes from start on, round the end, are waiting
	readClosed bool
	writeEnd   error         // non-nil once the writer has closed
	changed    chan struct{} // closed and replaced at every change
}

// signal wakes everyone who waits; mu is held.
func (p *pipe) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// put takes as much of b as there is room for; mu is held.
func (p *pipe) put(b []byte) int {
	if p.ring == nil {
		p.ring = make([]byte, pipeSize)
	}
	done := 0
	for done < len(b) && p.n < len(p.ring) {
		end := (p.start + p.n) % len(p.ring)
		k := copy(p.ring[end:min(len(p.ring), end+len(p.ring)-p.n)], b[done:])
		done += k
		p.n += k
	}
	return done
}

// take moves waiting bytes to b; mu is held.
func (p *pipe) take(b []byte) int {
	done := 0
	for done < len(b) && p.n > 0 {
		k := copy(b[done:], p.ring[p.start:min(len(p.ring), p.start+p.n)])
		done += k
		p.n -= k
		p.start = (p.start + k) % len(p.ring)
	}
	return done
}

// PipeReader is the reading end of a pipe.
type PipeReader struct{ p *pipe }

// Read implements io.Reader.
func (r *PipeReader) Read(b []byte) (int, error) { return r.ReadContext(context.Background(), b) }

// ReadContext is Read that gives up when ctx is done.
func (r *PipeReader) ReadContext(ctx context.Context, b []byte) (int, error) {
	p, n := r.p, 0
	for {
		p.mu.Lock()
		if k := p.take(b[n:]); k > 0 {
			n += k
			p.signal()
		}
		end, changed := p.writeEnd, p.changed
		if p.n > 0 {
			end = nil
		}
		if p.readClosed {
			end = io.ErrClosedPipe
		}
		p.mu.Unlock()
		switch {
		case n == len(b) || end == io.EOF && n > 0:
			return n, nil
		case end != nil:
			return n, end
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

// Close tells the writer that nobody reads any more.
func (r *PipeReader) Close() error {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	r.p.readClosed, r.p.ring, r.p.n = true, nil, 0
	r.p.signal()
	return nil
}

// PipeWriter is the writing end of a pipe.
type PipeWriter struct{ p *pipe }

// Write implements io.Writer.
func (w *PipeWriter) Write(b []byte) (int, error) { return w.WriteContext(context.Background(), b) }

// WriteContext is Write that gives up when ctx is done.
func (w *PipeWriter) WriteContext(ctx context.Context, b []byte) (int, error) {
	p, written := w.p, 0
	for {
		p.mu.Lock()
		switch {
		case p.readClosed:
			p.mu.Unlock()
			return written, syscall.EPIPE
		case p.writeEnd != nil:
			p.mu.Unlock()
			return written, io.ErrClosedPipe
		}
		if k := p.put(b[written:]); k > 0 {
			written += k
			p.signal()
		}
		changed := p.changed
		p.mu.Unlock()
		if written == len(b) {
			return written, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return written, ctx.Err()
		}
	}
}

// Close ends the stream: the reader gets io.EOF after what was written.
func (w *PipeWriter) Close() error {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	if w.p.writeEnd == nil {
		w.p.writeEnd = io.EOF
	}
	w.p.signal()
	return nil
}
