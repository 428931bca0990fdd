package run

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/elisp"
	"wb/workbook/plan"
)

// readByWb are header arguments that wb itself must understand. Others that
// cannot be evaluated may not matter to the block's language.
var readByWb = []string{":file", ":file-ext", ":file-mode", ":output-dir", ":dir", ":sep", ":wrap", ":timeout", ":memory", ":fuel", ":output"}

// evaluated are header arguments in which forms that the small evaluator refuses
// have become what Emacs makes of them. :var, :post and :eval have their turn
// elsewhere.
func (r *runner) evaluated(ctx context.Context, c *plan.Component, args org.Args) (org.Args, error) {
	var done org.Args
	for i, arg := range args {
		if !plan.IsForm(arg.Value) || slices.Contains([]string{":var", ":post", ":eval", ":stdin"}, arg.Key) {
			continue
		}
		_, refused := elisp.ReadCell(arg.Value, &elisp.Env{})
		if refused == nil {
			continue
		}
		v, err := r.lisp(ctx, c, arg.Value, nil, refused)
		switch {
		case err == nil:
			if done == nil {
				done = slices.Clone(args)
			}
			done[i].Value = literal(v)
		case !r.dry && slices.Contains(readByWb, arg.Key):
			return nil, diag.Errorf(c.Pos, "%s: %v", arg.Key, err).WithHint(diag.HintOf(err))
		}
	}
	if done == nil {
		return args, nil
	}
	return done, nil
}

// literal is a value as a header argument has it.
func literal(v value.Value) string {
	switch form := elisp.FromValue(v); {
	case v.IsNull():
		return ""
	case elisp.IsList(form):
		return "'" + elisp.Print(form)
	default:
		return elisp.Print(form)
	}
}

// mayRun reports whether :eval lets a component run, and evaluates it in Emacs
// where only Emacs can.
func (r *runner) mayRun(ctx context.Context, c *plan.Component) (bool, error) {
	form := c.Args.Value(":eval")
	_, _, refused := plan.ArgValue(c.Args, ":eval")
	if refused == nil || !plan.IsForm(form) || r.dry {
		return c.MayRun(), nil
	}
	v, err := r.lisp(ctx, c, form, nil, refused)
	if err != nil {
		return false, diag.Errorf(c.Pos, ":eval: %v", err).WithHint(diag.HintOf(err))
	}
	return !value.Equal(v, value.OfString("no")) && !value.Equal(v, value.OfString("never")), nil
}

// lisp evaluates a form that the small evaluator refuses, in the lane of Emacs
// Lisp, at the place of a component. this is the value of *this*, nil outside
// :post.
func (r *runner) lisp(ctx context.Context, c *plan.Component, form string, this *value.Value, refused error) (value.Value, error) {
	lane, ok := r.opts.Lanes.Lookup("emacs-lisp")
	if !ok || r.dry {
		return value.Nil(), refused
	}
	src := &compile.Source{Pos: diag.Position{File: r.opts.File, Line: 1, Col: 1}, Lang: "emacs-lisp", Shape: compile.ShapeBabel,
		Body: form, Args: map[string][]string{}}
	if this != nil {
		src.Vars = []compile.Var{{Name: "*this*", Value: *this}}
	}
	showDocument(src, lane, c)
	out, err := r.opts.Runner.Execute(ctx, &compile.Program{ID: "form", Lane: lane, Source: src, Job: &compile.Job{}})
	var found *diag.FindingsError
	switch {
	case errors.As(err, &found): // its place is that of the argument, which the caller knows
		return value.Nil(), diag.Advise(fmt.Errorf("%s: %s", form, found.Findings[0].Message), found.Findings[0].Hint)
	case err != nil:
		return value.Nil(), err
	case out.Exit != 0:
		return value.Nil(), &formError{form, firstLine(string(out.Stderr))}
	}
	return out.Value, nil
}

// formError is Emacs's error about a form of a header argument.
type formError struct{ form, said string }

// messagePlace begins a message of a lane: "file:line:col: ".
var messagePlace = lazyregexp.New(`^.*?:\d+:\d+: `)

func (e *formError) Error() string { return e.form + ": " + messagePlace.ReplaceAllString(e.said, "") }

// showDocument gives a block that reads it the document, as it was when the run
// began, with point at a component.
func showDocument(src *compile.Source, lane compile.Lane, c *plan.Component) {
	reader, ok := compile.Unwrapped[compile.DocumentReader](lane)
	if !ok || c.Node() == nil || !reader.ReadsDocument(src) {
		return
	}
	doc := c.Node().Document()
	d := &compile.Document{Name: path.Base(filepath.ToSlash(c.Pos.File)), Text: doc.Source()}
	if line, ok := doc.Line(c.Pos.Line); ok {
		d.Point = line.Start
	}
	src.Document = d
}
