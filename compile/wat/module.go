package wat

import (
	"errors"
	"fmt"

	"wb/sandbox"
)

// funcType is the signature of a function.
type funcType struct {
	params, results []sandbox.ValueType
}

// export is one exported function.
type export struct {
	name string
	funcType
}

// exportedFuncs reads which functions a binary module exports. Wat2wasm has
// checked the module, so what is not understood is an error of ours.
func exportedFuncs(wasm []byte) (funcs []export, memory bool, err error) {
	r := &reader{b: wasm, at: 8}
	var types []funcType
	var indices []uint32 // type of each function
	for r.at < len(r.b) && r.err == nil {
		id := r.byte()
		end := int(r.u32()) + r.at
		switch id {
		case 1:
			types = r.types()
		case 2:
			indices = r.imported()
		case 3:
			for range r.u32() {
				indices = append(indices, r.u32())
			}
		case 7:
			for range r.u32() {
				name, kind, index := r.name(), r.byte(), r.u32()
				switch {
				case kind == 2:
					memory = memory || name == "memory"
				case kind == 0 && int(index) < len(indices) && int(indices[index]) < len(types):
					funcs = append(funcs, export{name, types[indices[index]]})
				}
			}
		}
		r.at = end
	}
	return funcs, memory, r.err
}

// reader reads the parts of a module; after an error it gives zeroes.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) byte() byte {
	if r.at < 0 || r.at >= len(r.b) {
		r.err = errors.New("the module ends too early")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) u32() (v uint32) {
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint32(c&0x7f) << shift
		if c&0x80 == 0 || r.err != nil {
			return v
		}
	}
	r.err = errors.New("a number is too long")
	return 0
}

func (r *reader) name() string {
	n := int(r.u32())
	if n > len(r.b)-r.at {
		r.err = errors.New("a name ends too late")
		return ""
	}
	r.at += n
	return string(r.b[r.at-n : r.at])
}

func (r *reader) valueTypes() (list []sandbox.ValueType) {
	for range r.u32() {
		if list = append(list, r.byte()); r.err != nil {
			return nil
		}
	}
	return list
}

func (r *reader) types() (list []funcType) {
	for range r.u32() {
		if form := r.byte(); form != 0x60 && r.err == nil {
			r.err = fmt.Errorf("type of form %#x", form)
		}
		if r.err != nil {
			return nil
		}
		list = append(list, funcType{r.valueTypes(), r.valueTypes()})
	}
	return list
}

// imported are the types of the imported functions.
func (r *reader) imported() (indices []uint32) {
	for range r.u32() {
		r.name()
		r.name()
		switch kind := r.byte(); kind {
		case 0:
			indices = append(indices, r.u32())
		case 1:
			r.byte()
			r.limits()
		case 2:
			r.limits()
		case 3:
			r.byte()
			r.byte()
		default:
			r.err = fmt.Errorf("import of kind %d", kind)
		}
		if r.err != nil {
			return nil
		}
	}
	return indices
}

func (r *reader) limits() {
	flags := r.byte()
	r.u32()
	if flags&1 != 0 {
		r.u32()
	}
}
