package compile

import (
	"context"

	"wb/tangle/elisp"
)

// Form is Emacs Lisp that wb evaluates for itself rather than for a block: a
// macro of the text, a header argument, a table's formulas.
type Form struct {
	Code string
	// Point is where in the document the form is evaluated, in bytes.
	Point int
}

// Evaluated is the value of a form, or why it has none. Symbols are their names
// there, as in results.
type Evaluated struct {
	Value elisp.Value
	Err   error
}

// Evaluator is a lane that evaluates forms one after the other, in one Emacs that
// has the document in its current buffer; a nil document is an empty one. An
// error means that nothing was evaluated, such as for want of a toolchain.
type Evaluator interface {
	Evaluate(ctx context.Context, doc *Document, forms []Form) ([]Evaluated, error)
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
