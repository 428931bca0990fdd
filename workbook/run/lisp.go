package run

import (
	"context"
	"errors"
	"fmt"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
)

// lisp evaluates a form that the small evaluator refuses, in the lane of Emacs
// Lisp. this is the value of *this*, nil outside :post.
func (r *runner) lisp(ctx context.Context, form string, this *value.Value, refused error) (value.Value, error) {
	lane, ok := r.opts.Lanes.Lookup("emacs-lisp")
	if !ok || r.dry {
		return value.Nil(), refused
	}
	src := &compile.Source{Pos: diag.Position{File: r.opts.File, Line: 1, Col: 1}, Lang: "emacs-lisp", Shape: compile.ShapeBabel,
		Body: form, Args: map[string][]string{}}
	if this != nil {
		src.Vars = []compile.Var{{Name: "*this*", Value: *this}}
	}
	out, err := r.opts.Runner.Execute(ctx, &compile.Program{ID: "form", Lane: lane, Source: src, Job: &compile.Job{}})
	var found *diag.FindingsError
	switch {
	case errors.As(err, &found): // its place is that of the argument, which the caller knows
		return value.Nil(), fmt.Errorf("%s: %s; %s", form, found.Findings[0].Message, found.Findings[0].Hint)
	case err != nil:
		return value.Nil(), err
	case out.Exit != 0:
		return value.Nil(), &formError{form, firstLine(string(out.Stderr))}
	}
	return out.Value, nil
}

// formError is what Emacs says about a form of a header argument.
type formError struct{ form, said string }

// messagePlace begins a message of a lane: "file:line:col: ".
var messagePlace = lazyregexp.New(`^.*?:\d+:\d+: `)

func (e *formError) Error() string { return e.form + ": " + messagePlace.ReplaceAllString(e.said, "") }
