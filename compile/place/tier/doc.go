// Package tier runs programs behind walls of the operating system: in a process
// of their own, or in a container. WebAssembly already keeps a guest inside; a
// tier is the second wall, for documents of unknown authors, should
// the first have a hole.
//
//	pool, err := tier.Open(ctx, tier.Config{Tier: tier.Process, Principal: file, …})
//	defer pool.Close()
//	report, err := workbook.Run(ctx, workbook.Options{Venue: workbook.Venue{Tier: "process", Tiers: …}, …})
//
// The tiers, weakest first: [Instance] is a guest in this process, [Process] a
// child that runs wb's own executable, [Container] the same child inside docker
// or podman, [Node] another machine (package fabric). One that is not there is
// refused with the reason; nothing ever falls down a rung by itself.
//
// A [Pool] belongs to one principal (a document) and starts children as it needs
// them. A child serves one request of package remote at a time, in frames on its
// standard input and output (see frame.go), and lives on for the next, since
// starting one costs more than most programs. It never serves another
// principal. What it asks for while a program runs (files, the dock) goes back
// over the same pipe and is answered here, by the caller's own dock.
//
// What holds a child, on Linux, from outside in:
//
//   - an empty environment and an executable and arguments that no document
//     touches; no key is in its memory, because none was ever given to it
//   - its own session, and namespaces for users, network, processes, IPC and
//     host name, where the system lets users make them; it has no interface
//     to speak through, and sees no other process
//   - Landlock: files may be read in the shared caches and the toolchains, and
//     written in a directory that only this principal uses; nothing else exists
//   - no new privileges, and a filter that refuses to make sockets, to start
//     programs, to trace, to mount, and so on
//   - resource limits, a ceiling on resident memory, and a deadline for the
//     build and for the run, after which it is killed; it is killed too when
//     its parent dies
//
// What a system does not have is left out and said in [Pool.Notes]. macOS has
// the limits, the session and the deadlines, Windows the deadlines.
//
// A child that crashes, is killed or speaks nonsense fails the program it was
// running, with an error that says so ([LostError]), and nothing else.
package tier
