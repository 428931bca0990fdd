// Package clang is the C and C++ lane: clang and lld, themselves wasm, compile
// a block inside the sandbox and the sandbox runs the result.
//
// [New] makes a [Compiler], which has the two lanes ([Compiler.C] and
// [Compiler.CPP]) and also builds other tools from C sources
// ([Compiler.CompileC]). The compiler proper is loaded when it is first needed
// and stays loaded: a second or so once, then some tens of milliseconds a
// block.
//
// # Babel shape
//
// What ob-C does: a body without main is wrapped in one; :includes, :defines,
// :namespaces, :flags, :libs, :main no, :prologue, :epilogue, :cmdline and :var
// work as there, tables come with NAME_rows, NAME_cols and, where they have
// column names, NAME_h(row, "column"). See [Expand]. The value is what the
// program prints. Three things are kinder than in Emacs: quotes in strings are
// escaped, functions defined in a body without main work in C++ too, and
// library functions may be called without their header.
//
// # Command shape
//
// A whole program: argv and stdin in, stdout out.
//
// # Component shape
//
// One function of the block is called; the author writes only that. :sig: says
// with what:
//
//	:sig: mean(xs: list<f64>) -> f64
//	double mean(const double *xs, size_t n)
//
//	in :sig:                 in C                                  in C++ also
//	bool s32 u32 s64 u64     bool int32_t uint32_t int64_t …       the same
//	f32 f64                  float double                          the same
//	string                   const char *s                         std::string, string_view
//	  in                     or const char *s, size_t n, when all strings come so
//	list<T> in               const T *xs, size_t n                 std::vector<T>
//	list<T> out              T *f(…, size_t *len)                  std::vector<T>
//	                         or wb_list_T f(…), {ptr, len}
//	option<T>                const T *x, NULL for none             std::optional<T>
//	record {…}, tuple<…> in  x_t x or const x_t *x, for input x    the same
//	record {…}, tuple<…> out f_t f(…) or f_t *f(…), for f          the same
//	result<T, string> out    T f(…, const char **err)              the same
//	result<T, E> out         f_t f(…), {is_err, ok, err}           the same
//
// Structs are declared for the author: x_t for the record an input x takes or
// holds in its list, f_t for what f returns (several named results are a
// record), x_m_t for a record in member m; a tuple has members f0, f1, …
// Memory that is returned may be static or from malloc; nobody frees it, since
// every call has a fresh instance. A double never becomes an int on the way:
// such calls do not compile.
//
// Without :sig: the function's declaration is read: numbers, strings, and lists
// of them as pointer and length.
//
// # Kernel shape
//
// int process(int in_len) reads its input at WB_IN and writes at WB_OUT, which
// has room for WB_OUT_SIZE bytes, and returns how many it wrote. :in_off and
// :out_off move both (1024 and 65536).
//
// # Exceptions
//
// C++ has exceptions, and C has setjmp, without those of WebAssembly; see
// [fuel.Unwind]. What nobody catches ends the block with its type, what() and the
// line of the throw.
//
// # What there is not
//
// Threads, processes, sockets, packages. Macros __FILE__ and __LINE__ count from the body's first line.
package clang
