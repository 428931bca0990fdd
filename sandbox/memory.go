package sandbox

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/experimental"
)

// pageSize is the unit in which linear memory grows.
const pageSize = 65536

// linearMemory is one instance's memory and the allocator that makes it.
type linearMemory struct {
	limit   int64 // bytes
	size    uint64
	refused bool // growth past the limit was asked for
	bytes   []byte
}

func newLinearMemory(limit int64) *linearMemory {
	return &linearMemory{limit: limit}
}

// Allocate implements experimental.MemoryAllocator.
func (m *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.limit >= 0 && size > uint64(m.limit) {
		m.refused = true
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		grown := make([]byte, size)
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.size = size
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() { m.bytes = nil }

// Memory is the host's view of a guest's linear memory. All offsets are bytes
// from its start; every access is checked.
type Memory struct{ in *Instance }

// Size is the current size in bytes.
func (m Memory) Size() uint32 { return uint32(len(m.in.memory.bytes)) }

// Read returns a view of n bytes at offset, valid until the guest next runs.
// ok is false when they are not all inside memory.
func (m Memory) Read(offset, n uint32) (view []byte, ok bool) {
	b := m.in.memory.bytes
	end := uint64(offset) + uint64(n)
	if end > uint64(len(b)) {
		return nil, false
	}
	return b[offset:end:end], true
}

// Write copies p to offset and reports whether it fitted.
func (m Memory) Write(offset uint32, p []byte) bool {
	view, ok := m.Read(offset, uint32(len(p)))
	copy(view, p)
	return ok
}

// WriteString copies s to offset and reports whether it fitted.
func (m Memory) WriteString(offset uint32, s string) bool {
	view, ok := m.Read(offset, uint32(len(s)))
	copy(view, s)
	return ok
}

// ReadU32 reads a little-endian word.
func (m Memory) ReadU32(offset uint32) (uint32, bool) {
	view, ok := m.Read(offset, 4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(view), true
}

// WriteU32 writes a little-endian word.
func (m Memory) WriteU32(offset, v uint32) bool {
	view, ok := m.Read(offset, 4)
	if ok {
		binary.LittleEndian.PutUint32(view, v)
	}
	return ok
}

// WriteU64 writes a little-endian double word.
func (m Memory) WriteU64(offset uint32, v uint64) bool {
	view, ok := m.Read(offset, 8)
	if ok {
		binary.LittleEndian.PutUint64(view, v)
	}
	return ok
}

// ReadCString reads bytes up to a NUL, at most limit of them.
func (m Memory) ReadCString(offset uint32, limit int) (string, bool) {
	b := m.in.memory.bytes
	if uint64(offset) >= uint64(len(b)) {
		return "", false
	}
	b = b[offset:]
	for i := 0; i < len(b) && i <= limit; i++ {
		if b[i] == 0 {
			return string(b[:i]), true
		}
	}
	return "", false
}
