// Package component lowers components to core modules.
//
// A component of the WebAssembly component model is a file of several core modules,
// and of instructions how to join them: which of them is given what another one
// exports, and which functions of the host, such as
// wasi:io/streams.[method]output-stream.write, each of them imports. wazero knows core
// modules alone. [Lower] follows the instructions and makes one module of all, which
// the sandbox meters, compiles, keeps and runs like any other:
//
//   - What modules give to each other becomes one space of functions, tables and
//     globals. They have to share one memory, as all do that one program is made of;
//     several programs that were composed into one component do not, and are refused.
//   - What they are given by the host stays an import: the interface without its
//     version is the module, and the function the name. The canonical ABI says how
//     values cross: flat, or through memory. Where the host has to allocate memory of
//     the guest to answer, the name ends with # and the number of the function that
//     does so, which is exported as [Realloc] and that number.
//   - resource.drop is a function of [Builtins], for resources of all types.
//   - wasi:cli/run is exported as _start, which ends with exit code 1 where run fails.
//
// Components that export anything else, that make resources of their own, or that use
// what came after version 0.2 (async functions, streams and futures as values) are
// refused by name.
package component

// Names in lowered modules that the host knows.
const (
	Builtins = "wasi:component" // the import module of what the component model itself has
	Drop     = "resource.drop"  // (func (param i32))
	Realloc  = "realloc#"       // exports: the memory of answers
)

// Is reports whether bytes begin like a component.
func Is(wasm []byte) bool {
	return len(wasm) >= 8 && string(wasm[:4]) == "\x00asm" && wasm[4] == 0x0d && wasm[5] == 0 && wasm[6] == 1 && wasm[7] == 0
}
