package fuel

import "wb/sandbox/wasmbin"

// This file emits the code of a site. A site makes sure that the counter is
// above zero, asking the host for more if not, and subtracts one:
//
//	if counter < 1 { counter = yield(counter) }
//	counter -= 1
//
// The counter is a local in a cached body, the global otherwise.

// entrySite starts a function.
func (b *body) entrySite() {
	if b.cached {
		b.global(opGlobalGet)
		b.localOp(opLocalSet)
	}
	if len(b.leaves) > 0 || b.calls || b.bulk || b.cost > smallLeaf {
		b.site()
	}
}

func (b *body) site() {
	b.info.Sites++
	if b.cached {
		b.askIfEmpty()
		b.burnOne()
	} else {
		b.global(opGlobalGet)
		b.localOp(opLocalSet)
		b.askIfEmpty()
		b.localOp(opLocalGet)
		b.out = append(b.out, opI32Const, 1, opI32Sub)
		b.global(opGlobalSet)
	}
	b.run = 0
}

// askIfEmpty gets the local counter refilled by the host when it is used up:
//
//	loop
//	  block
//	    if counter >= 1 { br 0 }
//	    counter = yield(counter)
//	    br 1
//
// The call leads back to the test instead of onwards, because wazero's
// register allocator goes on from whichever path it has seen first: so that is
// the one without the call, and the values of the function stay in registers.
func (b *body) askIfEmpty() {
	b.out = append(b.out, opLoop, blockVoid, opBlock, blockVoid)
	b.localOp(opLocalGet)
	b.out = append(b.out, opI32Const, 1, opI32GeS, opBrIf, 0)
	b.localOp(opLocalGet)
	b.out = wasmbin.AppendU32(append(b.out, opCall), b.yield)
	b.localOp(opLocalSet)
	b.out = append(b.out, opBr, 1, opEnd, opEnd)
}

// burnOne subtracts one without looking. The counter may fall below zero; the
// next site that looks notices.
func (b *body) burnOne() {
	get, set := b.global, b.global
	getOp, setOp := byte(opGlobalGet), byte(opGlobalSet)
	if b.cached {
		get, set = b.localOp, b.localOp
		getOp, setOp = opLocalGet, opLocalSet
	}
	get(getOp)
	b.out = append(b.out, opI32Const, 1, opI32Sub)
	set(setOp)
}

// bulkSite burns a unit for each BytesPerUnit of the length on the stack,
// besides the unit of a site.
func (b *body) bulkSite() {
	const shift = 6 // log2(BytesPerUnit)
	b.out = wasmbin.AppendU32(append(b.out, opLocalTee), b.length)
	if b.cached {
		b.localOp(opLocalGet)
	} else {
		b.global(opGlobalGet)
	}
	b.out = wasmbin.AppendU32(append(b.out, opLocalGet), b.length)
	b.out = append(b.out, opI32Const, shift, opI32ShrU, opI32Sub)
	if b.cached {
		b.localOp(opLocalSet)
	} else {
		b.global(opGlobalSet)
	}
	b.site()
}

// enterLoop opens a loop whose header has just been read. A leaf loop becomes
// two:
//
//	loop $refill
//	  if counter < 1 { counter = yield(counter) }
//	  loop $body
//	    if counter < 1 { br $refill }
//	    counter -= 1
//	    …
//
// so that nothing in the inner loop is alive across a call, and the engine's
// register allocator keeps the loop's variables where they belong. With the
// call inside, a tight loop would take half as long again.
func (b *body) enterLoop(at int) {
	leaf := b.leaves[b.loop]
	b.loop++
	f := frame{op: opLoop, joinRun: -1, wrapped: leaf && b.cached && !b.dead}
	b.push(f)
	if b.dead {
		return
	}
	b.copyTo(b.Pos)
	if !f.wrapped {
		b.site()
		return
	}
	b.info.Sites++
	b.askIfEmpty()
	b.out = append(b.out, b.Data[at:b.Pos]...) // the loop instruction again
	b.localOp(opLocalGet)
	b.out = append(b.out, opI32Const, 1, opI32LtS, opBrIf, 1)
	b.burnOne()
	b.run = 0
}

// writeBack stores a cached counter where everybody finds it, before the
// instruction at an offset.
func (b *body) writeBack(at int) {
	if b.cached && !b.dead {
		b.copyTo(at)
		b.localOp(opLocalGet)
		b.global(opGlobalSet)
	}
}

// readBack loads a cached counter after others may have changed it.
func (b *body) readBack() {
	if b.cached && !b.dead {
		b.copyTo(b.Pos)
		b.global(opGlobalGet)
		b.localOp(opLocalSet)
	}
}

// localOp emits an instruction on the counter's local.
func (b *body) localOp(op byte) { b.out = wasmbin.AppendU32(append(b.out, op), b.local) }

// global emits an instruction on the counter's global.
func (b *body) global(op byte) { b.out = wasmbin.AppendU32(append(b.out, op), b.counter) }
