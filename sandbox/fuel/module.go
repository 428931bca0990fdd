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
	r := newReader(wasm)
	r.Pos = 8
	for !r.Done() {
		id := r.Byte()
		body := r.Bytes(r.U32())
		if r.Err != nil {
			return nil, fmt.Errorf("section %d: %w", len(sections), r.Err)
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
		} else if name := newReader(body); !utf8.Valid(name.Name()) || name.Err != nil {
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
		r := newReader(sec.body)
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
		if r.Err == nil && !r.Done() {
			r.Fail("junk after the section")
		}
		if r.Err != nil {
			return nil, fmt.Errorf("%s section: %w", sectionNames[sec.id], r.Err)
		}
	}
	return s, nil
}

func (s *summary) readTypes(r *reader) {
	n := r.count()
	s.types = make([]signature, 0, n)
	for ; n > 0 && r.Err == nil; n-- {
		if form := r.Byte(); form != formFunc {
			r.Fail("type form %#x is not supported (garbage-collected types)", form)
			return
		}
		from := r.Pos
		params := r.count()
		for range params {
			r.valueType()
		}
		n := r.count()
		results := r.Pos
		for range n {
			r.valueType()
		}
		if r.Err == nil {
			s.types = append(s.types, signature{params, r.Data[results:r.Pos], r.Data[from:r.Pos]})
		}
	}
}

// valueType reads a value type, refusing those the rewriter does not know.
func (r *reader) valueType() byte {
	t := r.Byte()
	switch t {
	case typeI32, typeI64, typeF32, typeF64, typeV128, typeFunc, typeExtern, typeExn:
	default:
		r.Fail("value type %#x is not supported", t)
	}
	return t
}

func (s *summary) readImports(r *reader) {
	for n := r.count(); n > 0 && r.Err == nil; n-- {
		module := r.Name()
		r.Name()
		if bytes.HasPrefix(module, []byte(Prefix)) {
			r.Fail("import module %q is reserved", module)
			return
		}
		switch kind := r.Byte(); kind {
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
			r.Byte()
			r.index("type", uint32(len(s.types)))
		default:
			r.Fail("unknown kind of import %d", kind)
		}
	}
}

func (s *summary) readFuncs(r *reader) {
	n := r.count()
	s.funcs = make([]uint32, 0, n)
	for ; n > 0 && r.Err == nil; n-- {
		t := r.U32()
		if t >= uint32(len(s.types)) {
			r.Fail("unknown type %d", t)
			return
		}
		s.funcs = append(s.funcs, t)
	}
}

func (s *summary) readMemories(r *reader) {
	n := r.count()
	if n > 1 {
		r.Fail("several memories are not supported")
	}
	for ; n > 0 && r.Err == nil; n-- {
		p := r.memory()
		s.memory = &p
	}
}

func (s *summary) readGlobals(r *reader) {
	for n := r.count(); n > 0 && r.Err == nil; n-- {
		s.globals = append(s.globals, r.global())
		constExpr(r, nil, nil)
	}
}

func (r *reader) global() global {
	t := r.valueType()
	m := r.Byte()
	if m > 1 {
		r.Fail("invalid mutability %#x", m)
	}
	return global{t, m == 1}
}

// limits reads a minimum and an optional maximum.
func (r *reader) limits() (flags byte, min, max uint32) {
	flags = r.Byte()
	if flags&limitShared != 0 {
		r.Fail("shared memories (threads) are not supported")
	}
	if flags&limit64 != 0 {
		r.Fail("64-bit memories are not supported")
	}
	if flags > limitMax {
		r.Fail("invalid limits %#x", flags)
	}
	min = r.U32()
	if flags&limitMax != 0 {
		max = r.U32()
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
