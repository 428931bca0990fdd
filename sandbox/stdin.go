package sandbox

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// stdin is a guest's standard input. Reading it never outlasts the run: a
// source that can block without watching a context, such as a terminal, is
// read by a goroutine of its own, which delivers into a channel.
type stdin struct {
	source  io.Reader
	chunks  chan chunk // of the reading goroutine
	wanted  chan struct{}
	pending []byte
	err     error
}

type chunk struct {
	data []byte
	err  error
}

// contextReader is a reader whose waiting can be interrupted.
type contextReader interface {
	ReadContext(ctx context.Context, p []byte) (int, error)
}

// readStdin reads at least one byte, or says why not.
func (in *Instance) readStdin(b []byte) (int, error) {
	s := &in.sys.stdin
	switch r := s.source.(type) {
	case nil:
		return 0, io.EOF
	case *bytes.Reader, *strings.Reader, *bytes.Buffer:
		return r.Read(b)
	case contextReader:
		ctx, cancel := in.waitContext()
		defer cancel()
		n, err := r.ReadContext(ctx, b)
		in.haltIfExpired(err)
		return n, err
	}
	if len(s.pending) == 0 && s.err == nil {
		ctx, cancel := in.waitContext()
		defer cancel()
		in.haltIfExpired(s.fetch(ctx))
	}
	if len(s.pending) == 0 {
		return 0, s.err
	}
	n := copy(b, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// fetch asks the reading goroutine for the next chunk.
func (s *stdin) fetch(ctx context.Context) error {
	if s.chunks == nil {
		s.chunks, s.wanted = make(chan chunk, 1), make(chan struct{}, 1)
		go pump(s.source, s.wanted, s.chunks)
	}
	s.wanted <- struct{}{}
	select {
	case c := <-s.chunks:
		s.pending, s.err = c.data, c.err
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pump reads one chunk per request. A read that never returns keeps only this
// goroutine and its buffer.
func pump(r io.Reader, wanted <-chan struct{}, chunks chan<- chunk) {
	for range wanted {
		buf := make([]byte, 32<<10)
		n, err := r.Read(buf)
		chunks <- chunk{buf[:n], err}
	}
}

func (s *stdin) close() {
	if s.wanted != nil {
		close(s.wanted)
		s.wanted = nil
	}
}
