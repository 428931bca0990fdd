package tangle

import (
	"context"
	"errors"
	"fmt"

	"wb/tangle/elisp"
)

// ErrEmacs is wrapped by errors for header arguments that only Emacs can
// evaluate when there is none.
var ErrEmacs = errors.New("a header argument needs Emacs")

// inEmacs evaluates a form that the small evaluator has refused, with point at
// the block. What depends on the machine stays refused: Emacs in the sandbox
// would answer for another one.
func (p *planner) inEmacs(ctx context.Context, b *block, form string, refused error) (elisp.Value, error) {
	if err := elisp.AsksMachine(form); err != nil {
		return nil, err
	}
	if p.opts.Lisp == nil {
		return nil, &emacsError{refused}
	}
	if p.emacs == nil {
		emacs, err := p.startEmacs(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w, and %w", refused, err)
		}
		p.emacs = emacs
	}
	v, err := p.emacs.Evaluate(ctx, form, b.Begin.Start)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", form, err)
	}
	return v, nil
}

// emacsError is the small evaluator's error about a form that Emacs was not
// there for.
type emacsError struct{ error }

func (e *emacsError) Unwrap() []error { return []error{e.error, ErrEmacs} }

// startEmacs shows an Emacs the document, its place and the machine.
func (p *planner) startEmacs(ctx context.Context) (Emacs, error) {
	emacs, err := p.opts.Lisp(ctx, p.file, p.doc)
	if err != nil {
		return nil, err
	}
	if _, err := emacs.Evaluate(ctx, p.opts.Machine.lisp(), 0); err != nil {
		emacs.Close()
		return nil, err
	}
	return emacs, nil
}

// lisp tells Emacs about the machine.
func (m Machine) lisp() string {
	set := func(form, fact string) string {
		if fact == "" {
			return ""
		}
		return fmt.Sprintf(form, elisp.Print(elisp.String(fact)))
	}
	return "(progn nil " + set(`(setenv "HOME" %s)`, m.Home) + set("(setq system-name %s)", m.Host) +
		set("(setq user-login-name %[1]s user-real-login-name %[1]s)", m.User) +
		set("(setq system-type (intern %s))", systemType(m.OS)) + ")"
}

func (p *planner) closeEmacs() {
	if p.emacs != nil {
		p.emacs.Close()
	}
}
