package sandbox

import (
	"encoding/binary"
	"errors"
	"io"
	"syscall"
	"time"
)

// stream2 is a stream of WASI 0.2: a descriptor, and where in its file it is.
type stream2 struct {
	d    *descriptor
	pos  int64
	end  bool      // writes go to the end of the file
	from io.Reader // in place of a descriptor, what is read
	to   io.Writer // in place of a descriptor, where writes go
}

// error2 is an error that a stream told.
type error2 struct{ errno errno }

// pollable2 is ready at a time of the monotonic clock, or when a reply is there. Streams
// always are: reading one that has nothing yet is what waits.
type pollable2 struct {
	at time.Duration
	x  *exchange2
}

func (c *call2) stdin()  { c.stack[0] = uint64(c.own(&stream2{d: c.in.sys.fds[0]})) }
func (c *call2) stdout() { c.stack[0] = uint64(c.own(&stream2{d: c.in.sys.fds[1]})) }
func (c *call2) stderr() { c.stack[0] = uint64(c.own(&stream2{d: c.in.sys.fds[2]})) }

func (c *call2) debugString() {
	e, _ := resource[error2](c, 0)
	at := c.list([]byte("error " + itoa(e.errno.code2())))
	binary.LittleEndian.PutUint64(c.out(c.u32(1), 8), at)
}

// maxTransfer is how many bytes one call moves at most.
const maxTransfer = 1 << 16

// read reads up to n bytes from a stream.
func (c *call2) read(s *stream2, n uint64) ([]byte, error) {
	buf := make([]byte, min(n, maxTransfer))
	if len(buf) == 0 {
		return nil, nil
	}
	var got int
	var err error
	switch {
	case s.from != nil:
		got, err = s.from.Read(buf)
	case s.d == nil || s.d.kind == fdOutput:
		return nil, syscall.EBADF
	case s.d.kind == fdInput:
		got, err = c.in.readStdin(buf)
	default:
		got, err = s.d.file.ReadAt(buf, s.pos)
		s.pos += int64(got)
	}
	if got > 0 {
		err = nil
	}
	return buf[:got], err
}

// write writes all of b to a stream.
func (c *call2) write(s *stream2, b []byte) error {
	for len(b) > 0 {
		n, err := 0, error(nil)
		switch {
		case s.to != nil:
			n, err = s.to.Write(b)
		case s.d == nil || s.d.kind == fdInput:
			return syscall.EBADF
		case s.d.kind == fdOutput:
			n, err = c.in.writeStream(s.d.writer, b)
		default:
			if s.end {
				info, err := s.d.file.Stat()
				if err != nil {
					return err
				}
				s.pos = info.Size()
			}
			n, err = c.in.writeFile(s.d, b, s.pos)
			s.pos += int64(n)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		b = b[n:]
	}
	return nil
}

// failed answers with a stream-error, whose variant begins at payload.
func (c *call2) failed(buf []byte, payload int, err error) {
	buf[0] = 1
	if errors.Is(err, io.EOF) {
		buf[payload] = 1 // closed
		return
	}
	binary.LittleEndian.PutUint32(buf[payload+4:], c.own(error2{errnoOf(err)}))
}

var streams2 = map[string]func2{
	"[method]input-stream.read":          {"iIi", (*call2).streamRead},
	"[method]input-stream.blocking-read": {"iIi", (*call2).streamRead},
	"[method]input-stream.skip":          {"iIi", (*call2).streamSkip},
	"[method]input-stream.blocking-skip": {"iIi", (*call2).streamSkip},
	"[method]input-stream.subscribe":     {"i:i", (*call2).subscribe},

	"[method]output-stream.check-write": {"ii", func(c *call2) {
		if _, ok := resource[*stream2](c, 0); ok {
			binary.LittleEndian.PutUint64(c.out(c.u32(1), 16)[8:], maxTransfer)
		}
	}},
	"[method]output-stream.write":                           {"iiii", (*call2).streamWrite},
	"[method]output-stream.blocking-write-and-flush":        {"iiii", (*call2).streamWrite},
	"[method]output-stream.flush":                           {"ii", (*call2).streamFlush},
	"[method]output-stream.blocking-flush":                  {"ii", (*call2).streamFlush},
	"[method]output-stream.subscribe":                       {"i:i", (*call2).subscribe},
	"[method]output-stream.write-zeroes":                    {"iIi", (*call2).streamZeroes},
	"[method]output-stream.blocking-write-zeroes-and-flush": {"iIi", (*call2).streamZeroes},
	"[method]output-stream.splice":                          {"iiIi", (*call2).streamSplice},
	"[method]output-stream.blocking-splice":                 {"iiIi", (*call2).streamSplice},
}

func (c *call2) streamRead() {
	s, ok := resource[*stream2](c, 0)
	if !ok {
		return
	}
	data, err := c.read(s, c.stack[1])
	pointer := c.u32(2)
	if err != nil {
		c.failed(c.out(pointer, 12), 4, err)
		return
	}
	at := c.list(data)
	binary.LittleEndian.PutUint64(c.out(pointer, 12)[4:], at)
}

func (c *call2) streamSkip() {
	s, ok := resource[*stream2](c, 0)
	if !ok {
		return
	}
	data, err := c.read(s, c.stack[1])
	buf := c.out(c.u32(2), 16)
	if err != nil {
		c.failed(buf, 8, err)
		return
	}
	binary.LittleEndian.PutUint64(buf[8:], uint64(len(data)))
}

// wrote answers what came of writing.
func (c *call2) wrote(pointer uint32, err error) {
	buf := c.out(pointer, 12)
	if err != nil {
		c.failed(buf, 4, err)
	}
}

func (c *call2) streamWrite() {
	if s, ok := resource[*stream2](c, 0); ok {
		c.wrote(c.u32(3), c.write(s, c.bytes(1)))
	}
}

func (c *call2) streamFlush() {
	if _, ok := resource[*stream2](c, 0); ok {
		c.wrote(c.u32(1), nil)
	}
}

func (c *call2) streamZeroes() {
	if s, ok := resource[*stream2](c, 0); ok {
		c.wrote(c.u32(2), c.write(s, make([]byte, min(c.stack[1], maxTransfer))))
	}
}

func (c *call2) streamSplice() {
	to, ok1 := resource[*stream2](c, 0)
	from, ok2 := resource[*stream2](c, 1)
	if !ok1 || !ok2 {
		return
	}
	data, err := c.read(from, c.stack[2])
	if err == nil {
		err = c.write(to, data)
	}
	buf := c.out(c.u32(3), 16)
	if err != nil {
		c.failed(buf, 8, err)
		return
	}
	binary.LittleEndian.PutUint64(buf[8:], uint64(len(data)))
}

func (c *call2) subscribe() { c.stack[0] = uint64(c.own(pollable2{})) }

// ready reports whether waiting would end at once.
func (p pollable2) ready(now time.Duration) bool {
	if p.x != nil {
		return p.x.arrivedYet()
	}
	return p.at == 0 || p.at <= now
}

var poll2 = map[string]func2{
	"[method]pollable.ready": {"i:i", func(c *call2) {
		p, _ := resource[pollable2](c, 0)
		c.stack[0] = 0
		if p == (pollable2{}) || p.ready(c.elapsed()) {
			c.stack[0] = 1
		}
	}},
	"[method]pollable.block": {"i", func(c *call2) {
		if p, ok := resource[pollable2](c, 0); ok {
			c.await([]pollable2{p})
		}
	}},
	"poll": {"iii", (*call2).poll},
}

func (c *call2) elapsed() time.Duration { return c.in.sys.clock.elapsed(c.in.fuelUsed()) }

// await waits until at least one of several is ready, and says when that was. Virtual
// time stands still while a reply is under way, so that no timeout comes before it.
func (c *call2) await(list []pollable2) time.Duration {
	const never = time.Duration(1<<63 - 1)
	for {
		now, earliest, replies := c.elapsed(), never, false
		for _, p := range list {
			switch {
			case p.ready(now):
				return now
			case p.x == nil:
				earliest = min(earliest, p.at)
			case p.x.begun:
				replies = true
			}
		}
		switch {
		case replies:
			c.awaitReply(earliest - now)
		case earliest == never:
			c.trap("waits for the reply to a request whose body it has not finished")
			return now
		default:
			c.in.sleep(earliest - now)
		}
	}
}

// awaitReply waits until a reply arrives, or until real time has passed.
func (c *call2) awaitReply(most time.Duration) {
	var timeout <-chan time.Time
	if c.in.sys.clock.real {
		t := time.NewTimer(most)
		defer t.Stop()
		timeout = t.C
	}
	ctx, cancel := c.in.waitContext()
	defer cancel()
	select {
	case <-c.in.sys.requests.arrived:
	case <-timeout:
	case <-ctx.Done():
		c.in.haltIfExpired(ctx.Err())
	}
}

func (c *call2) poll() {
	n := c.u32(1)
	if n == 0 || n > 4096 {
		c.trap("poll of nothing, or of too much")
		return
	}
	words, ok := c.in.Memory().Read(c.u32(0), n*4)
	if !ok {
		c.trap("out of bounds memory access")
		return
	}
	list := make([]pollable2, n)
	for i := range list {
		p, ok := c.in.sys.resources[binary.LittleEndian.Uint32(words[i*4:])].(pollable2)
		if !ok {
			c.trap("unknown handle")
			return
		}
		list[i] = p
	}
	now := c.await(list)
	var ready []byte
	for i, p := range list {
		if p.ready(now) {
			ready = binary.LittleEndian.AppendUint32(ready, uint32(i))
		}
	}
	at := c.allocate(uint32(len(ready)), 4)
	if !c.in.Memory().Write(at, ready) {
		c.trap("out of bounds memory access")
	}
	buf := c.out(c.u32(2), 8)
	binary.LittleEndian.PutUint32(buf, at)
	binary.LittleEndian.PutUint32(buf[4:], uint32(len(ready)/4))
}

var monotonic2 = map[string]func2{
	"now":        {":I", func(c *call2) { c.stack[0] = uint64(c.in.sys.clock.elapsed(c.in.fuelUsed())) }},
	"resolution": {":I", func(c *call2) { c.stack[0] = 1000 }},
	"subscribe-instant": {"I:i", func(c *call2) {
		c.stack[0] = uint64(c.own(pollable2{at: time.Duration(min(c.stack[0], 1<<62))}))
	}},
	"subscribe-duration": {"I:i", func(c *call2) {
		now := c.in.sys.clock.elapsed(c.in.fuelUsed())
		c.stack[0] = uint64(c.own(pollable2{at: now + time.Duration(min(c.stack[0], 1<<61))}))
	}},
}

var wall2 = map[string]func2{
	"now": {"i", func(c *call2) {
		putTime(c.out(c.u32(0), 16), c.in.sys.clock.wall(c.in.fuelUsed()).UnixNano())
	}},
	"resolution": {"i", func(c *call2) { putTime(c.out(c.u32(0), 16), 1000) }},
}

// putTime writes a datetime.
func putTime(buf []byte, nano int64) {
	binary.LittleEndian.PutUint64(buf, uint64(nano/1e9))
	binary.LittleEndian.PutUint32(buf[8:], uint32(nano%1e9))
}

// random reads n random bytes.
func (c *call2) random(n uint64) []byte {
	if n > 1<<20 {
		c.trap("too many random bytes at once")
		return nil
	}
	buf := make([]byte, n)
	if _, err := io.ReadFull(c.in.sys.random, buf); err != nil {
		c.err = err
	}
	return buf
}

func (c *call2) randomBytes() {
	at := c.list(c.random(c.stack[0]))
	binary.LittleEndian.PutUint64(c.out(c.u32(1), 8), at)
}

func (c *call2) randomWord() { c.stack[0] = binary.LittleEndian.Uint64(c.random(8)) }

func (c *call2) randomSeed() { copy(c.out(c.u32(0), 16), c.random(16)) }
