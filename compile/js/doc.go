// Package js is the JavaScript lane: QuickJS-ng, compiled to wasm, running
// ES2023 in the sandbox.
//
// A VM is booted once per process: QuickJS starts, the prelude (prelude.js)
// gives it console, timers on virtual time, TextEncoder, URL and the like, and
// the result is frozen. Every run starts from that snapshot, so it costs well
// under a millisecond and no run sees anything of another.
//
// Three shapes:
//
//   - component: the block is an ES module and one of its exported functions is
//     called with one argument per input. What it returns is the output; an
//     object with exactly the output's name as its only member is unwrapped, so
//     that both `return 5` and `return {total: 5}` give the output total. With
//     several outputs it must return an object that has them all. Promises are
//     awaited.
//   - command: the block is a program that reads Javy.IO or scriptArgs and
//     prints; what it prints is its output.
//   - babel: what ob-js does with node. The body may return; the value is shown
//     as util.inspect does (inspect.js) unless it is an array, which becomes a
//     list or a table.
package js

import _ "embed"

//go:embed inspect.js
var inspectSource string

//go:embed prelude.js
var preludeSource string
