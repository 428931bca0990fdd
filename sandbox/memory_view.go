package sandbox

import "encoding/binary"

// Memory is the host's view of a guest's linear memory. All offsets are bytes
// from its start; every access is checked.
type Memory struct{ m *linearMemory }

// Size is the current size in bytes.
func (v Memory) Size() uint32 { return uint32(min(len(v.m.bytes), 1<<32-1)) }

// Read returns a view of n bytes at offset, valid until the guest next runs.
// ok is false when they are not all inside memory.
func (v Memory) Read(offset, n uint32) (view []byte, ok bool) {
	b := v.m.bytes
	end := uint64(offset) + uint64(n)
	if end > uint64(len(b)) {
		return nil, false
	}
	return b[offset:end:end], true
}

// Write copies p to offset and reports whether it fitted.
func (v Memory) Write(offset uint32, p []byte) bool {
	if uint64(offset)+uint64(len(p)) > uint64(len(v.m.bytes)) {
		return false
	}
	copy(v.m.bytes[offset:], p)
	return true
}

// WriteString copies s to offset and reports whether it fitted.
func (v Memory) WriteString(offset uint32, s string) bool {
	if uint64(offset)+uint64(len(s)) > uint64(len(v.m.bytes)) {
		return false
	}
	copy(v.m.bytes[offset:], s)
	return true
}

// ReadU32 reads a little-endian word.
func (v Memory) ReadU32(offset uint32) (uint32, bool) {
	view, ok := v.Read(offset, 4)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint32(view), true
}

// WriteU32 writes a little-endian word.
func (v Memory) WriteU32(offset, word uint32) bool {
	view, ok := v.Read(offset, 4)
	if ok {
		binary.LittleEndian.PutUint32(view, word)
	}
	return ok
}

// ReadU64 reads a little-endian double word.
func (v Memory) ReadU64(offset uint32) (uint64, bool) {
	view, ok := v.Read(offset, 8)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint64(view), true
}

// WriteU64 writes a little-endian double word.
func (v Memory) WriteU64(offset uint32, word uint64) bool {
	view, ok := v.Read(offset, 8)
	if ok {
		binary.LittleEndian.PutUint64(view, word)
	}
	return ok
}

// ReadCString reads bytes up to a NUL. ok is false when there is none within
// limit bytes.
func (v Memory) ReadCString(offset uint32, limit int) (s string, ok bool) {
	b := v.m.bytes
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

// GrowMemory makes memory larger by pages of 64 KiB, as memory.grow does for
// the guest itself, and reports whether the limit allows it. Programs built by
// Emscripten ask the host for it.
func (in *Instance) GrowMemory(pages uint32) bool {
	_, ok := in.guest.Memory().Grow(pages)
	return ok
}
