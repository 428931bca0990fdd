package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wb/internal/value"
	"wb/org"
	"wb/tangle/elisp"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// eval is the value of the right side of a :var of a component: a literal, *this*, or what a
// reference names.
func (r binder) eval(ctx context.Context, c *plan.Component, expr string, this *value.Value) (value.Value, error) {
	if expr == "*this*" {
		if this == nil {
			return value.Nil(), nil
		}
		return *this, nil
	}
	env := &elisp.Env{}
	if this != nil {
		env.Vars = map[elisp.Symbol]elisp.Value{"*this*": elisp.FromValue(*this)}
	}
	v, isLiteral, err := plan.Literal(expr, env)
	if err != nil && plan.IsForm(expr) {
		return r.lisp(ctx, c, expr, this, err)
	}
	if err != nil || isLiteral {
		return v, err
	}
	ref := plan.ParseReference(expr)
	from := r.plan.ReferredBy(c, ref.Key())
	if from == nil {
		return value.Nil(), fmt.Errorf("%q names nothing here", expr)
	}
	switch {
	case ref.Body && from.IsBlock():
		return value.OfString(result.EndLine(from.Body)), nil // the text itself, not its result
	case ref.RunsAnew() && from.Kind != plan.KindData, this != nil && from.ReadsThis():
		v, err = r.call(ctx, from, ref, this)
	default:
		v, err = r.valueOf(from, ref.Name)
	}
	if err != nil {
		return v, err
	}
	return plan.Index(v, ref.Index), nil
}

// valueOf is the value of a component whose turn is over.
func (r binder) valueOf(c *plan.Component, name string) (value.Value, error) {
	t := r.tasks[c.Index()]
	if t == nil {
		return value.Nil(), fmt.Errorf("%s is not part of this run", c.ID)
	}
	select {
	case <-t.finished:
	default: // the plan missed an edge; better an error than a race
		return value.Nil(), fmt.Errorf("%s is needed, but nothing waited for it", c.ID)
	}
	if err := t.withheld(c); err != nil {
		return value.Nil(), err
	}
	return c.Output(t.done.Value, name), nil
}

// call runs a block anew with the arguments of a reference and returns its
// value. Equal calls in one run happen once.
func (r binder) call(ctx context.Context, c *plan.Component, ref plan.Reference, this *value.Value) (value.Value, error) {
	var vars []org.Arg
	for _, arg := range ref.Args {
		vars = append(vars, org.Arg{Key: ":var", Value: arg, Origin: org.FromCallArgs})
	}
	args := org.MergeArgs(c.Args, org.ParseArgs(ref.Header, 0, org.FromCallInside), vars)
	if r.given != nil { // those inputs are for the component that is mapped
		plain := *r.runner
		plain.given = nil
		r.runner = &plain
	}
	p, err := r.prepare(ctx, c, args, this)
	if err != nil {
		return value.Nil(), err
	}
	return r.calls.do(p.digests.Key(), func() (value.Value, error) {
		t := &task{done: Done{ID: callLabel(c, ref), Lang: p.code.Lang, Pos: c.Pos}, words: p.words, args: p.args}
		start := time.Now()
		if err := executing(r.runner).execute(ctx, p, t); err != nil {
			t.fail(err)
		}
		t.done.Duration = time.Since(start) - t.done.Queued
		r.recordEnd(c, t)
		return t.done.Value, t.done.Err
	})
}

func callLabel(c *plan.Component, ref plan.Reference) string {
	return c.ID + "(" + strings.Join(ref.Args, ", ") + ")"
}
