package fuel

import "wb/sandbox/wasmbin"

// codeSection rewrites every function body.
func (w *rewriter) codeSection(r *reader) []byte {
	n := r.count()
	if int(n) != len(w.funcs) {
		r.Fail("%d bodies for %d functions", n, len(w.funcs))
		return nil
	}
	out := make([]byte, 0, len(r.Data)+len(r.Data)/10+16)
	out = wasmbin.AppendU32(out, n)
	for i := uint32(0); i < n; i++ {
		code := r.Bytes(r.U32())
		if r.Err != nil {
			break
		}
		rewritten, err := w.function(code, w.types[w.funcs[i]].params)
		if err != nil {
			r.Fail("function %d: %w", w.importFuncs+i, err)
			break
		}
		out = wasmbin.AppendU32(out, uint32(len(rewritten)))
		out = append(out, rewritten...)
	}
	return out
}

// body is a function while it is being rewritten.
type body struct {
	*rewriter
	reader
	shape
	out  []byte
	from int // start of the input not yet copied

	local  uint32  // a local for the counter
	length uint32  // a local for the length of a bulk operation
	loop   int     // loops seen so far
	run    int     // cost of the longest path here since a site
	dead   bool    // no path leads here
	frames []frame // open blocks, outermost (the function) first
}

// shape holds the facts a first pass over a function body finds.
type shape struct {
	leaves []bool // for each loop, in order, whether it calls nothing
	calls  bool   // the function calls others
	bulk   bool   // it has instructions that work on ranges
	cost   int    // of all its instructions
	// cached is set when the counter is kept in a local while the function
	// runs: when it has a leaf loop, and catches no exceptions, which would
	// bring back an old value.
	cached bool
}

// frame is an open block.
type frame struct {
	op      byte
	ifRun   int  // run where the condition was, for else
	ifDead  bool // ditto
	joinRun int  // longest run of the branches to the end, -1: none
	wrapped bool // a loop inside a second one, see enterLoop
	levels  int  // how many of the frames up to this one are wrapped
}

// function rewrites one body. The result is valid until the next call.
func (w *rewriter) function(code []byte, params uint32) ([]byte, error) {
	b := &body{rewriter: w, reader: *newReader(code), out: w.scratch[:0], frames: w.frames[:0]}
	locals := b.skipLocals()
	if uint64(params)+locals > 1<<32-3 {
		b.Fail("too many locals")
	}
	b.local = params + uint32(locals)
	b.length = b.local + 1
	start := b.Pos
	b.survey()
	if b.Err != nil {
		return nil, b.Err
	}
	b.Pos, b.from = start, start
	b.declareLocals()
	b.rewrite()
	w.scratch, w.frames = b.out, b.frames
	return b.out, b.Err
}

// skipLocals passes over the declarations of locals and counts them.
func (b *body) skipLocals() uint64 {
	total := uint64(0)
	for n := b.count(); n > 0 && b.Err == nil; n-- {
		total += uint64(b.U32())
		b.valueType()
	}
	return total
}

// declareLocals copies the declarations and adds those a site needs.
func (b *body) declareLocals() {
	r := *newReader(b.Data)
	groups := r.U32()
	extra := byte(1)
	if b.bulk {
		extra = 2
	}
	b.out = wasmbin.AppendU32(b.out, groups+1)
	b.out = append(b.out, b.Data[r.Pos:b.from]...)
	b.out = append(b.out, extra, typeI32)
}

// survey reads the instructions once for their shape.
func (b *body) survey() {
	type loop struct{ index, depth int }
	var open []loop
	catches := false
	b.leaves = b.leafFlags[:0]
	for depth := 1; depth > 0 && b.Err == nil; {
		op := b.Byte()
		switch op {
		case opBlock, opIf, opTryTable:
			depth++
			catches = catches || op == opTryTable
		case opLoop:
			depth++
			open = append(open, loop{len(b.leaves), depth})
			b.leaves = append(b.leaves, true)
		case opEnd:
			if n := len(open) - 1; n >= 0 && open[n].depth == depth {
				leaf := b.leaves[open[n].index]
				b.cached = b.cached || leaf
				if n > 0 && !leaf {
					b.leaves[open[n-1].index] = false
				}
				open = open[:n]
			}
			depth--
		case opCall, opCallIndirect, opReturnCall, opReturnCallIndirect:
			b.calls = true
			if n := len(open) - 1; n >= 0 {
				b.leaves[open[n].index] = false
			}
		}
		b.cost += cost(op)
		if misc := b.immediates(op); op == opPrefixMisc && isBulk(misc) {
			b.bulk = true
		}
	}
	if b.Err == nil && !b.Done() {
		b.Fail("junk after the end")
	}
	b.cached = b.cached && !catches
	b.leafFlags = b.leaves
}

// isBulk reports whether an instruction behind 0xfc works on a range whose
// length is on top of the stack.
func isBulk(misc uint32) bool {
	switch misc {
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableGrow, miscTableFill:
		return true
	}
	return false
}

// rewrite copies the instructions, putting sites where they belong.
func (b *body) rewrite() {
	b.push(frame{joinRun: -1})
	b.entrySite()
	for len(b.frames) > 0 && b.Err == nil {
		at := b.Pos
		op := b.Byte()
		b.spend(at, cost(op))
		switch op {
		case opBlock, opIf, opTryTable:
			b.immediates(op)
			b.push(frame{op: op, ifRun: b.run, ifDead: b.dead, joinRun: -1})
			if op == opTryTable {
				b.catches()
			}
		case opLoop:
			b.immediates(op)
			b.enterLoop(at)
		case opElse:
			b.enterElse()
		case opEnd:
			b.end(at)
		case opBr, opBrIf:
			b.branch(op, at)
		case opBrTable:
			b.branchTable(at)
		case opReturn, opUnreachable, opThrow, opThrowRef:
			b.immediates(op)
			b.writeBack(at)
			b.dead = true
		case opCall, opReturnCall, opCallIndirect, opReturnCallIndirect:
			b.call(op, at)
		case opRefFunc:
			b.renumber(op, at)
		case opPrefixMisc:
			b.misc(at)
		case opMemoryGrow:
			b.immediates(op)
			if b.opts.Portable { // which does not look at the counter
				b.copyTo(b.Pos)
				b.out = wasmbin.AppendU32(append(b.out, opCall), b.grown())
			}
		case opTableSet:
			b.immediates(op)
			b.opaque("it changes its tables")
		default:
			b.immediates(op)
		}
	}
	b.copyTo(b.Pos)
}

// spend accounts for an instruction, burning a unit before it if the path gets
// too long.
func (b *body) spend(at, cost int) {
	if b.dead {
		return
	}
	if b.run+cost > MaxRun {
		b.copyTo(at)
		b.info.Sites++
		b.burnOne()
		b.run = 0
	}
	b.run += cost
}

// push opens a block.
func (b *body) push(f frame) {
	if n := len(b.frames); n > 0 {
		f.levels = b.frames[n-1].levels
	}
	if f.wrapped {
		f.levels++
	}
	b.frames = append(b.frames, f)
}

// catches notes that an exception may lead to the end of any open block, by
// a path of any length.
func (b *body) catches() {
	for i := range b.frames {
		if f := &b.frames[i]; !b.dead && f.op != opLoop {
			f.joinRun = MaxRun
		}
	}
}

func (b *body) enterElse() {
	f := &b.frames[len(b.frames)-1]
	if f.op != opIf {
		b.Fail("else without if")
		return
	}
	f.op = opElse
	b.join(f)
	b.run, b.dead = f.ifRun, f.ifDead
}

// end closes a block. The paths that meet here are the one through the block,
// the branches to its end and, without else, the one around it.
func (b *body) end(at int) {
	f := b.frames[len(b.frames)-1]
	b.frames = b.frames[:len(b.frames)-1]
	if f.op == opIf && !f.ifDead {
		f.joinRun = max(f.joinRun, f.ifRun)
	}
	if len(b.frames) == 0 {
		b.writeBack(at)
	}
	if f.op != opLoop {
		b.join(&f)
		b.run, b.dead = max(f.joinRun, 0), f.joinRun < 0
	}
	if f.wrapped {
		b.copyTo(b.Pos)
		b.out = append(b.out, opEnd)
	}
}

// join notes that the current path reaches the end of f.
func (b *body) join(f *frame) {
	if !b.dead {
		f.joinRun = max(f.joinRun, b.run)
	}
}

func (b *body) branch(op byte, at int) {
	label := b.U32()
	if b.joinLabel(label) {
		b.writeBack(at)
	}
	b.copyTo(at)
	b.out = wasmbin.AppendU32(append(b.out, op), b.relabel(label))
	b.from = b.Pos
	if op == opBr {
		b.dead = true
	}
}

func (b *body) branchTable(at int) {
	n := b.count()
	labels := b.Pos
	leaves := false
	for i := uint64(0); i <= uint64(n) && b.Err == nil; i++ {
		leaves = b.joinLabel(b.U32()) || leaves
	}
	if b.Err != nil {
		return
	}
	if leaves {
		b.writeBack(at)
	}
	b.copyTo(at)
	b.out = wasmbin.AppendU32(append(b.out, opBrTable), n)
	for b.Pos = labels; n+1 > 0; n-- {
		b.out = wasmbin.AppendU32(b.out, b.relabel(b.U32()))
		if n == 0 {
			break
		}
	}
	b.from = b.Pos
	b.dead = true
}

// joinLabel notes a branch to a label and reports whether it leaves the
// function.
func (b *body) joinLabel(label uint32) bool {
	if uint64(label) >= uint64(len(b.frames)) {
		b.Fail("branch to label %d of %d", label, len(b.frames))
		return false
	}
	i := len(b.frames) - 1 - int(label)
	if b.frames[i].op != opLoop {
		b.join(&b.frames[i])
	}
	return i == 0
}

// relabel counts the loops added between a branch and its target.
func (b *body) relabel(label uint32) uint32 {
	if b.Err != nil {
		return 0
	}
	top := len(b.frames) - 1
	return label + uint32(b.frames[top].levels-b.frames[top-int(label)].levels)
}

// call copies a call; the counter is shared with the callee.
func (b *body) call(op byte, at int) {
	b.writeBack(at)
	if op == opCall || op == opReturnCall {
		b.renumber(op, at)
	} else {
		b.immediates(op)
	}
	if op == opReturnCall || op == opReturnCallIndirect {
		b.dead = true
		return
	}
	b.readBack()
}

// renumber copies an instruction whose immediate is a function index.
func (b *body) renumber(op byte, at int) {
	b.copyTo(at)
	b.out = wasmbin.AppendU32(append(b.out, op), b.funcIndex(b.U32()))
	b.from = b.Pos
}

// misc handles the instructions behind 0xfc.
func (b *body) misc(at int) {
	sub := b.immediates(opPrefixMisc)
	switch sub {
	case miscTableInit, miscTableCopy, miscTableGrow, miscTableFill, miscElemDrop:
		b.opaque("it changes its tables")
	case miscDataDrop:
		b.opaque("it drops data segments")
	}
	if isBulk(sub) && !b.dead {
		b.copyTo(at)
		b.bulkSite()
	}
}

// copyTo copies the input that has been passed over, up to an offset.
func (b *body) copyTo(to int) {
	if b.Err == nil && to > b.from {
		b.out = append(b.out, b.Data[b.from:to]...)
		b.from = to
	}
}
