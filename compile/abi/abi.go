// Package abi carries typed calls into a wasm program and back: the values of
// a [value.Sig] become C data in the guest's memory, and what the function
// leaves there becomes values again.
//
// A program built for it exports two functions, which each compiled lane
// generates beside the author's own:
//
//	void *wb_alloc(size_t n);              // memory for the arguments
//	void wb_call(void *args, void *result) // calls the author's function
//
// args points to a struct with one member per parameter, result to a struct
// with one member per result. Data are laid out as a C compiler for wasm32
// does, so that the generated code has nothing to convert:
//
//	bool                       _Bool                     1 byte
//	s32 u32 f32 · s64 u64 f64  int32_t … · int64_t …     4 · 8 bytes
//	string                     char *                    ends in NUL
//	list<T>                    struct { T *ptr; size_t len; }
//	option<T>                  T *                       null is none
//	option<string>             char *                    null is none
//	option<list<T>>            the list                  ptr null is none
//	result<T,E>                struct { bool is_err; union { T ok; E err; }; }
//	tuple<A,B>                 struct { A f0; B f1; }
//	record {a: A}              struct { A a; }
//
// Values are checked against the signature on both sides. Nothing a guest
// returns can make the host read outside its memory or build values of more
// than [MaxResult] bytes.
package abi

import (
	"fmt"

	"wb/internal/value"
)

// The names of the generated functions.
const (
	AllocFunc = "wb_alloc"
	CallFunc  = "wb_call"
)

// MaxResult bounds what one call may return, in bytes of the host's memory.
const MaxResult = 1 << 30

const pointerSize = 4

// layout is the size and alignment of a type in bytes.
type layout struct{ size, align uint32 }

func (l layout) then(next layout) (offset uint32, sum layout) {
	offset = alignUp(l.size, next.align)
	return offset, layout{offset + next.size, max(l.align, next.align)}
}

// padded rounds the size up, as arrays of the type need.
func (l layout) padded() layout { return layout{alignUp(l.size, l.align), l.align} }

func alignUp(n, align uint32) uint32 { return (n + align - 1) / align * align }

// layoutOf is how a type lies in memory.
func layoutOf(t value.Type) layout {
	switch t.Kind {
	case value.TypeBool:
		return layout{1, 1}
	case value.TypeS32, value.TypeU32, value.TypeF32, value.TypeString:
		return layout{4, 4}
	case value.TypeS64, value.TypeU64, value.TypeF64:
		return layout{8, 8}
	case value.TypeList:
		return layout{2 * pointerSize, pointerSize}
	case value.TypeOption:
		if t.Args[0].Kind == value.TypeList {
			return layoutOf(t.Args[0])
		}
		return layout{pointerSize, pointerSize}
	case value.TypeResult:
		_, whole := resultOffset(t)
		return whole
	case value.TypeTuple:
		return structOf(t.Args)
	case value.TypeRecord:
		return structOf(Types(t.Fields))
	}
	panic(fmt.Sprintf("abi: no layout for type %s", t)) // ParseSig makes no other kinds
}

// structOf is the layout of a struct with members of the given types.
func structOf(members []value.Type) layout {
	sum := layout{0, 1}
	for _, m := range members {
		_, sum = sum.then(layoutOf(m))
	}
	return sum.padded()
}

// offsets are where the members of such a struct lie.
func offsets(members []value.Type) []uint32 {
	list := make([]uint32, len(members))
	sum := layout{0, 1}
	for i, m := range members {
		list[i], sum = sum.then(layoutOf(m))
	}
	return list
}

// resultOffset is where the union of a result lies, and the whole layout.
func resultOffset(t value.Type) (uint32, layout) {
	ok, failed := layoutOf(t.Args[0]), layoutOf(t.Args[1])
	union := layout{max(ok.size, failed.size), max(ok.align, failed.align)}.padded()
	offset, whole := layout{1, 1}.then(union)
	return offset, whole.padded()
}

// Types are the types of parameters, results or members.
func Types(params []value.Param) []value.Type {
	types := make([]value.Type, len(params))
	for i, p := range params {
		types[i] = p.Type
	}
	return types
}

// Size is how many bytes a type takes as a member of a struct or as an element
// of a list, for lanes whose glue computes addresses by itself.
func Size(t value.Type) uint32 { return layoutOf(t).padded().size }

// Offsets are where the members of a struct of the given types lie, in bytes.
func Offsets(types []value.Type) []uint32 { return offsets(types) }

// UnionOffset is where the value of a result<T,E> lies, behind is_err.
func UnionOffset(t value.Type) uint32 {
	offset, _ := resultOffset(t)
	return offset
}
