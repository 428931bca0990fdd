package component

import "wb/sandbox/wasmbin"

// reader decodes a section.
type reader struct{ wasmbin.Reader }

func newReader(section []byte) *reader { return &reader{wasmbin.Reader{Data: section}} }

// leb passes over a number of whatever size.
func (r *reader) leb() { r.Leb(10) }

func (r *reader) name() string { return string(r.Name()) }

// each calls item for each element of a vector.
func (r *reader) each(item func()) {
	for n := r.U32(); n > 0 && r.Err == nil; n-- {
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
	r := newReader(wasm)
	r.Pos = 8
	var list []section
	for !r.Done() {
		id := r.Byte()
		list = append(list, section{id, r.Bytes(r.U32())})
	}
	return list, r.Err
}
