// The languages whose programs are not WebAssembly themselves: each module that
// knows one enters it here by the name of its machine. A page has those modules
// that its components need.
//
// A language is a class: new (recipe, inputs, {stdout, stderr, tree}), recipe (with
// what it changes), imports (what its machine wants beyond WASI), world (what WASI
// gives it, when that is not the run's streams and files), boot({program,
// beside, tick}) when it makes its machine itself, and run(machine), which gives {value,
// exit}, or a promise of it.
export const languages = {};
