package shell

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// mergeSegments rewrites a wasm module so that its active data segments are few
// and long. Go's linker leaves out every run of zeros, which makes thousands of
// segments, and placing each costs more at every start than copying the zeros.
// Modules with other kinds of segments come back as they are.
func mergeSegments(wasm []byte) ([]byte, error) {
	if len(wasm) < 8 {
		return nil, errShort
	}
	out := append([]byte(nil), wasm[:8]...)
	for rest := wasm[8:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errShort
		}
		end := 1 + n + int(size)
		section, body := rest[:end], rest[1+n:end]
		rest = rest[end:]
		switch id {
		case sectionData:
			segments, ok := readSegments(body)
			if !ok {
				return wasm, nil
			}
			section = appendSection(nil, sectionData, writeSegments(joinSegments(segments)))
		case sectionDataCount: // is only needed for segments used by number
			continue
		}
		out = append(out, section...)
	}
	return out, nil
}

var errShort = errors.New("wasm module is cut short")

const (
	sectionData      = 11
	sectionDataCount = 12
	opI32Const       = 0x41
	opEnd            = 0x0b
	// maxGap is the longest run of zeros that is written out to join segments.
	maxGap = 16 << 10
)

type segment struct {
	offset uint32
	data   []byte
}

func (s segment) end() uint32 { return s.offset + uint32(len(s.data)) }

// readSegments reads a data section of active segments at constant offsets.
func readSegments(b []byte) ([]segment, bool) {
	count, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, false
	}
	b = b[n:]
	var list []segment
	for range count {
		if len(b) < 2 || b[0] != 0 || b[1] != opI32Const {
			return nil, false
		}
		offset, n := signed(b[2:])
		b = b[2+n:]
		if n == 0 || len(b) == 0 || b[0] != opEnd {
			return nil, false
		}
		size, k := binary.Uvarint(b[1:])
		if k <= 0 || size > uint64(len(b)-1-k) {
			return nil, false
		}
		b = b[1+k:]
		list = append(list, segment{uint32(offset), b[:size]})
		b = b[size:]
	}
	return list, len(b) == 0
}

// joinSegments joins neighbours. Overlapping segments, whose order counts, are
// left alone.
func joinSegments(list []segment) []segment {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b segment) int { return int(int64(a.offset) - int64(b.offset)) })
	var out []segment
	for i, s := range sorted {
		if i > 0 && s.offset < sorted[i-1].end() {
			return list
		}
		if last := len(out) - 1; last >= 0 && s.offset-out[last].end() <= maxGap {
			gap := s.offset - out[last].end()
			out[last].data = append(append(out[last].data, make([]byte, gap)...), s.data...)
			continue
		}
		out = append(out, segment{s.offset, bytes.Clone(s.data)})
	}
	return out
}

func writeSegments(list []segment) []byte {
	b := binary.AppendUvarint(nil, uint64(len(list)))
	for _, s := range list {
		b = append(b, 0, opI32Const)
		b = appendSigned(b, int64(int32(s.offset)))
		b = append(b, opEnd)
		b = binary.AppendUvarint(b, uint64(len(s.data)))
		b = append(b, s.data...)
	}
	return b
}

func appendSection(b []byte, id byte, body []byte) []byte {
	b = append(b, id)
	b = binary.AppendUvarint(b, uint64(len(body)))
	return append(b, body...)
}

// signed reads a signed LEB128 number of up to 32 bits; n is 0 when there is none.
func signed(b []byte) (v int64, n int) {
	var shift uint
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		v |= int64(c&0x7f) << shift
		shift += 7
		if c&0x80 == 0 {
			if c&0x40 != 0 {
				v |= -1 << shift
			}
			return v, n
		}
	}
	return 0, 0
}

func appendSigned(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
