package compile

import (
	"context"

	"wb/tangle/elisp"
)

// Evaluator is a lane that evaluates Emacs Lisp which is not a block: macros of the
// text, header arguments, the formulas of tables.
type Evaluator interface {
	// Evaluation starts an Emacs that has the document in its current buffer. An
	// error means that there is none, for example because a toolchain is missing.
	Evaluation(ctx context.Context, doc *Document) (Evaluation, error)
}

// Evaluation is an Emacs for one document. It sees no files but those that the document
// names, and its limits bound all that it evaluates together. It is not safe for concurrent use.
type Evaluation interface {
	// Evaluate returns the value of the last of some forms, which find point at an
	// offset of the document as it was given. Symbols in the value are their
	// names, as in results.
	Evaluate(ctx context.Context, forms string, point int) (elisp.Value, error)
	Close()
}

// Lisp is the lane that evaluates Emacs Lisp; nil where the registry has none.
func (r *Registry) Lisp() Evaluator {
	if r == nil {
		return nil
	}
	lane, ok := r.Lookup("emacs-lisp")
	if !ok {
		return nil
	}
	found, _ := Unwrapped[Evaluator](lane)
	return found
}
