package elisp

import (
	"context"
	"errors"
	"path"

	"wb/compile"
	"wb/compile/vm"
	"wb/internal/diag"
)

// Evaluate implements [compile.Evaluator]. The forms see no files and have the
// limits of a block that asks for nothing; a form that exceeds them ends the
// Emacs that all share.
func (l *lane) Evaluate(ctx context.Context, doc *compile.Document, forms []compile.Form) ([]compile.Evaluated, error) {
	if !l.installed() {
		return nil, &diag.CodedError{Err: errMissing, Help: installHint, Code: diag.ExitUnavailable}
	}
	m, release, err := l.acquire(ctx, &compile.Job{})
	if err != nil {
		return nil, err
	}
	e := &evaluation{machine: m, doc: doc, size: m.Memory().Size()}
	defer func() { release(e.dead == nil) }()
	done := make([]compile.Evaluated, len(forms))
	for i, form := range forms {
		if done[i], err = e.evaluate(ctx, form); err != nil {
			return nil, err
		}
	}
	return done, nil
}

var errMissing = errors.New("the toolchain " + toolName + " is missing, which runs all of Emacs Lisp")

// installHint says how to get Emacs.
const installHint = "wb toolchain install " + toolName + " builds GNU Emacs for the sandbox, which takes some minutes"

// evaluation is a machine that evaluates forms.
type evaluation struct {
	machine *vm.Machine
	doc     *compile.Document
	begun   bool
	size    uint32 // of memory, when it had been collected last
	dead    error  // why the machine has ended
}

// garbage is how much memory forms may allocate before it is collected.
const garbage = 16 << 20

// evaluate asks for one form. The error is that of a caller who has gone.
func (e *evaluation) evaluate(ctx context.Context, form compile.Form) (compile.Evaluated, error) {
	if e.dead != nil {
		return compile.Evaluated{Err: errors.New("not evaluated: an earlier form exceeded its limits")}, nil
	}
	r := request{Do: "wb--evaluate", Code: form.Code, Lexical: "t", Dir: "/"}
	if e.doc != nil {
		r.Dir, r.Point = path.Dir(fileOf(e.doc)), pointAt(e.doc, form.Point)
		if !e.begun {
			r.Document = e.doc
		}
	}
	e.begun = true
	a, err := ask(ctx, e.machine, r)
	if ctx.Err() != nil {
		return compile.Evaluated{}, ctx.Err()
	}
	if err != nil {
		e.dead = err
		return compile.Evaluated{Err: err}, nil
	}
	if a.failure != nil {
		return compile.Evaluated{Err: errors.New(a.failure.message)}, nil
	}
	if e.machine.Memory().Size()-e.size > garbage {
		_, e.dead = e.machine.Call(ctx, "wb_collect")
		e.size = e.machine.Memory().Size()
	}
	return compile.Evaluated{Value: a.value}, nil
}
