package fuel

// The instructions the rewriter treats specially.
const (
	opUnreachable        = 0x00
	opNop                = 0x01
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opThrow              = 0x08
	opThrowRef           = 0x0a
	opEnd                = 0x0b
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opDrop               = 0x1a
	opSelect             = 0x1b
	opSelectTyped        = 0x1c
	opTryTable           = 0x1f
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opLocalTee           = 0x22
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opTableGet           = 0x25
	opTableSet           = 0x26
	opI32Load            = 0x28
	opI64Store32         = 0x3e
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opI32Eqz             = 0x45
	opI32LtS             = 0x48
	opI32GeS             = 0x4e
	opI32Add             = 0x6a
	opI32Sub             = 0x6b
	opI32Mul             = 0x6c
	opI32DivS            = 0x6d
	opI32RemU            = 0x70
	opI32ShrU            = 0x76
	opI64Add             = 0x7c
	opI64Sub             = 0x7d
	opI64Mul             = 0x7e
	opI64DivS            = 0x7f
	opI64RemU            = 0x82
	opF32Sqrt            = 0x91
	opF32Div             = 0x95
	opF64Sqrt            = 0x9f
	opF64Div             = 0xa3
	opI64Extend32S       = 0xc4
	opRefNull            = 0xd0
	opRefIsNull          = 0xd1
	opRefFunc            = 0xd2
	opPrefixMisc         = 0xfc
	opPrefixSIMD         = 0xfd
	opPrefixThreads      = 0xfe

	blockVoid = 0x40
)

// The instructions behind the prefix 0xfc.
const (
	miscTruncLast  = 7
	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17
)

// Ranges of instructions behind the prefix 0xfd, by what follows them.
const (
	simdLoadStoreLast = 11
	simdConst         = 12
	simdShuffle       = 13
	simdLaneFirst     = 21
	simdLaneLast      = 34
	simdMemLaneFirst  = 84
	simdMemLaneLast   = 91
	simdLoadZeroFirst = 92
	simdLoadZeroLast  = 93
	simdLast          = 255
)

// Costs in instructions of those that take much longer than the others.
const (
	costCall = 4
	costDiv  = 8
	costHost = 64 // leaves the generated code
)

// cost is how many plain instructions one with a single-byte code is worth.
func cost(op byte) int {
	switch {
	case op == opCall || op == opCallIndirect || op == opReturnCall || op == opReturnCallIndirect:
		return costCall
	case op >= opI32DivS && op <= opI32RemU, op >= opI64DivS && op <= opI64RemU,
		op == opF32Sqrt, op == opF32Div, op == opF64Sqrt, op == opF64Div:
		return costDiv
	case op == opMemoryGrow, op == opTryTable, op == opThrow, op == opThrowRef, op == opRefFunc:
		return costHost
	}
	return 1
}
