// Package ts is the TypeScript lane: the TypeScript compiler, running in the
// sandbox, checks a block strictly and makes JavaScript of it, which the
// machine of package js then runs. What js says about shapes, sessions and
// values holds here too.
//
// The compiler is a [js.Tool]: typescript.js is started once per machine, reads
// the library's declarations and is frozen with them. A check then begins a
// fraction of a millisecond after it is asked for and spends its time on the
// block.
//
// Types come from where the values come from: a :var has the type of its
// value, a table [string, number][]; blocks of a session see what earlier ones
// declared; a component's function must be assignable to what :sig: promises;
// and packages bring their own declarations, or those of @types. The library is
// ES2023 without a browser; guest.d.ts declares what the machine adds.
//
//	driver.js     runs beside the compiler: one request, one answer
//	compiler.go   the frozen compiler and its protocol
//	dialect.go    js.Dialect: from a block to requests and from answers to code
//	types.go      values and signatures as types
//	diagnose.go   messages at their places in the org file
package ts
