package elisp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	lisp "wb/tangle/elisp"
)

// installed reports whether blocks run in Emacs. Building Emacs takes minutes,
// so a block does not do it by itself: where it is missing, the evaluator of
// package tangle/elisp answers what it can.
func (l *lane) installed() bool {
	_, ok := l.env.Tools.Installed(toolName)
	return ok
}

// checkSmall evaluates a block with the small evaluator and throws the value
// away: only running it shows what it asks for.
func (l *lane) checkSmall(_ context.Context, src *compile.Source, u *unit, code string) error {
	if _, _, err := u.small(code); err != nil {
		return u.refusal(src, code, err)
	}
	return nil
}

// refusal says what to install for a block that the small evaluator refuses.
func (u *unit) refusal(src *compile.Source, code string, err error) error {
	return diag.Errorf(u.positionSmall(src, code, err),
		"%s, and %v", reason(err), errMissing).
		WithHint(installHint)
}

// runSmall evaluates a block with the small evaluator.
func (l *lane) runSmall(u *unit, code string, job *compile.Job) (*compile.Outcome, error) {
	v, printed, err := u.small(code)
	if err != nil {
		return nil, u.refusal(job.Source, code, err)
	}
	switch {
	case u.Results.Has("output"):
		v = lisp.String(printed)
	case u.Results.Has("scalar") || u.Results.Has("verbatim"):
		v = lisp.String(lisp.Print(v))
	case u.Results.AsText():
		v = lisp.String(lisp.Princ(v))
	}
	return &compile.Outcome{Value: u.result(v)}, nil
}

// small evaluates code and keeps what it prints.
func (u *unit) small(code string) (lisp.Value, string, error) {
	var printed bytes.Buffer
	env := &lisp.Env{Vars: make(map[lisp.Symbol]lisp.Value), Out: &printed}
	if u.Vars != "" {
		list, err := lisp.Read(u.Vars)
		if err != nil {
			return nil, "", err
		}
		pairs, _ := lisp.Items(list)
		for _, pair := range pairs {
			if name, ok := lisp.Car(pair).(lisp.Symbol); ok {
				env.Vars[name] = lisp.Cdr(pair)
			}
		}
	}
	v, err := lisp.Eval(opening+code+"\n)", env)
	return v, printed.String(), err
}

// opening makes one form of all forms of a block.
const opening = "(progn "

// positionSmall is where in the org file an error of the small evaluator is.
func (u *unit) positionSmall(src *compile.Source, code string, err error) diag.Position {
	var at *lisp.Error
	f := &failure{line: 1, column: 1}
	if errors.As(err, &at) {
		before := code[:min(max(at.Offset-len(opening), 0), len(code))]
		f.line += strings.Count(before, "\n")
		f.column = len(before) - strings.LastIndexByte(before, '\n')
	}
	return u.position(src, f)
}

// reason is an error without its offset, which the position tells.
func reason(err error) string {
	if at, ok := errors.AsType[*lisp.Error](err); ok {
		return at.Msg
	}
	return fmt.Sprint(err)
}

// exports reports whether an Org block gives what Org exports it to.
func (u *unit) exports() bool {
	return u.Results.Has("latex") || u.Results.Has("html") || u.Results.Has("ascii")
}

// runOrg is an Org block without Emacs: its text, with variables in it.
func (u *unit) runOrg(body string) (*compile.Outcome, error) {
	if u.Vars != "" {
		list, err := lisp.Read(u.Vars)
		if err != nil {
			return nil, err
		}
		pairs, _ := lisp.Items(list)
		for _, pair := range pairs {
			body = strings.ReplaceAll(body, "$"+lisp.Princ(lisp.Car(pair)), lisp.Princ(lisp.Cdr(pair)))
		}
	}
	return &compile.Outcome{Value: u.result(lisp.String(body))}, nil
}
