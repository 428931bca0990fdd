package component

import "wb/sandbox/wasmbin"

// numbering says where what a module counts stands in the module that all become.
type numbering struct {
	funcs, tables, globals          []uint32
	memories                        int
	types, elements, data           uint32   // what is added
	constants                       [][]byte // by global: its expression without its end, nil for what changes
	typeCount, elemCount, dataCount uint32
}

func (n *numbering) lookup(r *reader, list []uint32) uint32 {
	i := r.U32()
	if i >= uint32(len(list)) {
		r.Fail("unknown index %d", i)
		return 0
	}
	return list[i]
}

func (n *numbering) added(r *reader, base, count uint32) uint32 {
	i := r.U32()
	if i >= count {
		r.Fail("unknown index %d", i)
	}
	return base + i
}

// constant renumbers a constant expression. The value of a global takes its place: in
// one module globals are no imports any more, of which alone an expression may speak.
func (n *numbering) constant(out []byte, r *reader) []byte {
	for r.Err == nil {
		from := r.Pos
		switch r.Byte() {
		case 0x0b:
			return append(out, 0x0b)
		case 0x23:
			init := n.constants[min(n.lookup(r, n.globals), uint32(len(n.constants)-1))]
			if init == nil {
				r.Fail("an expression uses a global that changes")
			}
			out = append(out, init...)
		case 0xd2:
			out = wasmbin.AppendU32(append(out, 0xd2), n.lookup(r, n.funcs))
		default:
			r.Pos = from
			one := newReader(r.Data[from:])
			one.instruction()
			if r.Err = one.Err; r.Err == nil {
				out = append(out, r.Data[from:from+one.Pos]...)
				r.Pos = from + one.Pos
			}
		}
	}
	return out
}

// instruction passes over one instruction of a constant expression.
func (r *reader) instruction() {
	switch r.Byte() {
	case 0x41, 0x42:
		r.leb()
	case 0x43:
		r.Bytes(4)
	case 0x44:
		r.Bytes(8)
	case 0xd0:
		r.Byte()
	case 0xfd:
		r.U32()
		r.Bytes(16)
	}
}

// element renumbers a segment of elements.
func (n *numbering) element(out []byte, r *reader) []byte {
	flags := r.U32()
	if flags > 7 {
		r.Fail("unknown kind of element segment")
	}
	active, indexed, expressions := flags&1 == 0, flags&2 != 0, flags&4 != 0
	table := uint32(0)
	if active {
		if indexed {
			table = n.lookup(r, n.tables)
		} else if len(n.tables) > 0 {
			table = n.tables[0]
		}
		flags |= 2
	}
	out = wasmbin.AppendU32(out, flags)
	if active {
		out = n.constant(wasmbin.AppendU32(out, table), r)
	}
	switch {
	case !active || indexed:
		out = append(out, r.Byte())
	case expressions:
		out = append(out, 0x70)
	default:
		out = append(out, 0)
	}
	count := r.U32()
	out = wasmbin.AppendU32(out, count)
	for ; count > 0 && r.Err == nil; count-- {
		if expressions {
			out = n.constant(out, r)
		} else {
			out = wasmbin.AppendU32(out, n.lookup(r, n.funcs))
		}
	}
	return out
}

// segment renumbers a segment of data.
func (n *numbering) segment(out []byte, r *reader) []byte {
	switch flags := r.U32(); flags {
	case 2:
		if r.U32() != 0 {
			r.Fail("several memories")
		}
		fallthrough
	case 0:
		out = n.constant(append(out, 0), r)
	case 1:
		out = append(out, 1)
	default:
		r.Fail("unknown kind of data segment")
	}
	data := r.Bytes(r.U32())
	return append(wasmbin.AppendU32(out, uint32(len(data))), data...)
}

// body renumbers the code of a function.
func (n *numbering) body(out []byte, body []byte) ([]byte, error) {
	r := newReader(body)
	r.each(func() { r.U32(); r.Byte() })
	out = append(out, body[:r.Pos]...)
	for !r.Done() {
		from := r.Pos
		op := r.Byte()
		put := func(indices ...uint32) {
			out = append(out, op)
			for _, i := range indices {
				out = wasmbin.AppendU32(out, i)
			}
			from = r.Pos
		}
		switch {
		case op == 0x10 || op == 0x12 || op == 0xd2: // call, return_call, ref.func
			put(n.lookup(r, n.funcs))
		case op == 0x11 || op == 0x13: // call_indirect, return_call_indirect
			put(n.added(r, n.types, n.typeCount), n.lookup(r, n.tables))
		case op == 0x23 || op == 0x24: // global.get, global.set
			put(n.lookup(r, n.globals))
		case op == 0x25 || op == 0x26: // table.get, table.set
			put(n.lookup(r, n.tables))
		case op == 0x02 || op == 0x03 || op == 0x04: // block, loop, if
			if r.Pos < len(r.Data) && r.Data[r.Pos]&0xc0 == 0x40 {
				r.Pos++
				break
			}
			put() // a type's number is written with a sign
			out = appendS33(out, n.added(r, n.types, n.typeCount))
			from = r.Pos
		case op == 0xfc:
			out, from = n.misc(out, r, from)
		default:
			r.immediates(op)
		}
		if r.Err == nil {
			out = append(out, r.Data[from:r.Pos]...)
		}
	}
	return out, r.Err
}

// misc renumbers an instruction behind the prefix 0xfc; what is not written yet begins
// at from.
func (n *numbering) misc(out []byte, r *reader, from int) ([]byte, int) {
	sub := r.U32()
	put := func(indices ...uint32) ([]byte, int) {
		out = wasmbin.AppendU32(append(out, 0xfc), sub)
		for _, i := range indices {
			out = wasmbin.AppendU32(out, i)
		}
		return out, r.Pos
	}
	switch {
	case sub <= 7: // saturating truncation
	case sub == 8: // memory.init
		segment := n.added(r, n.data, n.dataCount)
		return put(segment, r.U32())
	case sub == 9: // data.drop
		return put(n.added(r, n.data, n.dataCount))
	case sub == 10:
		r.U32()
		r.U32()
	case sub == 11:
		r.U32()
	case sub == 12: // table.init
		segment := n.added(r, n.elements, n.elemCount)
		return put(segment, n.lookup(r, n.tables))
	case sub == 13: // elem.drop
		return put(n.added(r, n.elements, n.elemCount))
	case sub == 14: // table.copy
		to := n.lookup(r, n.tables)
		return put(to, n.lookup(r, n.tables))
	case sub <= 17: // table.grow, size, fill
		return put(n.lookup(r, n.tables))
	default:
		r.Fail("unknown instruction 0xfc %#x", sub)
	}
	return out, from
}

// immediates passes over what follows an instruction that names nothing of the module.
func (r *reader) immediates(op byte) {
	switch {
	case op == 0x0c || op == 0x0d, op >= 0x20 && op <= 0x22, op == 0x41, op == 0x42, op == 0xd0:
		r.leb()
	case op == 0x0e: // br_table
		for n := uint64(r.U32()) + 1; n > 0 && r.Err == nil; n-- {
			r.U32()
		}
	case op == 0x1c: // select with types
		r.Bytes(r.U32())
	case op >= 0x28 && op <= 0x3e:
		r.memarg()
	case op == 0x3f || op == 0x40:
		r.Byte()
	case op == 0x43:
		r.Bytes(4)
	case op == 0x44:
		r.Bytes(8)
	case op == 0xfd:
		r.vector()
	case op >= 0x45 && op <= 0xc4, op <= 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, op == 0xd1:
	default:
		r.Fail("instruction %#x is not supported", op)
	}
}

func (r *reader) memarg() {
	if r.U32() >= 32 {
		r.Fail("several memories")
	}
	r.leb()
}

// vector passes over what follows an instruction on vectors.
func (r *reader) vector() {
	switch sub := r.U32(); {
	case sub <= 11, sub == 92, sub == 93:
		r.memarg()
	case sub == 12, sub == 13:
		r.Bytes(16)
	case sub >= 21 && sub <= 34:
		r.Byte()
	case sub >= 84 && sub <= 91:
		r.memarg()
		r.Byte()
	}
}

// appendS33 encodes a number that is not negative as one with a sign.
func appendS33(b []byte, v uint32) []byte {
	for v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
