package tangle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wb/org"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// Emacs Lisp blocks that a document refers to are run here, by the same pure
// evaluator that reads header arguments: they need no sandbox, because they can
// reach nothing. Where it refuses one, [Options.Run] is asked.

// runLisp runs an emacs-lisp block of this document; ok is false for any other
// call, and for one that only Emacs can run.
func (p *planner) runLisp(ctx context.Context, call Call) (result elisp.Value, ok bool, err error) {
	view, isBlock := call.Node.Block()
	if !isBlock || call.Doc != p.doc || view.Lang.Text != "emacs-lisp" && view.Lang.Text != "elisp" {
		return nil, false, nil
	}
	b := &block{Block: view, heading: headingAt(p.doc, view.Begin.Start, map[*org.Node]*heading{})}
	levels := append([][]org.Arg{defaultArgs}, p.doc.ArgLevels(call.Node)...)
	levels = append(levels, org.ParseArgs(call.Header, 0, org.FromCallInside))
	for _, arg := range call.Args {
		levels = append(levels, []org.Arg{{Key: ":var", Value: arg, Origin: org.FromCallArgs}})
	}
	b.args = org.MergeArgs(levels...)
	if eval := p.literal(b, ":eval"); eval == "no" || eval == "never" {
		return elisp.Nil, true, nil
	}
	params, err := p.langParams(ctx, b)
	if err != nil {
		return nil, true, err
	}
	body := p.value(b)
	if NowebWanted(p.literal(b, ":noweb"), ForEval) {
		e := &Expander{Context: ForEval, Library: p.library, Wrap: p.wrap, Call: p.call}
		if body, err = e.Expand(ctx, p.library.chunk(b)); err != nil {
			return nil, true, p.nowebError(b, err)
		}
	}
	program, err := babel.Expand("emacs-lisp", body, params)
	if err != nil {
		return nil, true, err
	}
	env := p.envFor(b)
	printed := new(strings.Builder)
	env.Out = printed
	value, err := elisp.Eval("(progn "+program+"\n)", env)
	if err != nil && p.opts.Run != nil {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, p.at.errorf(b.Begin.Start, fmt.Errorf("%w: %w", ErrRun, err), "%s: %v", call.Name, err)
	}
	return lispResult(value, printed.String(), b.args.Words(":results")), true, nil
}

// lispResult turns a value into what :results asks for.
func lispResult(v elisp.Value, printed string, words []string) elisp.Value {
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case has("output"):
		return elisp.String(printed)
	case has("scalar") || has("verbatim"):
		return elisp.String(elisp.Print(v))
	case has("html") || has("code") || has("pp") || has("latex") ||
		(has("raw") || has("org") || has("drawer")) && !has("table") && !has("list"):
		return elisp.String(elisp.Princ(v))
	case (has("table") || has("vector")) && !elisp.IsList(v):
		return elisp.List(elisp.List(v))
	}
	return v
}
