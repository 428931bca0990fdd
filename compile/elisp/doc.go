// Package elisp is the lane of Emacs Lisp: blocks run in GNU Emacs itself, whose
// C core the toolchain "emacs" builds for WASI on the user's machine.
//
// Emacs has no dumper there and needs a second to start, so it is started once,
// with Org and the common libraries loaded, and frozen; each block gets a copy
// of that image (see package vm), and the blocks of a session share one. A block
// has what a batch Emacs without processes, network and terminal has: calls that
// need those fail with the errors that Emacs has for them.
//
// WebAssembly code cannot jump out of a function. Emacs's setjmp has become a
// function of the host that calls the protected code, and its longjmp one that
// ends that call (see [sandbox.ErrUnwind]); emacs/edits.txt has the places. The
// collector cannot see Lisp objects that live in wasm locals, so it works only
// between blocks; within one, memory is bounded by the block's limit.
//
// The folder emacs has everything that concerns the text of Emacs, under Emacs's
// licence; nothing of Emacs itself is in it.
package elisp
