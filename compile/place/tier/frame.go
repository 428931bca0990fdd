package tier

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A frame is
//
//	[length of what follows, u32 little-endian][kind][id, u32][payload]
//
// The id pairs an answer with its question; other kinds have 0.
type frame struct {
	kind    byte
	id      uint32
	payload []byte
}

// The kinds of frame. The caller sends the first two, the child the others.
const (
	frameRequest  = 'q' // a remote.Request
	frameAnswer   = 'a'
	frameReady    = 'R' // a greeting, once
	frameQuestion = '?'
	frameBuilt    = 'b' // the program is built and starts; the run's deadline begins
	frameReply    = 'r' // a remote.Reply
)

const frameHead = 5

// errTooLong says that a frame is longer than its kind allows.
var errTooLong = errors.New("a frame is too long")

// frameWriter writes frames, from several goroutines.
type frameWriter struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func newFrameWriter(w io.Writer) *frameWriter { return &frameWriter{w: bufio.NewWriterSize(w, 64<<10)} }

func (w *frameWriter) write(f frame) error {
	if uint64(len(f.payload)) > 1<<31 {
		return errTooLong
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var head [4 + frameHead]byte
	binary.LittleEndian.PutUint32(head[:], uint32(frameHead+len(f.payload)))
	head[4] = f.kind
	binary.LittleEndian.PutUint32(head[5:], f.id)
	if _, err := w.w.Write(head[:]); err != nil {
		return err
	}
	if _, err := w.w.Write(f.payload); err != nil {
		return err
	}
	return w.w.Flush()
}

// frameReader reads frames. most says how long the payload of a kind may be; a
// kind that may not come has a negative length.
type frameReader struct {
	r    *bufio.Reader
	most func(kind byte) int64
}

func newFrameReader(r io.Reader, most func(kind byte) int64) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

func (r *frameReader) read() (frame, error) {
	var head [4 + frameHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: head[4], id: binary.LittleEndian.Uint32(head[5:])}
	n := int64(binary.LittleEndian.Uint32(head[:])) - frameHead
	switch most := r.most(f.kind); {
	case most < 0 || n < 0:
		return f, fmt.Errorf("a frame of kind %q, which does not belong here", f.kind)
	case n > most:
		return f, errTooLong
	}
	// What has not arrived yet is not made room for: the other side may lie.
	var payload bytes.Buffer
	if _, err := io.CopyN(&payload, r.r, n); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return f, err
	}
	f.payload = payload.Bytes()
	return f, nil
}
