// Package tangle writes the source files that an org document describes and
// carries edits of those files back into it.
//
// Tangling is literate programming's forward step. Every source block may name
// the file it belongs to (`:tangle src/main.py`, or `yes` for one named after
// the document); a file is the concatenation of its blocks in document order.
// On the way each block's body is
//
//   - freed of what org needed: common indentation, escaping commas, the
//     `(ref:x)` labels of -r blocks;
//   - expanded: <<name>> is replaced by the block of that name ([Expander]),
//     `:var` becomes assignments in the block's language, `:prologue` and
//     `:epilogue` are put around it;
//   - dressed: `:comments link` puts it between comments that say where it came
//     from, `:shebang` gives the file its first line.
//
// Emacs decides what is right: output is byte for byte that of
// org-babel-tangle in Org 9.8, its surprises included. Where Emacs would
// silently do something an author cannot have meant, the bytes stay Emacs's and
// the plan carries a warning.
package tangle
