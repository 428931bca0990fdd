package fuel

import (
	"bytes"
	"encoding/json"
	"fmt"

	"wb/sandbox/wasmbin"
)

// Instrument returns the metered form of a module and what there is to know
// about it. It never panics; whatever it cannot meter is an error. The result
// need not be valid if wasm was not: the engine that compiles it checks that.
func Instrument(wasm []byte, opts Options) ([]byte, *Info, error) {
	sections, err := split(wasm)
	if err != nil {
		return nil, nil, fmt.Errorf("fuel: %w", err)
	}
	s, err := summarize(sections)
	if err != nil {
		return nil, nil, fmt.Errorf("fuel: %w", err)
	}
	w := newRewriter(s, opts)
	bodies := map[byte][]byte{}
	for _, sec := range sections {
		if sec.id != secCustom {
			bodies[sec.id] = sec.body
		}
	}
	out := make([]byte, 0, len(wasm)+len(wasm)/8+1024)
	out = append(out, wasm[:8]...)
	for _, id := range sectionOrder {
		body, present := bodies[id]
		body, err := w.section(id, body, present)
		if err != nil {
			return nil, nil, fmt.Errorf("fuel: %s section: %w", sectionNames[id], err)
		}
		if body != nil {
			out = wasmbin.AppendSection(out, id, body)
		}
	}
	out = wasmbin.AppendSection(out, secCustom, w.names(sections))
	info, err := json.Marshal(w.info)
	if err != nil {
		return nil, nil, fmt.Errorf("fuel: %w", err)
	}
	out = wasmbin.AppendSection(out, secCustom, append(wasmbin.AppendName(nil, infoSection), info...))
	return out, &w.info, nil
}

// rewriter holds the indices that the new items get.
type rewriter struct {
	*summary
	opts      Options
	yieldType uint32 // the type of yield, appended to the types
	yield     uint32 // the index of yield, the first import that was added
	added     uint32 // how many were
	counter   uint32 // the index of the counter, the last global
	info      Info
	exported  map[uint32]string // functions by new index

	// Buffers used again for each function.
	scratch   []byte
	frames    []frame
	leafFlags []bool
}

func newRewriter(s *summary, opts Options) *rewriter {
	w := &rewriter{
		summary:   s,
		opts:      opts,
		yieldType: uint32(len(s.types)),
		yield:     s.importFuncs,
		added:     1,
		counter:   uint32(len(s.globals)),
		info:      Info{Memory: s.memory},
		exported:  map[uint32]string{},
	}
	if opts.Portable {
		w.added++
	}
	for i, g := range s.globals {
		if !g.mutable {
			continue
		}
		switch {
		case uint32(i) < s.importGlobs:
			w.opaque("it imports a mutable global")
		case g.valueType < typeF64:
			w.opaque("it has a mutable global that is not a number")
		default:
			w.info.Globals = append(w.info.Globals, globalName(i))
		}
	}
	return w
}

// opaque records the first reason why an instance cannot be snapshot.
func (w *rewriter) opaque(reason string) {
	if w.info.Opaque == "" {
		w.info.Opaque = reason
	}
}

// globalName is the reserved export name of a global.
func globalName(index int) string { return fmt.Sprintf("%sg%d", Prefix, index) }

// funcIndex renumbers a function.
func (w *rewriter) funcIndex(i uint32) uint32 {
	if i >= w.yield {
		return i + w.added
	}
	return i
}

// grown is the index of the function that hears of memory.grow.
func (w *rewriter) grown() uint32 { return w.yield + 1 }

// section rewrites one section; nil means there is none.
func (w *rewriter) section(id byte, body []byte, present bool) ([]byte, error) {
	r := newReader(body)
	var out []byte
	switch id {
	case secType:
		out = appendItem(body, present, formFunc, 1, typeI32, 1, typeI32)
	case secImport:
		out = appendItem(body, present, w.hostFunc(ImportYield)...)
		if w.opts.Portable {
			out = appendItem(out, true, w.hostFunc(ImportGrown)...)
		}
	case secGlobal:
		out = w.globalSection(r, present)
	case secTable:
		out = w.tableSection(r, present)
	case secExport:
		out = w.exportSection(r, present)
	case secStart:
		if present {
			out = wasmbin.AppendU32(nil, w.funcIndex(r.U32()))
		}
	case secElement:
		if present {
			out = w.elementSection(r)
		}
	case secCode:
		if present {
			out = w.codeSection(r)
		} else if len(w.funcs) > 0 {
			return nil, fmt.Errorf("missing, but there are %d functions", len(w.funcs))
		}
	case secTag:
		if present && !w.opts.Exceptions {
			return nil, fmt.Errorf("exceptions are not supported")
		}
		out, r.Pos = body, len(body)
	default:
		return body, nil
	}
	if id == secType || id == secImport {
		return out, nil // summarize has read them to the end
	}
	if r.Err == nil && !r.Done() {
		r.Fail("junk after the section")
	}
	return out, r.Err
}

// appendItem adds one item to the end of a section that is a plain vector,
// which summarize has checked.
func appendItem(body []byte, present bool, item ...byte) []byte {
	n := uint32(0)
	if present {
		r := newReader(body)
		n = r.U32()
		body = body[r.Pos:]
	}
	out := make([]byte, 0, len(body)+len(item)+5)
	out = wasmbin.AppendU32(out, n+1)
	out = append(out, body...)
	return append(out, item...)
}

// hostFunc is the import of a function of the host, i32 to i32.
func (w *rewriter) hostFunc(name string) []byte {
	item := wasmbin.AppendName(wasmbin.AppendName(nil, ImportModule), name)
	return wasmbin.AppendU32(append(item, kindFunc), w.yieldType)
}

func (w *rewriter) globalSection(r *reader, present bool) []byte {
	n := uint32(0)
	if present {
		n = r.count()
	}
	out := wasmbin.AppendU32(nil, n+1)
	for ; n > 0 && r.Err == nil; n-- {
		out = append(out, r.Byte(), r.Byte())
		out = constExpr(r, w, out)
	}
	// The counter starts empty, so that the first site asks the host.
	return append(out, typeI32, 1, opI32Const, 0, opEnd)
}

// tableSection bounds what tables may grow to.
func (w *rewriter) tableSection(r *reader, present bool) []byte {
	if !present {
		return nil
	}
	n := r.count()
	out := wasmbin.AppendU32(nil, n)
	for ; n > 0 && r.Err == nil; n-- {
		out = append(out, r.valueType())
		flags, min, max := r.limits()
		if limit := w.opts.TableLimit; limit > 0 {
			if min > limit {
				r.Fail("a table of %d elements is larger than %d", min, limit)
			}
			if flags&limitMax == 0 || max > limit {
				flags, max = limitMax, limit
			}
		}
		out = wasmbin.AppendU32(append(out, flags), min)
		if flags&limitMax != 0 {
			out = wasmbin.AppendU32(out, max)
		}
	}
	return out
}

// The kinds of imports and exports that are told apart.
const (
	kindFunc   = 0
	kindTable  = 1
	kindMemory = 2
	kindGlobal = 3
	kindTag    = 4
)

func (w *rewriter) exportSection(r *reader, present bool) []byte {
	n := uint32(0)
	if present {
		n = r.count()
	}
	extra := 1 + uint32(len(w.info.Globals))
	if w.opts.Portable && w.memory != nil {
		extra++
	}
	out := wasmbin.AppendU32(nil, n+extra)
	for ; n > 0 && r.Err == nil; n-- {
		name := r.Name()
		if bytes.HasPrefix(name, []byte(Prefix)) {
			r.Fail("export name %q is reserved", name)
		}
		kind, index := r.Byte(), r.U32()
		switch {
		case kind == kindFunc:
			index = w.funcIndex(index)
			w.exported[index] = string(name)
		case kind == kindGlobal && index >= w.counter:
			r.Fail("unknown global %d", index)
		}
		out = wasmbin.AppendName(out, string(name))
		out = wasmbin.AppendU32(append(out, kind), index)
	}
	for i, g := range w.globals {
		if g.mutable && uint32(i) >= w.importGlobs && g.valueType >= typeF64 {
			out = wasmbin.AppendName(out, globalName(i))
			out = wasmbin.AppendU32(append(out, kindGlobal), uint32(i))
		}
	}
	if w.opts.Portable && w.memory != nil {
		out = append(wasmbin.AppendName(out, ExportMemory), kindMemory, 0)
	}
	out = wasmbin.AppendName(out, ExportFuel)
	return wasmbin.AppendU32(append(out, kindGlobal), w.counter)
}

// elementSection renumbers the functions of element segments.
func (w *rewriter) elementSection(r *reader) []byte {
	const (
		passive  = 1 << 0 // or declarative
		explicit = 1 << 1 // a table index, or declarative
		exprs    = 1 << 2
	)
	n := r.count()
	out := wasmbin.AppendU32(nil, n)
	for ; n > 0 && r.Err == nil; n-- {
		flags := r.U32()
		if flags > 7 {
			r.Fail("invalid segment flags %#x", flags)
		}
		out = wasmbin.AppendU32(out, flags)
		if flags&passive == 0 {
			if flags&explicit != 0 {
				out = wasmbin.AppendU32(out, r.U32())
			}
			out = constExpr(r, w, out)
		}
		if flags&(passive|explicit) != 0 {
			out = append(out, r.Byte()) // element kind or reference type
		}
		items := r.count()
		out = wasmbin.AppendU32(out, items)
		for ; items > 0 && r.Err == nil; items-- {
			if flags&exprs == 0 {
				out = wasmbin.AppendU32(out, w.funcIndex(r.U32()))
			} else {
				out = constExpr(r, w, out)
			}
		}
	}
	return out
}

// constExpr copies a constant expression to out, renumbering functions; with
// no rewriter it only passes over it.
func constExpr(r *reader, w *rewriter, out []byte) []byte {
	for r.Err == nil {
		from := r.Pos
		op := r.Byte()
		switch op {
		case opEnd:
		case opRefFunc:
			i := r.U32()
			if w != nil {
				out = wasmbin.AppendU32(append(out, op), w.funcIndex(i))
			}
			continue
		case opGlobalGet:
			if i := r.U32(); w != nil && i >= w.counter {
				r.Fail("unknown global %d", i)
			}
		case opI32Const, opRefNull:
			r.Leb(5)
		case opI64Const:
			r.Leb(10)
		case opF32Const:
			r.Skip(4)
		case opF64Const:
			r.Skip(8)
		case opPrefixSIMD:
			if sub := r.U32(); sub != simdConst {
				r.Fail("instruction %#x %#x in a constant expression", op, sub)
			}
			r.Skip(16)
		case opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
		default:
			r.Fail("instruction %#x in a constant expression", op)
		}
		if r.Err == nil && w != nil {
			out = append(out, r.Data[from:r.Pos]...)
		}
		if op == opEnd {
			break
		}
	}
	return out
}
