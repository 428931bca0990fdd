package component

import "fmt"

// reader decodes. The first error sticks and moves the position to the end, so that
// loops end.
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
	if r.done() {
		r.fail("unexpected end")
		return 0
	}
	c := r.b[r.p]
	r.p++
	return c
}

func (r *reader) u32() uint32 {
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail("number too large")
	return 0
}

// leb passes over a number of whatever size.
func (r *reader) leb() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("number too long")
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)-r.p) {
		r.fail("unexpected end")
		return nil
	}
	r.p += int(n)
	return r.b[r.p-int(n) : r.p]
}

func (r *reader) name() string { return string(r.bytes(r.u32())) }

// each calls item for each element of a vector.
func (r *reader) each(item func()) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		item()
	}
}

// section is a part of a module or component.
type section struct {
	id   byte
	body []byte
}

// sections takes a module or component apart.
func sections(wasm []byte) ([]section, error) {
	r := &reader{b: wasm, p: 8}
	var list []section
	for !r.done() {
		id := r.byte()
		list = append(list, section{id, r.bytes(r.u32())})
	}
	return list, r.err
}

func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendName(b []byte, s string) []byte { return append(appendU32(b, uint32(len(s))), s...) }
