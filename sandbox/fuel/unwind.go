package fuel

import (
	"bytes"
	"fmt"
	"slices"

	"wb/sandbox/wasmbin"
)

// Unwinding names, by their exports, what a module compiled with exceptions has
// for [Unwind]. The module throws by setting a global and returning; it catches
// in functions that look at the global after a call.
type Unwinding struct {
	Flag   string   // a mutable i32 global, not zero while an exception looks for its handler
	Throw  string   // the function that sets it
	Guards []string // the functions that look at it themselves; with none nothing is caught

	// Place, a mutable i32 global, gets At(offset) before each call of Begin, a
	// function, that stands at offset in the code section, unless that is 0.
	Place, Begin string
	At           func(offset int) int32
}

// Unwind returns a module whose functions return at once when a call they made
// has left the flag set: after each call that may throw stands
//
//	if flag { return 0 }
//
// so that an exception leaves one function after the other until a guard stops
// it. Calls that cannot throw, by the graph of all calls, stay as they are, and so
// do modules that never throw. The result is plain WebAssembly without the
// exceptions of the specification, which Instrument meters as any other module.
// Of the custom sections only the names remain.
func Unwind(wasm []byte, names Unwinding) ([]byte, error) {
	sections, err := split(wasm)
	if err != nil {
		return nil, fmt.Errorf("unwind: %w", err)
	}
	s, err := summarize(sections)
	if err != nil {
		return nil, fmt.Errorf("unwind: %w", err)
	}
	u := &unwinder{rewriter: newRewriter(s, Options{}), at: names.At}
	if err := u.read(sections, names); err != nil {
		return nil, fmt.Errorf("unwind: %w", err)
	}
	u.spread()
	out := append(make([]byte, 0, len(wasm)+len(wasm)/16), wasm[:8]...)
	for _, sec := range sections {
		body := sec.body
		if sec.id == secCustom && string(newReader(body).Name()) != "name" {
			continue
		}
		if sec.id == secCode {
			if body, err = u.check(); err != nil {
				return nil, fmt.Errorf("unwind: %w", err)
			}
		}
		out = wasmbin.AppendSection(out, sec.id, body)
	}
	return out, nil
}

// unwinder knows who calls whom. A node is a function, by its index, or behind
// those the functions of one type that are called through a table.
type unwinder struct {
	*rewriter
	codes   [][]byte // the body of each defined function
	offsets []int    // where they stand in their section
	same    []uint32 // for each type the first that is equal
	at      func(offset int) int32
	flag    uint32
	throw   uint32
	place   uint32
	begin   uint32
	guards  map[uint32]bool
	callers [][]uint32 // the functions that call a node
	may     []bool     // whether a call of a node may throw
}

func (u *unwinder) functions() uint32 { return u.importFuncs + uint32(len(u.funcs)) }

// through is the node of the functions of a type that stand in tables.
func (u *unwinder) through(typ uint32) uint32 { return u.functions() + u.same[typ] }

// read collects the exports, the functions in tables and all calls.
func (u *unwinder) read(sections []section, names Unwinding) error {
	u.same = make([]uint32, len(u.types))
	for i, t := range u.types {
		u.same[i] = uint32(slices.IndexFunc(u.types[:i+1], func(o signature) bool { return bytes.Equal(o.form, t.form) }))
	}
	u.callers = make([][]uint32, int(u.functions())+len(u.same))
	exports, code := false, false
	for _, sec := range sections {
		r := newReader(sec.body)
		switch sec.id {
		case secExport:
			u.readExports(r, names)
			exports = true
		case secElement:
			u.readElements(r)
		case secCode:
			u.readCode(r)
			code = true
		}
		if r.Err != nil {
			return fmt.Errorf("%s section: %w", sectionNames[sec.id], r.Err)
		}
	}
	if !exports || !code {
		return fmt.Errorf("the module has no exports or no code")
	}
	return nil
}

func (u *unwinder) readExports(r *reader, names Unwinding) {
	functions, globals := map[string]uint32{}, map[string]uint32{}
	for n := r.count(); n > 0 && r.Err == nil; n-- {
		name := string(r.Name())
		kind, index := r.Byte(), r.U32()
		switch {
		case kind == kindFunc && index < u.functions():
			functions[name] = index
		case kind == kindGlobal && index < u.counter && u.globals[index].mutable && u.globals[index].valueType == typeI32:
			globals[name] = index
		}
	}
	find := func(among map[string]uint32, name string) uint32 {
		index, ok := among[name]
		if !ok {
			r.Fail("%s is not exported", name)
		}
		return index
	}
	u.guards = map[uint32]bool{}
	for _, name := range names.Guards {
		u.guards[find(functions, name)] = true
	}
	u.flag, u.throw = find(globals, names.Flag), find(functions, names.Throw)
	if u.at != nil {
		u.place, u.begin = find(globals, names.Place), find(functions, names.Begin)
	}
}

// readElements notes which functions are called through tables. Linkers write
// one kind of segment; with another one every function may stand in a table.
func (u *unwinder) readElements(r *reader) {
	for n := r.count(); n > 0 && r.Err == nil; n-- {
		if r.U32() != 0 {
			for i := range u.funcs {
				u.addressed(u.importFuncs + uint32(i))
			}
			return
		}
		constExpr(r, nil, nil)
		for items := r.count(); items > 0 && r.Err == nil; items-- {
			u.addressed(r.U32())
		}
	}
}

// addressed notes that a table has a function.
func (u *unwinder) addressed(f uint32) {
	if f >= u.importFuncs && f < u.functions() {
		u.callers[f] = append(u.callers[f], u.through(u.funcs[f-u.importFuncs]))
	}
}

func (u *unwinder) readCode(r *reader) {
	n := r.count()
	if int(n) != len(u.funcs) {
		r.Fail("%d bodies for %d functions", n, len(u.funcs))
		return
	}
	u.codes, u.offsets = make([][]byte, n), make([]int, n)
	for i := range u.codes {
		u.codes[i] = r.Bytes(r.U32())
		u.offsets[i] = r.Pos - len(u.codes[i])
		caller := u.importFuncs + uint32(i)
		err := u.walk(u.codes[i], func(_ *body, _ int, callee uint32) { u.callers[callee] = append(u.callers[callee], caller) })
		if err != nil && r.Err == nil {
			r.Fail("function %d: %w", caller, err)
		}
	}
}

// walk calls visit after each call in a body, with where it begins and the node
// called.
func (u *unwinder) walk(code []byte, visit func(b *body, at int, callee uint32)) error {
	b := &body{rewriter: u.rewriter, reader: *newReader(code)}
	b.local = 1<<32 - 1 // the engine checks locals
	b.skipLocals()
	for b.Err == nil && !b.Done() {
		at := b.Pos
		switch op := b.Byte(); op {
		case opCall, opReturnCall:
			if f := b.U32(); f < u.functions() {
				visit(b, at, f)
			} else {
				b.Fail("unknown function %d", f)
			}
		case opCallIndirect, opReturnCallIndirect:
			typ := b.U32()
			b.Leb(5)
			if int(typ) >= len(u.types) {
				b.Fail("unknown type %d", typ)
			} else if b.Err == nil {
				visit(b, at, u.through(typ))
			}
		default:
			b.immediates(op)
		}
	}
	return b.Err
}

// spread finds what may throw: who throws, and who calls what may throw.
func (u *unwinder) spread() {
	u.may = make([]bool, len(u.callers))
	if len(u.guards) == 0 {
		return
	}
	u.may[u.throw] = true
	for todo := []uint32{u.throw}; len(todo) > 0; {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, caller := range u.callers[node] {
			if !u.may[caller] && !u.guards[caller] {
				u.may[caller] = true
				todo = append(todo, caller)
			}
		}
	}
}

// check is the code section with the checks.
func (u *unwinder) check() ([]byte, error) {
	out := wasmbin.AppendU32(nil, uint32(len(u.codes)))
	for i, code := range u.codes {
		code, err := u.checked(code, u.offsets[i], u.leave(u.types[u.funcs[i]].results), u.may[u.importFuncs+uint32(i)])
		if err != nil {
			return nil, err
		}
		out = append(wasmbin.AppendU32(out, uint32(len(code))), code...)
	}
	return out, nil
}

// checked is one body with places before calls of begin and, if it may throw, a
// check after each call that may, but where the function returns anyway.
func (u *unwinder) checked(code []byte, offset int, leave []byte, may bool) ([]byte, error) {
	var out []byte
	from := 0
	insert := func(at int, what []byte) {
		out = append(append(out, code[from:at]...), what...)
		from = at
	}
	err := u.walk(code, func(b *body, at int, callee uint32) {
		if u.at != nil && callee == u.begin {
			if place := u.at(offset + at); place != 0 {
				insert(at, wasmbin.AppendU32(append(wasmbin.AppendI32([]byte{opI32Const}, place), opGlobalSet), u.place))
			}
		}
		tail := code[at] == opReturnCall || code[at] == opReturnCallIndirect
		returns := b.Err == nil && (b.Pos == len(code)-1 || b.Pos < len(code) && code[b.Pos] == opReturn)
		if may && u.may[callee] && !tail && !returns {
			insert(b.Pos, leave)
		}
	})
	if from == 0 {
		return code, err
	}
	return append(out, code[from:]...), err
}

// leave is the code of a check in a function with the given results.
func (u *unwinder) leave(results []byte) []byte {
	out := append(wasmbin.AppendU32([]byte{opGlobalGet}, u.flag), opIf, blockVoid)
	for _, t := range results {
		switch t {
		case typeI32:
			out = append(out, opI32Const, 0)
		case typeI64:
			out = append(out, opI64Const, 0)
		case typeF32:
			out = append(out, opF32Const, 0, 0, 0, 0)
		case typeF64:
			out = append(out, opF64Const, 0, 0, 0, 0, 0, 0, 0, 0)
		case typeV128:
			out = append(append(out, opPrefixSIMD, simdConst), make([]byte, 16)...)
		default:
			out = append(out, opRefNull, t)
		}
	}
	return append(out, opReturn, opEnd)
}
