package fuel

import (
	"bytes"
	"encoding/json"
	"fmt"
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
			out = appendSection(out, id, body)
		}
	}
	out = appendSection(out, secCustom, w.names(sections))
	info, err := json.Marshal(w.info)
	if err != nil {
		return nil, nil, fmt.Errorf("fuel: %w", err)
	}
	out = appendSection(out, secCustom, append(appendName(nil, infoSection), info...))
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
	r := &reader{b: body}
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
			out = appendU32(nil, w.funcIndex(r.u32()))
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
		out, r.p = body, len(body)
	default:
		return body, nil
	}
	if id == secType || id == secImport {
		return out, nil // summarize has read them to the end
	}
	if r.err == nil && !r.done() {
		r.fail("junk after the section")
	}
	return out, r.err
}

// appendItem adds one item to the end of a section that is a plain vector,
// which summarize has checked.
func appendItem(body []byte, present bool, item ...byte) []byte {
	n := uint32(0)
	if present {
		r := &reader{b: body}
		n = r.u32()
		body = body[r.p:]
	}
	out := make([]byte, 0, len(body)+len(item)+5)
	out = appendU32(out, n+1)
	out = append(out, body...)
	return append(out, item...)
}

// hostFunc is the import of a function of the host, i32 to i32.
func (w *rewriter) hostFunc(name string) []byte {
	item := appendName(appendName(nil, ImportModule), name)
	return appendU32(append(item, kindFunc), w.yieldType)
}

func (w *rewriter) globalSection(r *reader, present bool) []byte {
	n := uint32(0)
	if present {
		n = r.count()
	}
	out := appendU32(nil, n+1)
	for ; n > 0 && r.err == nil; n-- {
		out = append(out, r.byte(), r.byte())
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
	out := appendU32(nil, n)
	for ; n > 0 && r.err == nil; n-- {
		out = append(out, r.valueType())
		flags, min, max := r.limits()
		if limit := w.opts.TableLimit; limit > 0 {
			if min > limit {
				r.fail("a table of %d elements is larger than %d", min, limit)
			}
			if flags&limitMax == 0 || max > limit {
				flags, max = limitMax, limit
			}
		}
		out = appendU32(append(out, flags), min)
		if flags&limitMax != 0 {
			out = appendU32(out, max)
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
	out := appendU32(nil, n+extra)
	for ; n > 0 && r.err == nil; n-- {
		name := r.name()
		if bytes.HasPrefix(name, []byte(Prefix)) {
			r.fail("export name %q is reserved", name)
		}
		kind, index := r.byte(), r.u32()
		switch {
		case kind == kindFunc:
			index = w.funcIndex(index)
			w.exported[index] = string(name)
		case kind == kindGlobal && index >= w.counter:
			r.fail("unknown global %d", index)
		}
		out = appendName(out, string(name))
		out = appendU32(append(out, kind), index)
	}
	for i, g := range w.globals {
		if g.mutable && uint32(i) >= w.importGlobs && g.valueType >= typeF64 {
			out = appendName(out, globalName(i))
			out = appendU32(append(out, kindGlobal), uint32(i))
		}
	}
	if w.opts.Portable && w.memory != nil {
		out = append(appendName(out, ExportMemory), kindMemory, 0)
	}
	out = appendName(out, ExportFuel)
	return appendU32(append(out, kindGlobal), w.counter)
}

// elementSection renumbers the functions of element segments.
func (w *rewriter) elementSection(r *reader) []byte {
	const (
		passive  = 1 << 0 // or declarative
		explicit = 1 << 1 // a table index, or declarative
		exprs    = 1 << 2
	)
	n := r.count()
	out := appendU32(nil, n)
	for ; n > 0 && r.err == nil; n-- {
		flags := r.u32()
		if flags > 7 {
			r.fail("invalid segment flags %#x", flags)
		}
		out = appendU32(out, flags)
		if flags&passive == 0 {
			if flags&explicit != 0 {
				out = appendU32(out, r.u32())
			}
			out = constExpr(r, w, out)
		}
		if flags&(passive|explicit) != 0 {
			out = append(out, r.byte()) // element kind or reference type
		}
		items := r.count()
		out = appendU32(out, items)
		for ; items > 0 && r.err == nil; items-- {
			if flags&exprs == 0 {
				out = appendU32(out, w.funcIndex(r.u32()))
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
	for r.err == nil {
		from := r.p
		op := r.byte()
		switch op {
		case opEnd:
		case opRefFunc:
			i := r.u32()
			if w != nil {
				out = appendU32(append(out, op), w.funcIndex(i))
			}
			continue
		case opGlobalGet:
			if i := r.u32(); w != nil && i >= w.counter {
				r.fail("unknown global %d", i)
			}
		case opI32Const, opRefNull:
			r.leb(5)
		case opI64Const:
			r.leb(10)
		case opF32Const:
			r.skip(4)
		case opF64Const:
			r.skip(8)
		case opPrefixSIMD:
			if sub := r.u32(); sub != simdConst {
				r.fail("instruction %#x %#x in a constant expression", op, sub)
			}
			r.skip(16)
		case opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
		default:
			r.fail("instruction %#x in a constant expression", op)
		}
		if r.err == nil && w != nil {
			out = append(out, r.b[from:r.p]...)
		}
		if op == opEnd {
			break
		}
	}
	return out
}
