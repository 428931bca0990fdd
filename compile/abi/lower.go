package abi

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"wb/internal/value"
)

// frame is the memory of one call: the argument struct, the result struct, and
// everything the arguments point to, with places that hold pointers relative
// to the frame's own start.
type frame struct {
	bytes    []byte
	pointers []uint32 // offsets of pointers to relocate
	result   uint32   // offset of the result struct
}

// MaxArguments bounds what one call may pass, in bytes.
const MaxArguments = 1 << 30

// lower lays out the arguments of a call. They have been fitted to the
// signature already.
func lower(sig *value.Sig, args []value.Value) (*frame, error) {
	types := Types(sig.Params)
	f := &frame{}
	start := f.reserve(structOf(types))
	f.result = f.reserve(structOf(Types(sig.Results)))
	for i, offset := range offsets(types) {
		if err := f.put(start+offset, types[i], args[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", sig.Params[i].Name, err)
		}
	}
	return f, nil
}

// reserve adds zeroed room and returns its offset.
func (f *frame) reserve(l layout) uint32 {
	offset := alignUp(uint32(len(f.bytes)), l.align)
	f.bytes = append(f.bytes, make([]byte, int(offset)-len(f.bytes)+int(l.size))...)
	return offset
}

// point writes a pointer to another place of the frame.
func (f *frame) point(at, to uint32) {
	binary.LittleEndian.PutUint32(f.bytes[at:], to)
	f.pointers = append(f.pointers, at)
}

// put writes v as type t at an offset.
func (f *frame) put(at uint32, t value.Type, v value.Value) error {
	switch t.Kind {
	case value.TypeBool:
		if v.Bool() {
			f.bytes[at] = 1
		}
	case value.TypeS32, value.TypeU32:
		binary.LittleEndian.PutUint32(f.bytes[at:], uint32(v.Int()))
	case value.TypeS64, value.TypeU64:
		binary.LittleEndian.PutUint64(f.bytes[at:], v.Uint())
	case value.TypeF32:
		binary.LittleEndian.PutUint32(f.bytes[at:], math.Float32bits(float32(v.Float())))
	case value.TypeF64:
		binary.LittleEndian.PutUint64(f.bytes[at:], math.Float64bits(v.Float()))
	case value.TypeString:
		return f.putString(at, v.Text())
	case value.TypeList:
		return f.putList(at, t.Args[0], v.Items())
	case value.TypeOption:
		return f.putOption(at, t.Args[0], v)
	case value.TypeResult:
		return f.putResult(at, t, v)
	case value.TypeTuple:
		return f.putMembers(at, t.Args, v.Items())
	case value.TypeRecord:
		members := make([]value.Value, len(t.Fields))
		for i, field := range t.Fields {
			members[i], _ = v.Get(field.Name)
		}
		return f.putMembers(at, Types(t.Fields), members)
	}
	return nil
}

func (f *frame) putString(at uint32, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("the text contains a NUL byte, which ends a C string")
	}
	if len(f.bytes)+len(text) > MaxArguments {
		return errTooLarge
	}
	f.point(at, uint32(len(f.bytes)))
	f.bytes = append(append(f.bytes, text...), 0)
	return nil
}

var errTooLarge = fmt.Errorf("the arguments exceed %d bytes", MaxArguments)

func (f *frame) putList(at uint32, t value.Type, items []value.Value) error {
	element := layoutOf(t).padded()
	if uint64(len(f.bytes))+uint64(len(items))*uint64(element.size) > MaxArguments {
		return errTooLarge
	}
	// An empty list still points somewhere: null would be none.
	to := f.reserve(layout{uint32(len(items)) * element.size, element.align})
	f.point(at, to)
	binary.LittleEndian.PutUint32(f.bytes[at+pointerSize:], uint32(len(items)))
	for i, item := range items {
		if err := f.put(to+uint32(i)*element.size, t, item); err != nil {
			return err
		}
	}
	return nil
}

func (f *frame) putOption(at uint32, t value.Type, v value.Value) error {
	if v.IsNull() {
		return nil
	}
	if t.Kind == value.TypeString || t.Kind == value.TypeList {
		return f.put(at, t, v)
	}
	to := f.reserve(layoutOf(t))
	f.point(at, to)
	return f.put(to, t, v)
}

func (f *frame) putResult(at uint32, t value.Type, v value.Value) error {
	offset, _ := resultOffset(t)
	if inner, ok := v.Get("ok"); ok {
		return f.put(at+offset, t.Args[0], inner)
	}
	f.bytes[at] = 1
	inner, _ := v.Get("err")
	return f.put(at+offset, t.Args[1], inner)
}

func (f *frame) putMembers(at uint32, types []value.Type, members []value.Value) error {
	for i, offset := range offsets(types) {
		if err := f.put(at+offset, types[i], members[i]); err != nil {
			return err
		}
	}
	return nil
}

// relocate turns the frame's pointers into addresses for a frame at base.
func (f *frame) relocate(base uint32) {
	for _, at := range f.pointers {
		place := f.bytes[at : at+pointerSize]
		binary.LittleEndian.PutUint32(place, base+binary.LittleEndian.Uint32(place))
	}
}
