package fuel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Section identifiers, and the order sections come in.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	secTag
)

var sectionOrder = []byte{secType, secImport, secFunction, secTable, secMemory, secTag,
	secGlobal, secExport, secStart, secElement, secDataCount, secCode, secData}

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory",
	"global", "export", "start", "element", "code", "data", "data count", "tag"}

// section is one section as it stands in the binary.
type section struct {
	id   byte
	body []byte
}

// split finds the sections and checks that each comes once and in order.
func split(wasm []byte) ([]section, error) {
	if len(wasm) < 8 || !bytes.Equal(wasm[:4], []byte("\x00asm")) {
		return nil, errors.New("not a WebAssembly module")
	}
	if v := binary.LittleEndian.Uint32(wasm[4:]); v != 1 {
		return nil, fmt.Errorf("unknown version %#x", v)
	}
	var sections []section
	last := -1
	r := &reader{b: wasm, p: 8}
	for !r.done() {
		id := r.byte()
		body := r.bytes(r.u32())
		if r.err != nil {
			return nil, fmt.Errorf("section %d: %w", len(sections), r.err)
		}
		if id != secCustom {
			at := bytes.IndexByte(sectionOrder, id)
			if at < 0 {
				return nil, fmt.Errorf("unknown section %d", id)
			}
			if at <= last {
				return nil, fmt.Errorf("%s section repeated or out of order", sectionNames[id])
			}
			last = at
		} else if name := (&reader{b: body}); !utf8.Valid(name.name()) || name.err != nil {
			return nil, errors.New("custom section without a valid name")
		}
		sections = append(sections, section{id, body})
	}
	return sections, nil
}

// summary holds the facts the rewriter needs about a module before it starts.
type summary struct {
	types       []signature
	funcs       []uint32 // type of each defined function
	importFuncs uint32
	globals     []global // imported ones first
	importGlobs uint32
	memory      *Pages
}

// signature is a function type.
type signature struct {
	params  uint32
	results []byte // their types
	form    []byte // all of it, as it is written
}

// global is a global's type.
type global struct {
	valueType byte
	mutable   bool
}

// The value types.
const (
	typeI32     = 0x7f
	typeI64     = 0x7e
	typeF32     = 0x7d
	typeF64     = 0x7c
	typeV128    = 0x7b
	typeFunc    = 0x70
	typeExtern  = 0x6f
	typeExn     = 0x69
	formFunc    = 0x60
	limitMax    = 1 << 0
	limitShared = 1 << 1
	limit64     = 1 << 2
)

// summarize reads the type, import, function, memory and global sections.
func summarize(sections []section) (*summary, error) {
	s := &summary{}
	for _, sec := range sections {
		r := &reader{b: sec.body}
		switch sec.id {
		case secType:
			s.readTypes(r)
		case secImport:
			s.readImports(r)
		case secFunction:
			s.readFuncs(r)
		case secMemory:
			s.readMemories(r)
		case secGlobal:
			s.readGlobals(r)
		default:
			continue
		}
		if r.err == nil && !r.done() {
			r.fail("junk after the section")
		}
		if r.err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionNames[sec.id], r.err)
		}
	}
	return s, nil
}

func (s *summary) readTypes(r *reader) {
	n := r.count()
	s.types = make([]signature, 0, n)
	for ; n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != formFunc {
			r.fail("type form %#x is not supported (garbage-collected types)", form)
			return
		}
		from := r.p
		params := r.count()
		for range params {
			r.valueType()
		}
		n := r.count()
		results := r.p
		for range n {
			r.valueType()
		}
		if r.err == nil {
			s.types = append(s.types, signature{params, r.b[results:r.p], r.b[from:r.p]})
		}
	}
}

// valueType reads a value type, refusing those the rewriter does not know.
func (r *reader) valueType() byte {
	t := r.byte()
	switch t {
	case typeI32, typeI64, typeF32, typeF64, typeV128, typeFunc, typeExtern, typeExn:
	default:
		r.fail("value type %#x is not supported", t)
	}
	return t
}

func (s *summary) readImports(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		module := r.name()
		r.name()
		if bytes.HasPrefix(module, []byte(Prefix)) {
			r.fail("import module %q is reserved", module)
			return
		}
		switch kind := r.byte(); kind {
		case kindFunc:
			r.index("type", uint32(len(s.types)))
			s.importFuncs++
		case kindTable:
			r.valueType()
			r.limits()
		case kindMemory:
			r.memory()
		case kindGlobal:
			s.globals = append(s.globals, r.global())
			s.importGlobs++
		case kindTag:
			r.byte()
			r.index("type", uint32(len(s.types)))
		default:
			r.fail("unknown kind of import %d", kind)
		}
	}
}

func (s *summary) readFuncs(r *reader) {
	n := r.count()
	s.funcs = make([]uint32, 0, n)
	for ; n > 0 && r.err == nil; n-- {
		t := r.u32()
		if t >= uint32(len(s.types)) {
			r.fail("unknown type %d", t)
			return
		}
		s.funcs = append(s.funcs, t)
	}
}

func (s *summary) readMemories(r *reader) {
	n := r.count()
	if n > 1 {
		r.fail("several memories are not supported")
	}
	for ; n > 0 && r.err == nil; n-- {
		p := r.memory()
		s.memory = &p
	}
}

func (s *summary) readGlobals(r *reader) {
	for n := r.count(); n > 0 && r.err == nil; n-- {
		s.globals = append(s.globals, r.global())
		constExpr(r, nil, nil)
	}
}

func (r *reader) global() global {
	t := r.valueType()
	m := r.byte()
	if m > 1 {
		r.fail("invalid mutability %#x", m)
	}
	return global{t, m == 1}
}

// limits reads a minimum and an optional maximum.
func (r *reader) limits() (flags byte, min, max uint32) {
	flags = r.byte()
	if flags&limitShared != 0 {
		r.fail("shared memories (threads) are not supported")
	}
	if flags&limit64 != 0 {
		r.fail("64-bit memories are not supported")
	}
	if flags > limitMax {
		r.fail("invalid limits %#x", flags)
	}
	min = r.u32()
	if flags&limitMax != 0 {
		max = r.u32()
	}
	return flags, min, max
}

// maxPages is the most a 32-bit memory can have.
const maxPages = 65536

func (r *reader) memory() Pages {
	flags, min, max := r.limits()
	if flags&limitMax == 0 {
		max = maxPages
	}
	return Pages{min, max}
}
