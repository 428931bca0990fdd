package fuel

import "wb/sandbox/wasmbin"

// reader decodes a section.
type reader struct{ wasmbin.Reader }

func newReader(section []byte) *reader { return &reader{wasmbin.Reader{Data: section}} }

// count reads the length of a vector whose items take at least one byte each.
func (r *reader) count() uint32 {
	n := r.U32()
	if uint64(n) > uint64(len(r.Data)-r.Pos) {
		r.Fail("vector of %d items does not fit its section", n)
		return 0
	}
	return n
}
