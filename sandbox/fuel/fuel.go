// Package fuel rewrites WebAssembly modules so that they count what they do
// and hand control back to the host now and then.
//
// # What is counted
//
// [Instrument] puts a site at every function entry and every loop header, and
// further ones so that no path through the code is longer than [MaxRun]
// instructions without one. Passing a site burns one unit of fuel. Small leaf
// functions (no loop, no call, at most [smallLeaf] instructions) have no site:
// their cost is bounded by that of their callers. Instructions that work on a
// whole range (memory.fill, memory.copy, table.grow, …) also burn a unit for
// each [BytesPerUnit] bytes. The count depends on nothing but the program and
// its input, so the same run burns the same fuel on every machine, and a unit
// is at most MaxRun instructions.
//
// # How
//
// A site subtracts one from a counter. When there is nothing left it first
// calls
//
//	(import "wb:fuel" "yield" (func (param i32) (result i32)))
//
// with the counter, which may be negative, and takes the result, which must be
// positive, as its new value. The host gives as much as it wants to be heard
// from again after: that is where deadlines
// and cancellation are honoured, and, because the host is Go code, where the
// garbage collector can stop the world.
//
// The counter is a global that the original code has no name for. Functions
// that have a loop without calls in it keep it in a local variable and write
// it back around calls, which makes a site in a tight loop one subtraction and
// one untaken branch on a register.
//
// # What changes
//
// The import shifts the index of every function defined in the module by one;
// all uses are renumbered: calls, ref.func, element segments, exports, the
// start function and the name section, which is the only custom section kept.
// Mutable globals are exported under reserved names so that a host can save
// and restore a module's whole state. Otherwise an instrumented module behaves
// as the plain one does; the tests run the WebAssembly specification's suite
// to show it.
//
// Modules are rejected, never passed on unmetered, when they are malformed or
// use anything the rewriter does not know: threads, several memories, 64-bit
// memories, garbage-collected types, and exceptions unless asked for.
package fuel

import (
	"encoding/json"
	"fmt"
)

// The names an instrumented module and its host know each other by. A guest
// module may not use the prefix itself.
const (
	Prefix       = "wb:"
	ImportModule = "wb:fuel"
	ImportYield  = "yield"
	ImportGrown  = "grown"     // only with Options.Portable
	ExportMemory = "wb:memory" // only with Options.Portable
	ExportFuel   = "wb:fuel"   // the counter, a mutable i32 global
	StackPointer = "wb:g0"     // the first global, if the module has it mutable
)

// Version changes whenever the same module would be instrumented differently,
// so that what was kept from before is not used, and fuel counted by different
// versions is not compared.
const Version = 1

// Bounds of the accounting.
const (
	// MaxRun is how many instructions (an expensive one counts as several) a
	// path may have between two sites.
	MaxRun = 128
	// BytesPerUnit is how many bytes of a bulk operation cost one unit.
	BytesPerUnit = 64
	// smallLeaf is the longest function, in instructions, without a site.
	smallLeaf = 24
)

// Options choose what Instrument accepts.
type Options struct {
	// Exceptions lets try_table, throw and tags pass. They are off by default
	// because wazero 1.12.0 miscompiles them.
	Exceptions bool
	// TableLimit bounds each table's elements, and so what table.grow can
	// allocate; 0 means the module's own maximum.
	TableLimit uint32
	// Portable is for hosts that cannot see a guest's memory grow, such as
	// browsers: memory.grow hands its result to
	//
	//	(import "wb:fuel" "grown" (func (param i32) (result i32)))
	//
	// which returns it, and the module's own memory is exported as
	// [ExportMemory]. The fuel of a run is the same with and without.
	Portable bool
}

// Info describes an instrumented module. It is stored in it, see [Describe].
type Info struct {
	// Sites is the number of places that burn fuel.
	Sites int `json:"sites"`
	// Globals are the export names of all mutable globals but the counter.
	Globals []string `json:"globals,omitempty"`
	// Memory is the module's own memory, in 64 KiB pages; nil if it has none.
	Memory *Pages `json:"memory,omitempty"`
	// Opaque says why memory and Globals are not the whole state of an
	// instance, "" when they are.
	Opaque string `json:"opaque,omitempty"`
}

// Pages are the limits of a memory.
type Pages struct {
	Min uint32 `json:"min"`
	Max uint32 `json:"max"` // 65536 when the module sets none
}

// infoSection is the custom section that holds an Info as JSON.
const infoSection = "wb:info"

// Describe returns what Instrument stored in a module it made.
func Describe(wasm []byte) (*Info, error) {
	sections, err := split(wasm)
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		if s.id != secCustom {
			continue
		}
		r := newReader(s.body)
		if string(r.Name()) == infoSection && r.Err == nil {
			var info Info
			if err := json.Unmarshal(s.body[r.Pos:], &info); err != nil {
				return nil, fmt.Errorf("fuel: %w", err)
			}
			return &info, nil
		}
	}
	return nil, fmt.Errorf("fuel: module is not instrumented")
}
