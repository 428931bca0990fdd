// Package babel knows what org-babel knows about languages: how a variable is
// written in each ([Expand]), which extension a file has ([Extension]) and how
// a comment looks ([Comment]).
//
// The texts it makes are those of Emacs's ob-LANG files (Org 9.8) with their
// defaults, so that a tangled file does not depend on who tangled it. A
// language it has never heard of is treated as Emacs treats it: the body stays
// as it is but for :prologue and :epilogue, variables are not written, and the
// extension is the language's name.
//
// Running uses the same expansions as tangling. [Params.Exact] then asks for
// values as they are, quoted where org-babel leaves quotes alone, and for large
// ones in the form that the language reads fastest.
//
// [Arguments] is the table of header arguments: what each does, for which
// languages, and who reads it.
//
// There is one file per family of languages.
package babel
