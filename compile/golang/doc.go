// Package golang is the Go lane: Go's own compiler and linker, built for wasip1
// from the sources of the local Go and run in the sandbox, make a program of a
// block, and the sandbox runs that.
//
// The compiler, 36 MB of wasm, is loaded when it is first needed and dropped
// when other large compilers need the memory (see package sandbox). Packages of
// the standard library lie compiled in one file and are read one by one as
// programs import them; what needs a network, processes or users is left out.
//
// # Babel and command shape
//
// A body without package clause and main function is a program all the same, as
// with ob-go: its statements go into main. Functions, methods, types, constants
// and imports in it move ahead of main, and so do variables that stand before
// the first statement when there are functions. Packages of the standard
// library need not be imported where a body uses them by name. :imports, :main
// no, :args, :prologue, :epilogue and :var work; lists and tables come in as
// slices, of text where their cells differ in type, and NAME_header has a
// table's column names. The value is what the program prints: a table where
// :results asks for one, else a number or text.
//
// # Component shape
//
// One function of the block is called; the author writes only that. :sig: says
// with what:
//
//	:sig: mean(xs: list<f64>) -> f64
//	func mean(xs []float64) float64
//
//	in :sig:                 in Go
//	bool s32 u32 s64 u64     bool int32 uint32 int64 uint64, or int where it holds it;
//	                         results of any integer type, checked to fit
//	f32 f64                  float32 float64
//	string                   string, []byte
//	list<T>                  []T, ...T
//	option<T>                *T; []T for option<list<T>> out
//	record {…}               a struct with fields of those names, by json tag or
//	                         whatever their case, or a pointer to one
//	tuple<…>                 a struct of as many fields, [n]T; several results
//	result<T, string> out    (T, error)
//	(a: T, b: U) out         (T, U), or a struct
//
// A last result of type error fails the call where the signature has no
// result<…>. Without :sig: the signature is read off the function; where it
// could not say the types, such as maps, arguments and result go through
// encoding/json.
//
// # Kernel shape
//
// func process(in, out []byte) int reads in, writes out and returns how many
// bytes it wrote; func process(in []byte) []byte works as well.
//
// # Several files
//
// Go files in :dir with the block's package clause are part of the program;
// directories below it are packages, imported by their path in :dir, below the
// module path of a go.mod there, or from vendor. :deps asks for modules.
//
// # What there is not
//
// cgo, assembly, go:embed, sessions, sockets, processes. Goroutines run on one
// thread. The clock stands still but for sleeping, and random numbers are the
// same on every run, unless the block is granted clock and random.
package golang
