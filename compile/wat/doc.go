// Package wat is the lane of WebAssembly's text format. A block is one module;
// wat2wasm of wabt, itself compiled to wasm by our own C lane, assembles it
// inside the sandbox.
//
//   - command: the module exports _start and imports what it needs of WASI.
//   - babel: the same, or a module that exports main (or one function): it is
//     called with the variables (:var) as arguments, and what it returns is the
//     value; several results are a list.
//   - component: an exported function is called with one argument per input.
//     Types are bool s32 u32 s64 u64 f32 f64, as :sig: says or else as the
//     function is declared, i32 being s32 and i64 being s64. Several results are
//     the outputs in order.
//   - kernel: the module exports memory and process(in_len) -> out_len; :in_off
//     and :out_off say where its input and output lie (1024 and 65536).
//
// The features are those of WebAssembly 2.0: multiple values, sign extension,
// saturating conversions, reference types, bulk memory, SIMD. :flags adds what
// wat2wasm has to offer, such as --enable-tail-call.
package wat
