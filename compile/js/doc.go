// Package js is the JavaScript lane: QuickJS-ng, compiled to wasm, running
// ES2023 in the sandbox.
//
// A VM is booted once per process: QuickJS starts, the scripts in guest/ give
// it console, timers on virtual time, URL, fs and the like, and the result is
// frozen. Every run starts from that snapshot, so it costs about a millisecond
// and no run sees anything of another.
//
// Three shapes:
//
//   - component: the block is an ES module and one of its exported functions is
//     called with one argument per input. What it returns is the output; an
//     object with exactly the output's name as its only member is unwrapped, so
//     that both `return 5` and `return {total: 5}` give the output total. With
//     several outputs it must return an object that has them all. Promises are
//     awaited; timers still pending when the result is there never fire.
//   - command: the block is a module that reads Javy.IO, process.stdin or
//     scriptArgs and prints; what it prints is its output.
//   - babel: what ob-js does with node. The body may return; for :results value
//     the value is shown as util.inspect does, for output what was printed is
//     the result. Where ob-js would lose text (org-babel-js-read drops all but
//     the first word of a string, swaps brackets and commas inside strings,
//     and cuts arrays at a hundred items) the value is kept whole.
//
// # Names
//
//	machine.go  one VM: values are handles, functions are called by handle
//	host.go     what the guest may ask of the host; hostfiles.go its files,
//	            hostbytes.go its digests and compression
//	loop.go     the event loop: ticks, promise jobs, timers
//	boot.go     the snapshot every VM starts from
//	program.go  what is built from a block, and where its lines stand
//	lane.go     compile.Lane; babel.go, component.go and session.go its shapes
package js

import "embed"

//go:embed guest/*.js
var guestFiles embed.FS

// guestScripts lists guest/ in the order in which the parts need each other.
var guestScripts = []string{"inspect", "timers", "console", "text", "clone", "url", "buffer", "crypto", "locale", "files", "path", "node", "bridge"}
