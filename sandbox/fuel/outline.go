package fuel

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"wb/sandbox/wasmbin"
)

// outlineSection is the custom section that tells outlines of different
// modules apart: the SHA-256 and the size of what was outlined.
const outlineSection = "wb:outline"

// bodyOfNothing is the body of every function of an outline: no locals,
// unreachable, end.
var bodyOfNothing = []byte{3, 0, 0, 0x0b}

// Outline returns what an instrumented module declares, without the code of its
// functions: a valid module with the same types, imports, tables, memory,
// globals, exports, data and names, whose functions trap. An engine that has
// the module's machine code needs no more of it, and reads an outline in a
// fraction of the time. Different modules have different outlines, since each
// names its module's digest; and none is what Instrument returns for any module,
// which ends with another section.
func Outline(metered []byte) ([]byte, error) {
	sections, err := split(metered)
	if err != nil {
		return nil, fmt.Errorf("fuel: %w", err)
	}
	if _, err := Describe(metered); err != nil {
		return nil, err
	}
	size := len(metered)
	for _, sec := range sections {
		if sec.id == secCode {
			size -= len(sec.body)
		}
	}
	out := append(make([]byte, 0, size+size/4), metered[:8]...)
	for _, sec := range sections {
		body := sec.body
		if sec.id == secCode {
			n := newReader(body).count()
			body = wasmbin.AppendU32(make([]byte, 0, 5+int(n)*len(bodyOfNothing)), n)
			for range n {
				body = append(body, bodyOfNothing...)
			}
		}
		out = wasmbin.AppendSection(out, sec.id, body)
	}
	sum := sha256.Sum256(metered)
	mark := binary.LittleEndian.AppendUint64(append(wasmbin.AppendName(nil, outlineSection), sum[:]...), uint64(len(metered)))
	return wasmbin.AppendSection(out, secCustom, mark), nil
}

// OutlinedSize is the size of the module that an outline was made of.
func OutlinedSize(outline []byte) (int, error) {
	sections, err := split(outline)
	if err != nil {
		return 0, fmt.Errorf("fuel: %w", err)
	}
	for _, s := range sections {
		r := newReader(s.body)
		if s.id != secCustom || string(r.Name()) != outlineSection || len(s.body)-r.Pos != sha256.Size+8 {
			continue
		}
		return int(binary.LittleEndian.Uint64(s.body[r.Pos+sha256.Size:])), nil
	}
	return 0, errors.New("fuel: no outline")
}
