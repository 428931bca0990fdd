package abi

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"wb/internal/value"
)

// memory is the part of a guest that lifting needs.
type memory interface {
	Size() uint32
	Read(offset, n uint32) ([]byte, bool)
}

// lifter reads values out of guest memory. The guest is not trusted: every
// pointer is checked and the total is bounded.
type lifter struct {
	memory memory
	budget int64 // bytes of the host that may still be used
}

// valueCost is what a value takes on the host besides its text, in bytes: a
// guest's million of booleans is more than a megabyte here.
const valueCost = 160

// lift reads the result struct at an address: null, the lone result, or an
// object of the named ones.
func lift(m memory, sig *value.Sig, at uint32) (value.Value, error) {
	l := &lifter{memory: m, budget: MaxResult}
	types := Types(sig.Results)
	places := offsets(types)
	switch {
	case len(types) == 0:
		return value.Nil(), nil
	case len(types) == 1 && sig.Results[0].Name == "":
		return l.get("result", at, types[0])
	}
	fields := make([]value.Field, len(types))
	for i, t := range types {
		name := sig.Results[i].Name
		v, err := l.get(name, at+places[i], t)
		if err != nil {
			return value.Value{}, err
		}
		fields[i] = value.Field{Name: name, Value: v}
	}
	return value.OfObject(fields...), nil
}

// read returns n bytes at an address, at the budget's cost.
func (l *lifter) read(path string, at, n uint32) ([]byte, error) {
	if l.budget -= int64(n) + valueCost; l.budget < 0 {
		return nil, fmt.Errorf("%s: the function returned more than %d MiB of values", path, MaxResult>>20)
	}
	data, ok := l.memory.Read(at, n)
	if !ok {
		return nil, fmt.Errorf("%s: the function returned a pointer outside its memory", path)
	}
	return data, nil
}

func (l *lifter) word(path string, at uint32) (uint32, error) {
	data, err := l.read(path, at, 4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(data), nil
}

// get reads a value of type t at an address.
func (l *lifter) get(path string, at uint32, t value.Type) (value.Value, error) {
	switch t.Kind {
	case value.TypeString:
		to, err := l.word(path, at)
		if err != nil {
			return value.Value{}, err
		}
		return l.text(path, to)
	case value.TypeList:
		return l.list(path, at, t.Args[0])
	case value.TypeOption:
		return l.option(path, at, t.Args[0])
	case value.TypeResult:
		return l.result(path, at, t)
	case value.TypeTuple:
		items := make([]value.Value, len(t.Args))
		for i, offset := range offsets(t.Args) {
			item, err := l.get(path+"["+strconv.Itoa(i)+"]", at+offset, t.Args[i])
			if err != nil {
				return value.Value{}, err
			}
			items[i] = item
		}
		return value.OfList(items...), nil
	case value.TypeRecord:
		fields := make([]value.Field, len(t.Fields))
		for i, offset := range offsets(Types(t.Fields)) {
			v, err := l.get(path+"."+t.Fields[i].Name, at+offset, t.Fields[i].Type)
			if err != nil {
				return value.Value{}, err
			}
			fields[i] = value.Field{Name: t.Fields[i].Name, Value: v}
		}
		return value.OfObject(fields...), nil
	}
	data, err := l.read(path, at, layoutOf(t).size)
	if err != nil {
		return value.Value{}, err
	}
	return scalar(t.Kind, data), nil
}

func isScalar(kind value.TypeKind) bool {
	switch kind {
	case value.TypeBool, value.TypeS32, value.TypeU32, value.TypeF32, value.TypeS64, value.TypeU64, value.TypeF64:
		return true
	}
	return false
}

func scalar(kind value.TypeKind, data []byte) value.Value {
	switch kind {
	case value.TypeBool:
		return value.OfBool(data[0] != 0)
	case value.TypeS32:
		return value.OfInt(int64(int32(binary.LittleEndian.Uint32(data))))
	case value.TypeU32:
		return value.OfInt(int64(binary.LittleEndian.Uint32(data)))
	case value.TypeF32:
		return value.OfFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	case value.TypeF64:
		return value.OfFloat(math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	word := binary.LittleEndian.Uint64(data)
	if kind == value.TypeU64 {
		return value.OfUint(word)
	}
	return value.OfInt(int64(word))
}

// text reads bytes up to a NUL.
func (l *lifter) text(path string, at uint32) (value.Value, error) {
	if at == 0 {
		return value.Value{}, fmt.Errorf("%s: the function returned a null string", path)
	}
	size := l.memory.Size()
	if at >= size {
		return value.Value{}, fmt.Errorf("%s: the function returned a pointer outside its memory", path)
	}
	rest, _ := l.memory.Read(at, size-at)
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return value.Value{}, fmt.Errorf("%s: the function returned a string without an end", path)
	}
	data, err := l.read(path, at, uint32(end))
	return value.OfString(string(data)), err
}

func (l *lifter) list(path string, at uint32, t value.Type) (value.Value, error) {
	head, err := l.read(path, at, 2*pointerSize)
	if err != nil {
		return value.Value{}, err
	}
	to, length := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[pointerSize:])
	element := layoutOf(t).padded()
	if end := uint64(to) + uint64(length)*uint64(element.size); end > uint64(l.memory.Size()) {
		return value.Value{}, fmt.Errorf("%s: the function returned a list of %d elements, more than its memory holds", path, length)
	}
	if int64(length) > l.budget/valueCost {
		return value.Value{}, fmt.Errorf("%s: the function returned a list of %d elements, more than %d MiB of values", path, length, MaxResult>>20)
	}
	items := make([]value.Value, length)
	if isScalar(t.Kind) { // one read for all of them
		l.budget -= int64(length) * valueCost
		data, err := l.read(path, to, length*element.size)
		for i := range items {
			if err == nil {
				items[i] = scalar(t.Kind, data[uint32(i)*element.size:])
			}
		}
		return value.OfList(items...), err
	}
	for i := range items {
		if items[i], err = l.get(path+"["+strconv.Itoa(i)+"]", to+uint32(i)*element.size, t); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfList(items...), nil
}

func (l *lifter) option(path string, at uint32, t value.Type) (value.Value, error) {
	to, err := l.word(path, at)
	switch {
	case err != nil || to == 0:
		return value.Nil(), err
	case t.Kind == value.TypeString:
		return l.text(path, to)
	case t.Kind == value.TypeList:
		return l.list(path, at, t.Args[0])
	}
	return l.get(path, to, t)
}

func (l *lifter) result(path string, at uint32, t value.Type) (value.Value, error) {
	flag, err := l.read(path, at, 1)
	if err != nil {
		return value.Value{}, err
	}
	side, name := t.Args[0], "ok"
	if flag[0] != 0 {
		side, name = t.Args[1], "err"
	}
	offset, _ := resultOffset(t)
	v, err := l.get(path+"."+name, at+offset, side)
	return value.OfObject(value.Field{Name: name, Value: v}), err
}
