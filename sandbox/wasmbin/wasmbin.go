// Package wasmbin reads and writes the pieces that WebAssembly's binary format is
// made of: numbers, names, vectors and sections.
package wasmbin

import "fmt"

// Reader decodes Data from Pos on. The first error sticks and moves the position to
// the end, so that loops end and later reads give zero.
type Reader struct {
	Data []byte
	Pos  int
	Err  error
}

// Fail sets the error, unless there is one already.
func (r *Reader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(format, args...)
	}
	r.Pos = len(r.Data)
}

// Done reports whether nothing is left to read.
func (r *Reader) Done() bool { return r.Pos >= len(r.Data) }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.Pos >= len(r.Data) {
		r.Fail("unexpected end")
		return 0
	}
	c := r.Data[r.Pos]
	r.Pos++
	return c
}

// U32 reads an unsigned number as strictly as the specification asks: at most
// five bytes, no bits beyond the 32nd.
func (r *Reader) U32() uint32 {
	var v uint32
	for shift := 0; ; shift += 7 {
		c := r.Byte()
		if shift == 28 && c > 0x0f {
			r.Fail("number too large")
			return 0
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 || r.Err != nil {
			return v
		}
	}
}

// Leb passes over a number of at most so many bytes. The engine checks its value.
func (r *Reader) Leb(most int) {
	for range most {
		if r.Byte() < 0x80 {
			return
		}
	}
	r.Fail("number too long")
}

// Skip passes over n bytes.
func (r *Reader) Skip(n uint32) {
	if uint64(r.Pos)+uint64(n) > uint64(len(r.Data)) {
		r.Fail("unexpected end")
		return
	}
	r.Pos += int(n)
}

// Bytes returns the next n bytes.
func (r *Reader) Bytes(n uint32) []byte {
	from := r.Pos
	r.Skip(n)
	if r.Err != nil {
		return nil
	}
	return r.Data[from:r.Pos]
}

// Name reads a length-prefixed string.
func (r *Reader) Name() []byte { return r.Bytes(r.U32()) }

// AppendU32 encodes an unsigned number.
func AppendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// AppendI32 encodes a signed number.
func AppendI32(b []byte, v int32) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// AppendName encodes a length-prefixed string.
func AppendName(b []byte, s string) []byte {
	return append(AppendU32(b, uint32(len(s))), s...)
}

// AppendSection encodes a section.
func AppendSection(b []byte, id byte, body []byte) []byte {
	return append(AppendU32(append(b, id), uint32(len(body))), body...)
}
