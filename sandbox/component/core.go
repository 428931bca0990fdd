package component

import "fmt"

// The sections of core modules.
const (
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElement   = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
)

// The kinds of imports and exports.
const (
	kindFunc   = 0
	kindTable  = 1
	kindMemory = 2
	kindGlobal = 3
)

// index is where something stands in the module that all become.
type index struct {
	kind byte
	at   uint32
}

// core is a module that is taken apart.
type core struct {
	types, tables, memories [][]byte // as they are written
	imports                 []coreImport
	funcs                   []uint32 // the type of each function of its own
	globals                 []global
	exports                 map[string]index // with indices of the module
	start                   *uint32
	elements, data          *reader // what follows their count
	elementCount, dataCount uint32
	bodies                  [][]byte
}

type coreImport struct {
	module, name string
	kind         byte
	typ          uint32 // of functions
}

// global is one of a module: its type, and the expression that it begins with.
type global struct{ form, init []byte }

// readCore takes a module apart.
func readCore(wasm []byte) (*core, error) {
	if len(wasm) < 8 || string(wasm[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, fmt.Errorf("a part is no module")
	}
	list, err := sections(wasm)
	if err != nil {
		return nil, err
	}
	c := &core{exports: map[string]index{}}
	for _, sec := range list {
		r := newReader(sec.body)
		c.section(sec.id, r)
		if r.Err != nil {
			return nil, fmt.Errorf("section %d of a module: %w", sec.id, r.Err)
		}
	}
	if len(c.bodies) != len(c.funcs) {
		return nil, fmt.Errorf("a module has %d functions and %d bodies", len(c.funcs), len(c.bodies))
	}
	return c, nil
}

func (c *core) section(id byte, r *reader) {
	taken := func(pass func()) []byte {
		from := r.Pos
		pass()
		return r.Data[from:r.Pos]
	}
	switch id {
	case secType:
		r.each(func() {
			c.types = append(c.types, taken(func() {
				if r.Byte() != 0x60 {
					r.Fail("a type that is no function")
				}
				r.Bytes(r.U32())
				r.Bytes(r.U32())
			}))
		})
	case secImport:
		r.each(func() { c.readImport(r) })
	case secFunction:
		r.each(func() { c.funcs = append(c.funcs, r.U32()) })
	case secTable:
		r.each(func() { c.tables = append(c.tables, taken(func() { r.Byte(); r.limits() })) })
	case secMemory:
		r.each(func() { c.memories = append(c.memories, taken(r.limits)) })
	case secGlobal:
		r.each(func() {
			c.globals = append(c.globals, global{r.Bytes(2), taken(r.constant)})
		})
	case secExport:
		r.each(func() {
			name := r.name()
			kind := r.Byte()
			c.exports[name] = index{kind, r.U32()}
		})
	case secStart:
		f := r.U32()
		c.start = &f
	case secElement:
		c.elementCount, c.elements = r.U32(), r
	case secCode:
		r.each(func() { c.bodies = append(c.bodies, r.Bytes(r.U32())) })
	case secData:
		c.dataCount, c.data = r.U32(), r
	case 0, secDataCount:
	default:
		r.Fail("unknown section")
	}
}

func (c *core) readImport(r *reader) {
	i := coreImport{module: r.name(), name: r.name(), kind: r.Byte()}
	switch i.kind {
	case kindFunc:
		i.typ = r.U32()
	case kindTable:
		r.Byte()
		r.limits()
	case kindMemory:
		r.limits()
	case kindGlobal:
		r.Bytes(2)
	default:
		r.Fail("unknown kind of import %d", i.kind)
	}
	c.imports = append(c.imports, i)
}

func (r *reader) limits() {
	flags := r.Byte()
	if flags > 1 {
		r.Fail("shared or 64-bit memories")
	}
	r.U32()
	if flags == 1 {
		r.U32()
	}
}

// constant passes over a constant expression.
func (r *reader) constant() {
	for r.Err == nil {
		switch op := r.Byte(); op {
		case 0x0b: // end
			return
		case 0x41, 0x42, 0x23, 0xd2: // i32.const, i64.const, global.get, ref.func
			r.leb()
		case 0x43:
			r.Bytes(4)
		case 0x44:
			r.Bytes(8)
		case 0xd0:
			r.Byte()
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // extended constants
		case 0xfd:
			if r.U32() != 12 {
				r.Fail("no constant expression")
			}
			r.Bytes(16)
		default:
			r.Fail("no constant expression (instruction %#x)", op)
		}
	}
}
