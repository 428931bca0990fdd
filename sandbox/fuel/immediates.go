package fuel

// immediates passes over what follows an instruction's code, refusing the
// instructions the rewriter does not know. For one behind the prefix 0xfc it
// returns the second code.
func (b *body) immediates(op byte) uint32 {
	switch {
	case op >= opLocalGet && op <= opLocalTee:
		b.index("local", b.local)
	case op == opGlobalGet || op == opGlobalSet:
		b.index("global", b.counter)
	case op == opBlock || op == opLoop || op == opIf:
		b.blockType()
	case op == opTableGet || op == opTableSet,
		op == opI32Const, op == opCall, op == opReturnCall, op == opBr, op == opBrIf,
		op == opRefFunc, op == opRefNull:
		b.Leb(5)
	case op >= opI32Eqz && op <= opI64Extend32S,
		op <= opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op == opRefIsNull:
	case op >= opI32Load && op <= opI64Store32:
		b.memarg()
	case op == opI64Const:
		b.Leb(10)
	case op == opF32Const:
		b.Skip(4)
	case op == opF64Const:
		b.Skip(8)
	case op == opMemorySize || op == opMemoryGrow:
		b.memoryIndex()
	case op == opBrTable:
		for n := uint64(b.count()) + 1; n > 0 && b.Err == nil; n-- {
			b.Leb(5)
		}
	case op == opCallIndirect || op == opReturnCallIndirect:
		b.index("type", b.yieldType)
		b.Leb(5)
	case op == opSelectTyped:
		for n := b.count(); n > 0 && b.Err == nil; n-- {
			b.valueType()
		}
	case op == opTryTable:
		b.tryTable()
	case op == opThrow:
		b.checkExceptions(op)
		b.Leb(5)
	case op == opThrowRef:
		b.checkExceptions(op)
	case op == opPrefixMisc:
		return b.miscImmediates()
	case op == opPrefixSIMD:
		b.simdImmediates()
	case op == opPrefixThreads:
		b.Fail("threads are not supported")
	default:
		b.Fail("unknown instruction %#x", op)
	}
	return 0
}

func (b *body) checkExceptions(op byte) {
	if !b.opts.Exceptions {
		b.Fail("exceptions are not supported (instruction %#x)", op)
	}
}

// memarg passes over an alignment and an offset.
func (b *body) memarg() {
	if align := b.U32(); align >= 32 {
		b.Fail("several memories are not supported")
	}
	b.Leb(5)
}

// memoryIndex passes over the index of the only memory there is.
func (b *body) memoryIndex() {
	if b.Byte() != 0 {
		b.Fail("several memories are not supported")
	}
}

// index passes over an index that must be below limit: what the rewriter adds
// comes right after what the module has, and must stay out of its reach.
func (r *reader) index(kind string, limit uint32) {
	if i := r.U32(); i >= limit && r.Err == nil {
		r.Fail("unknown %s %d", kind, i)
	}
}

// blockType passes over a value type, or the index of a function type.
func (b *body) blockType() {
	if b.Pos < len(b.Data) && b.Data[b.Pos]&0xc0 == 0x40 { // a negative number of one byte
		b.Pos++
		return
	}
	b.index("type", b.yieldType)
}

func (b *body) tryTable() {
	b.checkExceptions(opTryTable)
	b.blockType()
	for n := b.count(); n > 0 && b.Err == nil; n-- {
		switch kind := b.Byte(); {
		case kind < 2: // catch, catch_ref: a tag
			b.Leb(5)
		case kind > 3:
			b.Fail("invalid catch clause %#x", kind)
		}
		b.Leb(5)
	}
}

func (b *body) miscImmediates() uint32 {
	sub := b.U32()
	switch {
	case sub <= miscTruncLast:
	case sub == miscMemoryInit:
		b.Leb(5)
		b.memoryIndex()
	case sub == miscMemoryCopy:
		b.memoryIndex()
		b.memoryIndex()
	case sub == miscMemoryFill:
		b.memoryIndex()
	case sub == miscTableInit || sub == miscTableCopy:
		b.Leb(5)
		b.Leb(5)
	case sub <= miscTableFill:
		b.Leb(5)
	default:
		b.Fail("unknown instruction %#x %#x", opPrefixMisc, sub)
	}
	return sub
}

func (b *body) simdImmediates() {
	switch sub := b.U32(); {
	case sub <= simdLoadStoreLast, sub == simdLoadZeroFirst, sub == simdLoadZeroLast:
		b.memarg()
	case sub == simdConst, sub == simdShuffle:
		b.Skip(16)
	case sub >= simdLaneFirst && sub <= simdLaneLast:
		b.Skip(1)
	case sub >= simdMemLaneFirst && sub <= simdMemLaneLast:
		b.memarg()
		b.Skip(1)
	case sub > simdLast:
		b.Fail("unknown instruction %#x %#x", opPrefixSIMD, sub)
	}
}
