// Package elisp reads, prints and evaluates the little Emacs Lisp that org
// files carry in their header arguments: `:tangle-mode (identity #o755)`,
// `:tangle (concat "lib/" "x.py")`, `:var n=(+ 1 2)`, `:var rows='((1 2) (3 4))`.
//
// It is a pure evaluator, not an Emacs. [Eval] knows constants, quoting,
// conditionals, binding, arithmetic, strings, lists and file-name functions.
// It reads no file, starts no process, sees no clock and no environment;
// whatever a form may know of the outside stands in its [Env]. A form that
// asks for more fails with an [*Error] that names the function and where in the
// text it stands. Work is bounded: a form that runs too long is stopped.
//
// The same [Value]s are what org-babel hands to languages, so [Value] also has
// Emacs's printed form ([Print] is %S, [Princ] is %s) and converts to and from
// the project's value model ([FromValue], [ToValue]).
package elisp
