// Package frame is how messages follow each other on a pipe or a socket between
// processes of wb on one machine.
package frame

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Frame is one message:
//
//	[length of what follows, u32 little-endian][kind][id, u32][payload]
//
// The id pairs an answer with its question; other kinds have 0.
type Frame struct {
	Kind    byte
	ID      uint32
	Payload []byte
}

const headSize = 5

// errTooLong says that a frame is longer than its kind allows.
var errTooLong = errors.New("a frame is too long")

// Writer writes frames, for several goroutines.
type Writer struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 64<<10)} }

func (w *Writer) Write(f Frame) error {
	if uint64(len(f.Payload)) > 1<<31 {
		return errTooLong
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var head [4 + headSize]byte
	binary.LittleEndian.PutUint32(head[:], uint32(headSize+len(f.Payload)))
	head[4] = f.Kind
	binary.LittleEndian.PutUint32(head[5:], f.ID)
	if _, err := w.w.Write(head[:]); err != nil {
		return err
	}
	if _, err := w.w.Write(f.Payload); err != nil {
		return err
	}
	return w.w.Flush()
}

// Reader reads frames. Most says how long the payload of a kind may be; a
// kind that may not come has a negative length.
type Reader struct {
	r    *bufio.Reader
	most func(kind byte) int64
}

func NewReader(r io.Reader, most func(kind byte) int64) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

func (r *Reader) Read() (Frame, error) {
	var head [4 + headSize]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: head[4], ID: binary.LittleEndian.Uint32(head[5:])}
	n := int64(binary.LittleEndian.Uint32(head[:])) - headSize
	switch most := r.most(f.Kind); {
	case most < 0 || n < 0:
		return f, fmt.Errorf("unexpected frame of kind %q", f.Kind)
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
	f.Payload = payload.Bytes()
	return f, nil
}
