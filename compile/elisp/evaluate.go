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

var errMissing = errors.New("the toolchain " + toolName + " is missing, which runs Emacs Lisp")

// installHint says how to get Emacs.
const installHint = "wb toolchain install " + toolName + " builds GNU Emacs for the sandbox, which takes some minutes"

// evaluationLimits bound all forms of a document together.
var evaluationLimits = sandbox.Limits{Fuel: 30_000_000_000, Memory: 256 << 20, Timeout: 30 * time.Second}

// Evaluation implements [compile.Evaluator].
func (l *lane) Evaluation(ctx context.Context, doc *compile.Document) (compile.Evaluation, error) {
	if !l.installed() {
		return nil, &diag.CodedError{Err: errMissing, Help: installHint, Code: diag.ExitUnavailable}
	}
	e := &evaluation{}
	job := &compile.Job{Limits: evaluationLimits}
	world := map[string]sandbox.FS{}
	if doc != nil {
		job.Now = doc.Now
		if doc.Files != nil {
			job.Files = sandbox.ReadOnly(doc.Files)
			if _, err := doc.Files.Stat("tmp"); err == nil {
				world[tempDir] = nil
			}
		}
		if doc.Call != nil {
			world[hostDir] = &questions{MemFS: sandbox.NewMemFS(), answer: e.call}
		}
		if doc.Name != "" {
			e.doc = doc
		}
	}
	var err error
	if e.machine, e.release, err = l.acquire(ctx, job, world); err != nil {
		return nil, err
	}
	e.size = e.machine.Memory().Size()
	return e, nil
}

// evaluation is a machine that evaluates forms.
type evaluation struct {
	machine *vm.Machine
	release func(alive bool)
	doc     *compile.Document
	ctx     context.Context // of the forms that are being evaluated, for what they call
	begun   bool            // the machine has the document and the world around it
	size    uint32          // of memory, when it had been collected last
	dead    error           // why the machine has ended
}

// garbage is how much memory forms may allocate before it is collected.
const garbage = 16 << 20

// Evaluate implements [compile.Evaluation].
func (e *evaluation) Evaluate(ctx context.Context, forms string, point int) (lisp.Value, error) {
	if e.dead != nil {
		return nil, fmt.Errorf("not evaluated, because an earlier form ended Emacs: %w", e.dead)
	}
	r := request{Do: "wb--evaluate", Code: forms, Lexical: "t", Plain: true, Dir: "/", Again: e.begun}
	if e.doc != nil {
		r.Dir, r.Point = path.Dir(fileOf(e.doc)), pointAt(e.doc, point)
		if !e.begun {
			r.Document = e.doc
		}
	}
	e.begun, e.ctx = true, ctx
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

// call answers a call that forms have written as (TEXT CALL): the value as
// (:value VALUE), or (:error MESSAGE).
func (e *evaluation) call(question string) string {
	v, err := e.called(question)
	if err != nil {
		return lisp.Print(lisp.List(lisp.Symbol(":error"), lisp.String(err.Error())))
	}
	return lisp.Print(lisp.List(lisp.Symbol(":value"), v))
}

func (e *evaluation) called(question string) (lisp.Value, error) {
	asked, err := lisp.Read(question)
	if err != nil {
		return nil, err
	}
	v, err := e.doc.Call(e.ctx, lisp.Princ(lisp.Car(asked)), lisp.Princ(lisp.Car(lisp.Cdr(asked))))
	if err != nil {
		return nil, err
	}
	return lisp.FromValue(v), nil
}

// Close implements [compile.Evaluation].
func (e *evaluation) Close() { e.release(e.dead == nil) }
