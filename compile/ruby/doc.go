// Package ruby is the Ruby lane: CRuby 3.4 with its standard library, compiled
// to wasm by its own authors, running in the sandbox.
//
// Starting Ruby takes a third of a second, so it is done once: a started
// interpreter with wb's guest/boot.rb in it is frozen, and every run is revived
// from that snapshot (package vm), with nothing of any other run in it.
//
// # Babel shape
//
// What ob-ruby does: variables are assigned before the body, :results value is
// what the body returns (text as it is, anything else as inspect writes it,
// arrays as tables with nil for a rule), :results output what it prints,
// :results pp what pp prints; :prologue and :epilogue work. In a session local
// variables stay, and the value is that of the last expression.
//
// # Component shape
//
// The block defines a method (or several, the component's name or :func says
// which), which is called with one argument per input: JSON objects are hashes
// with string keys. It returns what JSON can say; symbols are strings, and
// structs are objects. Several outputs are a hash or an array. A method without
// inputs finds what wb run was given in $input_raw.
//
// # Command shape
//
// A whole program: ARGV, $stdin, puts and exit.
//
// # What there is not
//
// Processes, threads that run at the same time, sockets, gems from :deps (put
// them into :dir), openssl, zlib. The clock stands still and rand has a constant
// seed unless the run grants clock or random.
package ruby
