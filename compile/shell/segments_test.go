package shell

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// module is a wasm header, a type section to be kept, and a data section.
func module(list []segment) []byte {
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = appendSection(b, 1, []byte{0})
	return appendSection(b, sectionData, writeSegments(list))
}

// image is what memory holds after a module's segments were placed in order.
func image(t *testing.T, wasm []byte) []byte {
	t.Helper()
	memory := make([]byte, 64<<10)
	for rest := wasm[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		body := rest[1+n : 1+n+int(size)]
		if rest[0] == sectionData {
			list, ok := readSegments(body)
			if !ok {
				t.Fatal("data section does not parse")
			}
			for _, s := range list {
				copy(memory[s.offset:], s.data)
			}
		}
		rest = rest[1+n+int(size):]
	}
	return memory
}

func TestMergeSegmentsKeepsMemory(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var list []segment
		for range g.IntN(8) {
			data := bytes.Repeat([]byte{byte(1 + g.IntN(255))}, g.IntN(40))
			list = append(list, segment{uint32(g.IntN(60 << 10)), data})
		}
		wasm := module(list)
		merged, err := mergeSegments(wasm)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(image(t, wasm), image(t, merged)) {
			t.Fatalf("memory differs for %v", list)
		}
	}
}

func FuzzMergeSegments(f *testing.F) {
	f.Add(module([]segment{{1 << 20, []byte("abc")}, {4, []byte("d")}, {0xfffffff0, []byte("e")}}))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0b\xff"))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		if out, err := mergeSegments(wasm); err == nil && len(out) < 8 {
			t.Errorf("%q became %q", wasm, out)
		}
	})
}
