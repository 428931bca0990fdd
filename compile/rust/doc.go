// Package rust is the Rust lane. mrustc, a Rust compiler in C++, turns Rust
// into C when it is built as wasm; the C lane's clang turns that into wasm.
// Both run in the sandbox.
//
// mrustc throws C++ exceptions, which wb's own C++ lane does not compile, and
// it is not published as wasm. So wb neither builds nor fetches it; who has a
// build installs it once:
//
//	wb toolchain install rust --from DIR
//
//	DIR/mrustc.wasm       mrustc built for WASI
//	DIR/lib/              what it reads with -L: libstd.rlib and so on, built for
//	                      a 32-bit target without threads
//	DIR/lib/*.rlib.c      the C that mrustc wrote for each of those crates
//	DIR/target.toml       the description of that target, given as --target
//	DIR/version           the Rust it speaks, such as 1.74 ($MRUSTC_TARGET_VER)
//
// The installation compiles and runs a small program; a directory that does not
// pass that is refused with what the compiler said.
//
// # Babel and command shape
//
// A body without fn main is put into one. :var variables are constants: i64,
// f64, bool, &str, slices of them. The value is what the program prints.
//
// # Component shape
//
//	:sig: mean(xs: list<f64>) -> f64
//	fn mean(xs: &[f64]) -> f64
//
//	in :sig:                 in Rust
//	bool s32 u32 s64 u64     bool i32 u32 i64 u64, or isize, usize where they hold it
//	f32 f64                  f32 f64
//	string                   &str or String
//	list<T>                  &[T] or Vec<T>
//	option<T>                Option<T>
//	tuple<A, B>              (A, B)
//	record {…}               a struct with fields of those names, or a reference to one
//	result<T, string> out    Result<T, E> where E can be displayed
//
// A Result from a function whose signature has no result<…> fails the call when
// it is an Err.
//
// # What there is not
//
// Crates, Cargo, threads, sockets, procedural macros.
package rust
