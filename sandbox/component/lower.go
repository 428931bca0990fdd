package component

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wb/sandbox/wasmbin"
)

// ErrComposed says that a component holds several programs, as wac and wasm-tools compose
// put them together.
var ErrComposed = errors.New("it is composed of several programs, which have a memory each")

// Lower makes a core module of a component that is a program.
func Lower(wasm []byte) ([]byte, error) {
	if !Is(wasm) {
		return nil, errors.New("it is no component")
	}
	f := &fusion{hosts: map[hostKey]uint32{}}
	root, err := follow(wasm, nil, nil, &f.made)
	if err != nil {
		return nil, err
	}
	run, err := root.run()
	if err != nil {
		return nil, err
	}
	return f.module(run)
}

// fusion is the module that all modules of a component become.
type fusion struct {
	made
	cores   []*core
	numbers []*numbering

	types, tables, memories, elements, data [][]byte
	hosts                                   map[hostKey]uint32
	imports                                 []hostImport
	funcs                                   []uint32 // the type of each that is defined
	globals                                 []global // renumbered
	bodies                                  [][]byte
	starts                                  []uint32
	allocators                              []string // functions that host functions allocate with, as hostKey has them
}

// hostKey tells the imports of the host apart.
type hostKey struct {
	hostFunc
	realloc string
	typ     string
}

type hostImport struct {
	hostFunc
	typ uint32
}

// maxDefined bounds the functions, so that numbers stay numbers.
const maxDefined = 1 << 22

// module joins the modules, and runs what they begin with before the program does.
func (f *fusion) module(run any) ([]byte, error) {
	for _, in := range f.instances {
		c, err := readCore(in.module)
		if err != nil {
			return nil, err
		}
		f.cores = append(f.cores, c)
	}
	// Imports of the host come before all functions, so they are found first.
	exit := hostKey{hostFunc: hostFunc{"wasi:cli/exit", "exit"}, typ: "\x60\x01\x7f\x00"}
	f.host(exit)
	for i, c := range f.cores {
		for _, im := range c.imports {
			if low, ok := f.given(i, im).(lowered); ok && im.kind == kindFunc {
				if im.typ >= uint32(len(c.types)) {
					return nil, fmt.Errorf("unknown type %d", im.typ)
				}
				f.host(key(low, c.types[im.typ]))
			}
		}
	}
	for i := range f.cores {
		if err := f.define(i); err != nil {
			return nil, err
		}
	}
	at, err := f.resolve(run, kindFunc)
	if err != nil {
		return nil, fmt.Errorf("wasi:cli/run: %w", err)
	}
	for i := range f.cores {
		if err := f.fill(i); err != nil {
			return nil, err
		}
	}
	return f.write(at, f.hosts[exit])
}

// key names an import of the host.
func key(low lowered, typ []byte) hostKey {
	k := hostKey{hostFunc: low.hostFunc, typ: string(typ)}
	if it, ok := low.realloc.(item); ok {
		k.realloc = fmt.Sprintf("%d %s", it.of.number, it.name)
	}
	return k
}

// host is the number of an import of the host.
func (f *fusion) host(k hostKey) uint32 {
	if i, known := f.hosts[k]; known {
		return i
	}
	i := uint32(len(f.imports))
	f.hosts[k] = i
	if k.realloc != "" {
		number := slices.Index(f.allocators, k.realloc)
		if number < 0 {
			number = len(f.allocators)
			f.allocators = append(f.allocators, k.realloc)
		}
		k.name += "#" + strconv.Itoa(number)
	}
	f.imports = append(f.imports, hostImport{k.hostFunc, f.typ([]byte(k.typ))})
	return i
}

func (f *fusion) typ(form []byte) uint32 {
	f.types = append(f.types, form)
	return uint32(len(f.types) - 1)
}

// given is what a module is given for one of its imports.
func (f *fusion) given(i int, im coreImport) any {
	switch from := f.instances[i].given[im.module].(type) {
	case *instance:
		return item{from, im.kind, im.name}
	case bag:
		return from[im.name]
	}
	return nil
}

// resolve finds where a thing of a module stands.
func (f *fusion) resolve(v any, kind byte) (index, error) {
	it, ok := v.(item)
	if !ok {
		return index{}, errors.New("a module imports what nothing provides")
	}
	if it.of.exports == nil {
		return index{}, errors.New("a module is used before it is there")
	}
	at, there := it.of.exports[it.name]
	if !there || at.kind != kind {
		return index{}, fmt.Errorf("a module imports %q, which is not exported", it.name)
	}
	return at, nil
}

// define gives everything of a module its number.
func (f *fusion) define(i int) error {
	c := f.cores[i]
	n := &numbering{types: uint32(len(f.types)), typeCount: uint32(len(c.types)), memories: 0}
	f.numbers = append(f.numbers, n)
	f.types = append(f.types, c.types...)
	memory := -1
	for _, im := range c.imports {
		v := f.given(i, im)
		if low, ok := v.(lowered); ok && im.kind == kindFunc {
			n.funcs = append(n.funcs, f.host(key(low, c.types[im.typ])))
			continue
		}
		at, err := f.resolve(v, im.kind)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", im.module, im.name, err)
		}
		switch im.kind {
		case kindFunc:
			n.funcs = append(n.funcs, at.at)
		case kindTable:
			n.tables = append(n.tables, at.at)
		case kindMemory:
			memory = int(at.at)
		case kindGlobal:
			n.globals = append(n.globals, at.at)
		}
	}
	for _, typ := range c.funcs {
		if typ >= n.typeCount || len(f.funcs) > maxDefined {
			return fmt.Errorf("unknown type %d", typ)
		}
		n.funcs = append(n.funcs, uint32(len(f.imports)+len(f.funcs)))
		f.funcs = append(f.funcs, n.types+typ)
	}
	for _, t := range c.tables {
		n.tables = append(n.tables, uint32(len(f.tables)))
		f.tables = append(f.tables, t)
	}
	for _, m := range c.memories {
		f.memories = append(f.memories, m)
		memory = len(f.memories) - 1
	}
	if len(f.memories) > 1 {
		return ErrComposed
	}
	for _, g := range c.globals {
		r := newReader(g.init)
		n.constants = f.constants()
		init := n.constant(nil, r)
		if r.Err != nil {
			return r.Err
		}
		n.globals = append(n.globals, uint32(len(f.globals)))
		f.globals = append(f.globals, global{g.form, init})
	}
	n.constants = f.constants()
	return f.export(i, memory)
}

// export says where others find what a module exports.
func (f *fusion) export(i, memory int) error {
	c, n := f.cores[i], f.numbers[i]
	f.instances[i].exports = map[string]index{}
	for name, e := range c.exports {
		list := map[byte][]uint32{kindFunc: n.funcs, kindTable: n.tables, kindGlobal: n.globals}[e.kind]
		if e.kind == kindMemory && memory >= 0 {
			list = []uint32{uint32(memory)}
		}
		if e.at >= uint32(len(list)) {
			return fmt.Errorf("the export %q of a module stands for nothing", name)
		}
		f.instances[i].exports[name] = index{e.kind, list[e.at]}
	}
	return nil
}

// constants are the values of globals that never change.
func (f *fusion) constants() [][]byte {
	list := make([][]byte, len(f.globals)+1)
	for i, g := range f.globals {
		if g.form[1] == 0 {
			list[i] = g.init[:len(g.init)-1]
		}
	}
	return list
}

// fill renumbers the code of a module and what its memory and tables begin with.
func (f *fusion) fill(i int) error {
	c, n := f.cores[i], f.numbers[i]
	n.constants = f.constants()
	n.elements, n.elemCount = uint32(len(f.elements)), c.elementCount
	n.data, n.dataCount = uint32(len(f.data)), c.dataCount
	for range c.elementCount {
		f.elements = append(f.elements, n.element(nil, c.elements))
		if c.elements.Err != nil {
			return c.elements.Err
		}
	}
	for range c.dataCount {
		f.data = append(f.data, n.segment(nil, c.data))
		if c.data.Err != nil {
			return c.data.Err
		}
	}
	for _, b := range c.bodies {
		body, err := n.body(nil, b)
		if err != nil {
			return err
		}
		f.bodies = append(f.bodies, body)
	}
	if c.start != nil {
		if *c.start >= uint32(len(n.funcs)) {
			return errors.New("a module starts with what it does not have")
		}
		f.starts = append(f.starts, n.funcs[*c.start])
	}
	return nil
}

// write is the module.
func (f *fusion) write(run index, exit uint32) ([]byte, error) {
	none := f.typ([]byte{0x60, 0, 0})
	define := func(code ...byte) uint32 {
		f.funcs = append(f.funcs, none)
		f.bodies = append(f.bodies, append([]byte{0}, code...))
		return uint32(len(f.imports) + len(f.funcs) - 1)
	}
	var out []byte
	vector := func(id byte, items [][]byte) {
		if len(items) == 0 {
			return
		}
		body := wasmbin.AppendU32(nil, uint32(len(items)))
		for _, item := range items {
			body = append(body, item...)
		}
		out = append(wasmbin.AppendU32(append(out, id), uint32(len(body))), body...)
	}
	call := []byte{0x10}
	start := wasmbin.AppendU32(append([]byte{}, call...), run.at) // run; fails where it returns 1
	start = append(wasmbin.AppendU32(append(start, 0x04, 0x40, 0x41, 1, 0x10), exit), 0x0b, 0x0b)
	program := define(start...)
	var begin []byte
	for _, s := range f.starts {
		begin = wasmbin.AppendU32(append(begin, call...), s)
	}
	first := program
	if begin != nil {
		first = define(append(begin, 0x0b)...)
	}

	var exports [][]byte
	export := func(name string, kind byte, at uint32) {
		exports = append(exports, wasmbin.AppendU32(append(wasmbin.AppendName(nil, name), kind), at))
	}
	export("_start", kindFunc, program)
	if len(f.memories) > 0 {
		export("memory", kindMemory, 0)
	}
	imports, err := f.hostImports(export)
	if err != nil {
		return nil, err
	}
	funcs := make([][]byte, len(f.funcs))
	for i, t := range f.funcs {
		funcs[i] = wasmbin.AppendU32(nil, t)
	}
	globals := make([][]byte, len(f.globals))
	for i, g := range f.globals {
		globals[i] = append(append([]byte{}, g.form...), g.init...)
	}
	for i, b := range f.bodies {
		f.bodies[i] = append(wasmbin.AppendU32(nil, uint32(len(b))), b...)
	}
	out = []byte("\x00asm\x01\x00\x00\x00")
	vector(secType, f.types)
	vector(secImport, imports)
	vector(secFunction, funcs)
	vector(secTable, f.tables)
	vector(secMemory, f.memories)
	vector(secGlobal, globals)
	vector(secExport, exports)
	if begin != nil {
		at := wasmbin.AppendU32(nil, first)
		out = append(append(out, secStart, byte(len(at))), at...)
	}
	vector(secElement, f.elements)
	if len(f.data) > 0 {
		count := wasmbin.AppendU32(nil, uint32(len(f.data)))
		out = append(append(out, secDataCount, byte(len(count))), count...)
	}
	vector(secCode, f.bodies)
	vector(secData, f.data)
	return out, nil
}

// hostImports are the imports as they are written. Functions that they allocate with
// are exported.
func (f *fusion) hostImports(export func(name string, kind byte, at uint32)) ([][]byte, error) {
	list := make([][]byte, len(f.imports))
	for i, im := range f.imports {
		list[i] = wasmbin.AppendU32(append(wasmbin.AppendName(wasmbin.AppendName(nil, im.module), im.name), kindFunc), im.typ)
	}
	for number, realloc := range f.allocators {
		of, name, _ := strings.Cut(realloc, " ")
		i, err := strconv.Atoi(of)
		if err != nil {
			return nil, err
		}
		at, err := f.resolve(item{f.instances[i], kindFunc, name}, kindFunc)
		if err != nil {
			return nil, err
		}
		export(Realloc+strconv.Itoa(number), kindFunc, at.at)
	}
	return list, nil
}
