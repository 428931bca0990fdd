// Package js is the JavaScript lane: QuickJS-ng, compiled to wasm, running
// ES2023 in the sandbox.
//
// A VM is started once per machine: QuickJS starts, the scripts in guest/ give
// it console, timers on virtual time, URL, fs and the like, and the result is
// frozen and kept on disk. Every run starts from it, which costs half a millisecond,
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
// # Other languages, other programs
//
// A [Dialect] is a language that becomes JavaScript before it runs, as
// TypeScript does (package ts): it translates, the rest is here. A [Tool] is a
// program in JavaScript that serves a lane, such as a compiler: it is started
// once per machine, frozen, and woken for each request.
//
// # Names
//
//	runtime.go  images of started VMs, on disk too; pool.go machines to use again
//	machine.go  one VM: values are handles, functions are called by handle
//	host.go     what the guest may ask of the host; hostfiles.go its files,
//	            hostbytes.go its digests and compression
//	loop.go     the event loop: ticks, promise jobs, timers
//	boot.go     the image that blocks start from; tool.go those of tools
//	sources.go  files that import finds; resolve.go which one a name means;
//	            modules.go how it is loaded
//	unit.go     what is built from a block, and where its lines stand;
//	            sourcemap.go where those of a translated one do
//	lane.go     compile.Lane; run.go its runs; babel.go, component.go and
//	            session.go its shapes; dialect.go what differs by language
package js

import "embed"

//go:embed guest/*.js
var guestFiles embed.FS

// guestScripts lists guest/ in the order in which the parts need each other.
var guestScripts = []string{"inspect", "timers", "console", "text", "clone", "url", "buffer", "crypto", "locale", "files", "path", "node", dockScript, "bridge"}

// dockScript is the one script that package dock makes.
const dockScript = "dock"
