package shell

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"wb/sandbox"
)

// stream is something open that processes of a run share: a file with its
// position, an end of a pipe, bytes, or a stream of the job. The last process
// to let go of it closes it.
type stream struct {
	refs atomic.Int32
	end  endpoint

	mu    sync.Mutex
	ahead []byte // read but not yet consumed, see readUntil
}

// endpoint is what a stream is an opening of.
type endpoint interface {
	read(ctx context.Context, b []byte) (int, error)
	write(ctx context.Context, b []byte) (int, error)
	close()
}

func newStream(e endpoint) *stream {
	s := &stream{end: e}
	s.refs.Store(1)
	return s
}

func (s *stream) keep() *stream {
	if s != nil {
		s.refs.Add(1)
	}
	return s
}

func (s *stream) drop() {
	if s != nil && s.refs.Add(-1) == 0 {
		s.end.close()
	}
}

// read reads at least one byte or returns io.EOF.
func (s *stream) read(ctx context.Context, b []byte) (int, error) {
	s.mu.Lock()
	if len(s.ahead) > 0 {
		n := copy(b, s.ahead)
		s.ahead = s.ahead[n:]
		s.mu.Unlock()
		return n, nil
	}
	s.mu.Unlock()
	return s.end.read(ctx, b)
}

// readUntil reads up to and including delim and keeps what it had to read
// beyond for whoever reads the stream next.
func (s *stream) readUntil(ctx context.Context, delim byte, b []byte) (int, error) {
	done := 0
	for done < len(b) {
		s.mu.Lock()
		ahead := s.ahead
		s.mu.Unlock()
		if len(ahead) == 0 {
			chunk := make([]byte, 8<<10)
			n, err := s.end.read(ctx, chunk)
			if n == 0 {
				if err == nil || done > 0 {
					err = io.EOF
				}
				if done > 0 {
					return done, nil
				}
				return 0, err
			}
			ahead = chunk[:n]
		}
		take := min(len(ahead), len(b)-done)
		found := bytes.IndexByte(ahead[:take], delim)
		if found >= 0 {
			take = found + 1
		}
		done += copy(b[done:], ahead[:take])
		s.mu.Lock()
		s.ahead = ahead[take:]
		s.mu.Unlock()
		if found >= 0 {
			break
		}
	}
	return done, nil
}

// ReadContext and WriteContext make a stream serve as a guest's standard
// streams; the sandbox prefers them over Read and Write.
func (s *stream) ReadContext(ctx context.Context, b []byte) (int, error)  { return s.read(ctx, b) }
func (s *stream) WriteContext(ctx context.Context, b []byte) (int, error) { return s.end.write(ctx, b) }
func (s *stream) Read(b []byte) (int, error)                              { return s.read(context.Background(), b) }
func (s *stream) Write(b []byte) (int, error)                             { return s.end.write(context.Background(), b) }

// nothing is /dev/null.
type nothing struct{}

func (nothing) read(context.Context, []byte) (int, error)      { return 0, io.EOF }
func (nothing) write(_ context.Context, b []byte) (int, error) { return len(b), nil }
func (nothing) close()                                         {}

// readEnd and writeEnd are the two ends of a pipe.
type readEnd struct{ p *pipe }

func (e readEnd) read(ctx context.Context, b []byte) (int, error) { return e.p.read(ctx, b) }
func (readEnd) write(context.Context, []byte) (int, error)        { return 0, syscall.EBADF }
func (e readEnd) close()                                          { e.p.closeRead() }

type writeEnd struct{ p *pipe }

func (writeEnd) read(context.Context, []byte) (int, error)          { return 0, syscall.EBADF }
func (e writeEnd) write(ctx context.Context, b []byte) (int, error) { return e.p.write(ctx, b) }
func (e writeEnd) close()                                           { e.p.closeWrite() }

// given reads bytes that are there from the start.
type given struct {
	mu   sync.Mutex
	data []byte
}

func (g *given) read(_ context.Context, b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, g.data)
	g.data = g.data[n:]
	return n, nil
}

func (*given) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (*given) close()                                     {}

// input is the job's standard input.
type input struct {
	mu sync.Mutex
	r  io.Reader
}

func (i *input) read(ctx context.Context, b []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if c, ok := i.r.(interface {
		ReadContext(context.Context, []byte) (int, error)
	}); ok {
		return c.ReadContext(ctx, b)
	}
	return i.r.Read(b)
}

func (*input) write(context.Context, []byte) (int, error) { return 0, syscall.EBADF }
func (*input) close()                                     {}

// output is the job's standard output or error: kept, passed on, and limited
// together with its twin.
type output struct {
	kernel *kernel
	mu     sync.Mutex
	kept   bytes.Buffer
	live   io.Writer
}

func (*output) read(context.Context, []byte) (int, error) { return 0, io.EOF }

func (o *output) write(_ context.Context, b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := o.kernel
	room := len(b)
	if k.limits.Output >= 0 {
		room = int(min(int64(room), max(0, k.limits.Output-k.output.Load())))
	}
	k.output.Add(int64(len(b)))
	o.kept.Write(b[:room])
	if o.live != nil && room > 0 {
		if _, err := o.live.Write(b[:room]); err != nil {
			o.live = nil // who listens is gone; the run goes on
		}
	}
	if room < len(b) {
		k.fail(&sandbox.LimitError{Kind: sandbox.LimitOutput, Limit: k.limits.Output})
		return room, syscall.EPIPE
	}
	return len(b), nil
}

func (*output) close() {}

// file is an open file with a position that all who share the stream move.
type file struct {
	mu       sync.Mutex
	f        sandbox.File
	pos      int64
	append   bool
	canRead  bool
	canWrite bool
}

func (f *file) read(_ context.Context, b []byte) (int, error) {
	if !f.canRead {
		return 0, syscall.EBADF
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.f.ReadAt(b, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) write(_ context.Context, b []byte) (int, error) {
	if !f.canWrite {
		return 0, syscall.EBADF
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.append {
		info, err := f.f.Stat()
		if err != nil {
			return 0, err
		}
		f.pos = info.Size()
	}
	n, err := f.f.WriteAt(b, f.pos)
	f.pos += int64(n)
	return n, err
}

func (f *file) close() { f.f.Close() }

// openFile opens a file of the run's tree.
func openFile(tree sandbox.FS, name string, flags uint32) (*stream, error) {
	mode := os.O_RDONLY
	read, write := flags&openRead != 0, flags&openWrite != 0
	switch {
	case read && write:
		mode = os.O_RDWR
	case write:
		mode = os.O_WRONLY
	}
	if flags&openCreate != 0 {
		mode |= os.O_CREATE
	}
	if flags&openTruncate != 0 {
		mode |= os.O_TRUNC
	}
	if info, err := tree.Stat(name); err == nil && info.IsDir() {
		return nil, syscall.EISDIR
	}
	f, err := tree.OpenFile(name, mode, 0o644)
	if err != nil {
		return nil, err
	}
	return newStream(&file{f: f, append: flags&openAppend != 0, canRead: read, canWrite: write}), nil
}
