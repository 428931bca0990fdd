package sandbox

import (
	"math"

	"github.com/tetratelabs/wazero/experimental"
)

// pageSize is the unit in which linear memory grows.
const pageSize = 65536

// maxArea is the most that is ever reserved for one guest: all that 32-bit
// addresses reach, where the host's addresses are longer.
const maxArea = min(1<<32, math.MaxInt)

// linearMemory is the linear memory of one instance. It is address space
// reserved from the operating system up to the instance's limit, outside the
// garbage-collected heap; pages of it cost something only once the guest
// touches them, and growing never copies. So a thousand instances with a limit
// of 64 MiB each cost what they use.
type linearMemory struct {
	limit   int64  // how far the guest may grow it, in bytes; negative: no limit
	refused bool   // the guest asked for more than limit
	bytes   []byte // what the guest sees; a prefix of area
	area    []byte // what is reserved
}

// allow lets the memory grow by limit bytes beyond base; a negative limit lets
// it grow as far as the module wants.
func (m *linearMemory) allow(limit, base int64) {
	m.limit, m.refused = -1, false
	if limit >= 0 {
		m.limit = base + limit
	}
}

// Allocate implements experimental.MemoryAllocator.
func (m *linearMemory) Allocate(_, max uint64) experimental.LinearMemory {
	if m.limit >= 0 {
		max = min(max, uint64(m.limit))
	}
	m.area, _ = reserve(max) // when that is too much, Reallocate tries with less
	return m
}

// Reallocate implements experimental.LinearMemory. It returns nil, which is -1
// to the guest, when the limit or the system does not allow it.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.limit >= 0 && size > uint64(m.limit) {
		m.refused = true
		return nil
	}
	if size > uint64(len(m.area)) && !m.move(size) {
		m.refused = true
		return nil
	}
	m.bytes = m.area[:size:size]
	return m.bytes
}

// move reserves a larger area and copies the memory there. It happens only
// when the limit was raised after the start.
func (m *linearMemory) move(size uint64) bool {
	area, err := reserve(size)
	if err != nil {
		return false
	}
	copy(area, m.bytes)
	release(m.area)
	m.area = area
	return true
}

// Free implements experimental.LinearMemory.
func (m *linearMemory) Free() {
	release(m.area)
	m.area, m.bytes = nil, nil
}
