// Package cbackend is shared by the lanes whose compilers write C, which clang then
// turns into wasm: Rust and Zig. Their languages differ; how a block's variables
// become constants, how the function of a component is found and read, and how
// what was built is run do not.
package cbackend
