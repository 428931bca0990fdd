// Package componenttest makes small components, byte by byte, for tests that should not
// depend on tools.
package componenttest

import (
	"encoding/binary"
	"strings"
)

// Vec encodes a vector.
func Vec(items ...string) string {
	return u32(len(items)) + strings.Join(items, "")
}

// Name encodes a name.
func Name(s string) string { return u32(len(s)) + s }

// Section encodes a section.
func Section(id byte, body string) string { return string(rune(id)) + u32(len(body)) + body }

// u32 encodes a number.
func u32(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }

// What modules and components begin with.
const (
	CoreHead = "\x00asm\x01\x00\x00\x00"
	Head     = "\x00asm\x0d\x00\x01\x00"
)

// printer is a module whose run writes its data to a stream of the host.
func printer(text string) string {
	body := "\x00" + "\x10\x00" + "\x41\x10\x41" + string(byte(len(text))) + "\x41\x00\x10\x01" + "\x41\x00\x0b" // get, write(handle, 16, len, 0), 0
	return CoreHead +
		Section(1, Vec("\x60\x00\x01\x7f", "\x60\x04\x7f\x7f\x7f\x7f\x00")) +
		Section(2, Vec(Name("out")+Name("get")+"\x00\x00", Name("out")+Name("write")+"\x00\x01")) +
		Section(3, Vec("\x00")) +
		Section(5, Vec("\x00\x01")) +
		Section(7, Vec(Name("memory")+"\x02\x00", Name("run")+"\x00\x02")) +
		Section(10, Vec(Name(body))) +
		Section(11, Vec("\x00\x41\x10\x0b"+Name(text)))
}

// Program is a component around the printer, as tools make it: a module that fills the
// table of another one gives the printer what it imports, which needs the printer's
// memory itself.
func Program(text, stdout string) []byte {
	shim := CoreHead +
		Section(1, Vec("\x60\x04\x7f\x7f\x7f\x7f\x00")) +
		Section(3, Vec("\x00")) +
		Section(4, Vec("\x70\x01\x01\x01")) +
		Section(7, Vec(Name("0")+"\x00\x00", Name("$imports")+"\x01\x00")) +
		Section(10, Vec(Name("\x00\x20\x00\x20\x01\x20\x02\x20\x03\x41\x00\x11\x00\x00\x0b")))
	fixup := CoreHead +
		Section(1, Vec("\x60\x04\x7f\x7f\x7f\x7f\x00")) +
		Section(2, Vec(Name("")+Name("0")+"\x00\x00", Name("")+Name("$imports")+"\x01\x70\x01\x01\x01")) +
		Section(9, Vec("\x00\x41\x00\x0b"+Vec("\x00")))
	return []byte(Head +
		Section(7, Vec("\x42\x00", "\x42\x00", "\x40\x00\x00\x7f")) + // opaque to the reader
		Section(10, Vec("\x00"+Name(stdout)+"\x05\x00", "\x00"+Name("wasi:io/streams@0.2.3")+"\x05\x01")) +
		Section(1, printer(text)) + Section(1, shim) + Section(1, fixup) +
		Section(2, Vec("\x00\x01\x00")) + // 0: the shim
		Section(6, Vec("\x01\x00\x00"+Name("get-stdout"), "\x00\x00\x01\x00"+Name("0"))) + // func 0; core func 0
		Section(8, Vec("\x01\x00\x00\x00")) + // core func 1: lower get-stdout
		Section(2, Vec("\x01"+Vec(Name("get")+"\x00\x01", Name("write")+"\x00\x00"))) + // 1: what the printer is given
		Section(2, Vec("\x00\x00"+Vec(Name("out")+"\x12\x01"))) + // 2: the printer
		Section(6, Vec("\x00\x02\x01\x02"+Name("memory"), "\x00\x01\x01\x00"+Name("$imports"), "\x01\x00\x01"+Name("[method]output-stream.blocking-write-and-flush"))) +
		Section(8, Vec("\x01\x00\x01"+Vec("\x03\x00", "\x00"))) + // core func 2: lower write
		Section(2, Vec("\x01"+Vec(Name("0")+"\x00\x02", Name("$imports")+"\x01\x00"))) + // 3
		Section(2, Vec("\x00\x02"+Vec(Name("")+"\x12\x03"))) + // 4: the fixup
		Section(6, Vec("\x00\x00\x01\x02"+Name("run"))) + // core func 3
		Section(8, Vec("\x00\x00\x03\x00\x02")) + // func 2: lift run
		Section(5, Vec("\x01"+Vec("\x00"+Name("run")+"\x01\x02"))) + // instance 2
		Section(11, Vec("\x00"+Name("wasi:cli/run@0.2.3")+"\x05\x02\x00")))
}
