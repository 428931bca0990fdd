package fuel

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"wb/sandbox/wasmbin"

	"github.com/tetratelabs/wazero"
)

// thrower is a module that throws: "outer" gives 100 when "guard" has caught what
// "inner" threw, which it does for an argument other than 0, and 1 + 10 + its
// argument otherwise. Functions have the type (i32) -> i32 but throw, () -> ().
func thrower() []byte {
	section := func(id byte, body ...byte) []byte { return wasmbin.AppendSection(nil, id, body) }
	body := func(code ...byte) []byte {
		return append(wasmbin.AppendU32(nil, uint32(len(code)+1)), append([]byte{0}, code...)...)
	}
	export := func(name string, kind, index byte) []byte { return append(wasmbin.AppendName(nil, name), kind, index) }
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(secType, 2, formFunc, 0, 0, formFunc, 1, typeI32, 1, typeI32),
		section(secFunction, 4, 0, 1, 1, 1),
		section(secTable, 1, typeFunc, 0, 1),
		section(secGlobal, 2, typeI32, 1, opI32Const, 0, opEnd, typeI32, 1, opI32Const, 0, opEnd),
		section(secExport, slices.Concat([]byte{5}, export("flag", kindGlobal, 0), export("line", kindGlobal, 1), export("throw", kindFunc, 0), export("guard", kindFunc, 2), export("outer", kindFunc, 3))...),
		section(secElement, 1, 0, opI32Const, 0, opEnd, 1, 1),
		section(secCode, slices.Concat([]byte{4},
			// throw: flag = 1
			body(opI32Const, 1, opGlobalSet, 0, opEnd),
			// inner: if argument { throw }; 10 + argument, unreachable after a throw
			body(opLocalGet, 0, opIf, blockVoid, opCall, 0, opUnreachable, opEnd, opI32Const, 10, opLocalGet, 0, opI32Add, opEnd),
			// guard: 1 + table[0](argument), or 100 when the flag is set
			body(opLocalGet, 0, opI32Const, 0, opCallIndirect, 1, 0, opI32Const, 1, opI32Add,
				opGlobalGet, 0, opIf, blockVoid, opI32Const, 0, opGlobalSet, 0, opI32Const, 0xe4, 0, opReturn, opEnd, opEnd),
			body(opLocalGet, 0, opCall, 2, opEnd))...),
		section(secCustom, wasmbin.AppendName(nil, "producers")...))
}

var throwerNames = Unwinding{Flag: "flag", Throw: "throw", Guards: []string{"guard"}}

// TestUnwind runs a module that throws in both engines, which agree on its fuel.
func TestUnwind(t *testing.T) {
	names := throwerNames
	names.Place, names.Begin = "line", "throw"
	var offsets []int
	names.At = func(offset int) int32 {
		offsets = append(offsets, offset)
		return -77
	}
	wasm, err := Unwind(thrower(), names)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(wasm, []byte("producers")) || len(offsets) != 1 {
		t.Errorf("custom sections remain, or calls of begin at %v", offsets)
	}
	for name, config := range map[string]wazero.RuntimeConfig{"compiler": wazero.NewRuntimeConfigCompiler(), "interpreter": wazero.NewRuntimeConfigInterpreter()} {
		ctx := context.Background()
		r := wazero.NewRuntimeWithConfig(ctx, config)
		defer r.Close(ctx)
		m, err := r.Instantiate(ctx, wasm)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for arg, want := range map[uint64]uint64{0: 11, 5: 100} {
			got, err := m.ExportedFunction("outer").Call(ctx, arg)
			if err != nil || got[0] != want {
				t.Errorf("%s: outer(%d) = %v, %v, want %d", name, arg, got, err, want)
			}
		}
		if line := int32(m.ExportedGlobal("line").Get()); line != -77 {
			t.Errorf("%s: line %d", name, line)
		}
	}
	if _, _, err := Instrument(wasm, Options{}); err != nil {
		t.Error(err)
	}
	if _, err := Unwind(thrower(), Unwinding{Flag: "flag", Throw: "nothing"}); err == nil {
		t.Error("a function that is not exported was found")
	}
}

// FuzzUnwind holds Unwind to what Instrument is held to: it never panics.
func FuzzUnwind(f *testing.F) {
	f.Add(thrower())
	f.Fuzz(func(t *testing.T, wasm []byte) { _, _ = Unwind(wasm, throwerNames) })
}
