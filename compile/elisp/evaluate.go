package elisp

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"wb/compile"
	"wb/compile/vm"
	"wb/internal/diag"
	"wb/sandbox"
	lisp "wb/tangle/elisp"
)

var errMissing = errors.New("the toolchain " + toolName + " is missing, which runs all of Emacs Lisp")

// installHint says how to get Emacs.
const installHint = "wb toolchain install " + toolName + " builds GNU Emacs for the sandbox, which takes some minutes"

// evaluationLimits bound all forms of a document together.
var evaluationLimits = sandbox.Limits{Fuel: 30_000_000_000, Memory: 256 << 20, Timeout: 30 * time.Second}

// Evaluation implements [compile.Evaluator].
func (l *lane) Evaluation(ctx context.Context, doc *compile.Document) (compile.Evaluation, error) {
	if !l.installed() {
		return nil, &diag.CodedError{Err: errMissing, Help: installHint, Code: diag.ExitUnavailable}
	}
	m, release, err := l.acquire(ctx, &compile.Job{Limits: evaluationLimits})
	if err != nil {
		return nil, err
	}
	return &evaluation{machine: m, release: release, doc: doc, size: m.Memory().Size()}, nil
}

// evaluation is a machine that evaluates forms.
type evaluation struct {
	machine *vm.Machine
	release func(alive bool)
	doc     *compile.Document
	begun   bool   // the machine has the document and the world around it
	size    uint32 // of memory, when it had been collected last
	dead    error  // why the machine has ended
}

// garbage is how much memory forms may allocate before it is collected.
const garbage = 16 << 20

// Evaluate implements [compile.Evaluation].
func (e *evaluation) Evaluate(ctx context.Context, forms string, point int) (lisp.Value, error) {
	if e.dead != nil {
		return nil, fmt.Errorf("not evaluated, since an earlier form has ended Emacs: %w", e.dead)
	}
	r := request{Do: "wb--evaluate", Code: forms, Lexical: "t", Dir: "/", Again: e.begun}
	if e.doc != nil {
		r.Dir, r.Point = path.Dir(fileOf(e.doc)), pointAt(e.doc, point)
		if !e.begun {
			r.Document = e.doc
		}
	}
	e.begun = true
	a, err := ask(ctx, e.machine, r)
	if err != nil {
		e.dead = err
		return nil, err
	}
	if e.machine.Memory().Size()-e.size > garbage {
		_, e.dead = e.machine.Call(ctx, "wb_collect")
		e.size = e.machine.Memory().Size()
	}
	if a.failure != nil {
		return nil, errors.New(a.failure.message)
	}
	return a.value, nil
}

// Close implements [compile.Evaluation].
func (e *evaluation) Close() { e.release(e.dead == nil) }
