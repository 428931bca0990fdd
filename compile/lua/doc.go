// Package lua is the Lua lane: PUC-Rio's interpreter for Lua 5.4, built from its
// source by wb's own C lane, running in the sandbox.
//
// A state is made once, with wb's few lines of guest/boot.lua in it, and
// frozen; every run starts from that snapshot (package vm), so no run sees
// anything of another. Errors need setjmp and longjmp, which the host provides
// by unwinding the guest (sandbox.ErrUnwind).
//
// # Babel shape
//
// What ob-lua does: variables are globals, tables whose rows are a name and
// one value become {name=value, …}, :prologue, :epilogue, :preamble and :return
// work, output is what was printed, several values are joined by ", ". Two
// things are kinder than in Emacs: a table that is returned is a table in the
// document, not its address, and other tables are shown as :results pp shows
// them; and sessions work, with globals that stay.
//
// # Component shape
//
// The block defines a function (or returns one), which is called with one
// argument per input. JSON's null inside tables is the global null, since nil
// cannot be in one; a null argument is nil. Tables with the keys 1 to n are
// lists, others objects with sorted members. Several outputs are several
// return values, or one table that has them all.
//
// # Command shape
//
// A whole program: arg, io.read and print.
//
// # What there is not
//
// os.execute, io.popen, C modules, LuaRocks packages. Recursion is limited to
// 400,000 stack slots. The clock stands still and math.random has a constant
// seed unless the run grants clock or random.
package lua
