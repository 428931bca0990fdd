// Package python is the Python lane: CPython 3.11, compiled to wasm inside the
// sandbox from Debian's source archive, with most of its standard library.
//
// Python is started once per machine: the interpreter comes up, the modules in
// guest/ and those that most blocks import are loaded, and the result is frozen.
// Every run starts from that snapshot, copy-on-write, so it costs milliseconds
// and no run sees anything of another. Sets and dicts have the same order on
// every run, random numbers and the clock too unless :uses grants real ones.
//
// Three shapes:
//
//   - babel: what ob-python does. For :results value the body is that of a
//     function, so it may return; in a session the value is that of the last
//     expression. Lists and tuples are tables, None between rows is a rule,
//     dicts are text, or tables where :results table asks for one. For output
//     what was printed is the result.
//   - component: one function of the block is called with one argument per
//     input, by name where its parameters have the inputs' names, else in
//     order. Annotations say what JSON cannot: an input annotated with a
//     dataclass, a NamedTuple, date, datetime, Decimal or Enum becomes one, and
//     such a value becomes JSON when it is returned.
//   - command: a program with sys.argv and standard input; what it prints is
//     its output.
//
// What needs processes, sockets, threads or a screen is missing or refused by
// name, with what to do instead. Packages that are pure Python are imported
// from the block's directory, :dir, and from wheels that wb.lock pins, :deps.
//
// # Names
//
//	recipe.go   where Python comes from; build.go how it is built
//	cpython/    what wb adds to CPython's sources
//	guest/      wb's side inside Python: running programs, values, errors
//	boot.go     the snapshot every run starts from
//	library.go  the standard library as files; tree.go what a guest sees
//	machine.go  calling a started Python
//	program.go  what is built from a block, and where its lines stand
//	wheels.go   packages of :deps
//	packs.go    packages that a block gets by importing them; imports.go which
//	numpy.go    the one that has a Python of its own; numpy/ what wb adds to it
//	objects.go  CPython's object files, of which both are linked
//	sessions.go in which Python a session runs
//	lane.go     compile.Lane; babel.go and component.go its shapes
//	escape.go   Python's text for a table, read as org-babel does
//	failure.go  exceptions, placed in the org file
package python
