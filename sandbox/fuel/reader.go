package fuel

import "fmt"

// reader decodes a section. The first error sticks and moves the position to
// the end, so that loops end and later reads give zero.
type reader struct {
	b   []byte
	p   int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.p = len(r.b)
}

func (r *reader) done() bool { return r.p >= len(r.b) }

func (r *reader) byte() byte {
	if r.p >= len(r.b) {
		r.fail("unexpected end")
		return 0
	}
	c := r.b[r.p]
	r.p++
	return c
}

// u32 reads an unsigned number as strictly as the specification asks: at most
// five bytes, no bits beyond the 32nd.
func (r *reader) u32() uint32 {
	var v uint32
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			r.fail("number too large")
			return 0
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 || r.err != nil {
			return v
		}
	}
}

// skip passes over n bytes.
func (r *reader) skip(n uint32) {
	if uint64(r.p)+uint64(n) > uint64(len(r.b)) {
		r.fail("unexpected end")
		return
	}
	r.p += int(n)
}

// leb passes over a number of at most max bytes. The engine checks its value.
func (r *reader) leb(max int) {
	for i := 0; i < max; i++ {
		if r.p >= len(r.b) {
			r.fail("unexpected end")
			return
		}
		c := r.b[r.p]
		r.p++
		if c < 0x80 {
			return
		}
	}
	r.fail("number too long")
}

// bytes returns the next n bytes.
func (r *reader) bytes(n uint32) []byte {
	from := r.p
	r.skip(n)
	if r.err != nil {
		return nil
	}
	return r.b[from:r.p]
}

// name reads a length-prefixed string.
func (r *reader) name() []byte { return r.bytes(r.u32()) }

// count reads the length of a vector whose items take at least one byte each.
func (r *reader) count() uint32 {
	n := r.u32()
	if uint64(n) > uint64(len(r.b)-r.p) {
		r.fail("vector of %d items does not fit its section", n)
		return 0
	}
	return n
}

// appendU32 encodes an unsigned number.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendI32 encodes a signed number.
func appendI32(b []byte, v int32) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// appendName encodes a length-prefixed string.
func appendName(b []byte, s string) []byte {
	return append(appendU32(b, uint32(len(s))), s...)
}

// appendSection encodes a section.
func appendSection(b []byte, id byte, body []byte) []byte {
	b = append(b, id)
	b = appendU32(b, uint32(len(body)))
	return append(b, body...)
}
