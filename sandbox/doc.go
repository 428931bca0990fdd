// Package sandbox runs untrusted WebAssembly programs.
//
// Everything wb executes, compilers included, is a wasm module run by this
// package: there is no operating-system process behind a component, a shell
// stage or a compiler. A guest sees exactly what its [Command] gives it: its
// arguments, three streams, a tree of files ([FS]), and host functions
// ([HostModule]). It sees no host path, no network, no real clock and no real
// randomness unless [Caps] grants them, so the same command gives the same
// bytes on every run and every machine.
//
// # Running
//
// An [Engine] holds the compiler and its cache; there is one per process.
// [Engine.Compile] turns bytes into a [Module]; [Engine.Run] runs a program
// with a _start function (a "command" in WASI's words) to its end:
//
//	engine, err := sandbox.NewEngine(ctx, sandbox.Config{CacheDir: dir})
//	module, err := engine.Compile(ctx, "hello", wasm)
//	exit, err := engine.Run(ctx, sandbox.Command{
//		Module: module,
//		Args:   []string{"hello"},
//		Stdout: &out,
//		Limits: sandbox.Limits{Fuel: 1e9, Memory: 64 << 20, Timeout: 5 * time.Second},
//	})
//
// A new program that may be over soon is tried in an interpreter before machine code
// is made of it, when [MayBeBrief] says so; nobody can tell but by the time it takes.
//
// [Engine.Start] keeps the guest alive as an [Instance] whose functions are
// called one by one: language VMs and kernels. An instance that took long to
// start can be frozen once ([Instance.Snapshot]) and revived many times
// ([Engine.Restore]), copy-on-write where the operating system can.
//
// # Limits
//
// Every module is rewritten before it is compiled (package fuel): each
// function entry and each loop iteration costs one unit of fuel. Fuel is
// counted, not timed, so a limit by fuel trips at the same instruction on
// every machine. About every hundred thousand units the guest calls back into
// Go, which is where deadlines and cancellation are honoured and where Go's
// garbage collector may stop the world; a guest in an endless loop therefore
// never stalls the process. A broken limit ends the guest with a
// [*LimitError], one line that a person understands.
//
// # Outcomes
//
// A program that exits, with whatever code, is not an error: see [Exit]. The
// error result of Run is a [*LimitError], a [*TrapError] when the program did
// something undefined (out-of-bounds access, unreachable code, division by
// zero), a [*CapError] when it needs something that was not granted, a
// [*LoadError] when the bytes are not a program for this sandbox, or the
// context's error when the caller gave up.
package sandbox
