// Package zig is the Zig lane. Zig's bootstrap compiler, zig1.wasm, comes with
// Zig's own source code and turns Zig into C; the C lane's clang turns that
// into wasm. Both run in the sandbox.
//
// No registry has zig1.wasm, so wb does not fetch it. It is installed once from
// a Zig source tree:
//
//	wb toolchain install zig --from DIR   # stage1/zig1.wasm and lib/ below DIR
//
// # Babel and command shape
//
// A body without a main function is put into pub fn main() !void, with its
// declarations of functions ahead of it; std is imported unless the body does
// so. :var variables are constants: numbers, texts, slices of them. The value is
// what the program prints to standard output.
//
// # Component shape
//
// One function of the block is called. :sig: says with what:
//
//	:sig: mean(xs: list<f64>) -> f64
//	fn mean(xs: []const f64) f64
//
//	in :sig:                 in Zig
//	bool s32 u32 s64 u64     bool i32 u32 i64 u64, or any integer that holds it
//	f32 f64                  f32 f64
//	string                   []const u8, [:0]const u8
//	list<T>                  []const T, []T
//	option<T>                ?T
//	record {…}               a struct with fields of those names
//	tuple<…>                 a struct whose fields stand in that order
//	result<T, string> out    !T; the error's name is the text
//
// An error from a function whose signature has no result<…> fails the call.
// Memory that is returned is read at once; std.heap.wasm_allocator serves.
//
// # Kernel shape
//
// fn process(in: []const u8, out: []u8) usize reads in, writes out and returns
// how many bytes it wrote.
//
// # What there is not
//
// Zig's runtime safety checks: the bootstrap compiler cannot turn them into C,
// so an index out of range reads what lies there, and only leaving the program's
// memory stops it. Packages, build.zig, threads, sockets, @cImport.
package zig
