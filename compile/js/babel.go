package js

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// babelUnits are the ways to read a block, likeliest first. As in ob-js,
// prologue, variables, body and epilogue are one function, so the body may
// return; where its output is wanted it may be an ES module instead, as its
// import statements say. In a session it is a script, whose declarations stay,
// or else a function.
func babelUnits(src *compile.Source, d Dialect) ([]*Unit, error) {
	before, after, err := surroundings(src, d)
	if err != nil {
		return nil, err
	}
	if src.InSession() {
		script, err := SessionScript(src, d)
		if err != nil {
			return nil, err
		}
		function := newUnit(src)
		const head = "(function () {"
		function.Session, function.Vars, function.Script, function.Lead = true, before, head+src.Body+after+"\n})()", len(head)
		return []*Unit{script, function}, nil
	}
	function := newUnit(src)
	head := d.FunctionHead()
	function.Script, function.Lead = head+before+src.Body+after+"\n})", len(head)
	function.Skip = strings.Count(before, "\n")
	if !src.Results.Has("output") {
		return []*Unit{function}, nil
	}
	module := newUnit(src)
	module.Script, module.Module, module.Skip = before+src.Body+after, true, function.Skip
	return []*Unit{function, module}, nil
}

// SessionScript is a block as what is evaluated at the top of a session.
func SessionScript(src *compile.Source, d Dialect) (*Unit, error) {
	before, after, err := surroundings(src, d)
	u := newUnit(src)
	u.Session, u.Vars, u.Script = true, before, src.Body+after
	return u, err
}

// surroundings are the lines before and after the body.
func surroundings(src *compile.Source, d Dialect) (before, after string, err error) {
	typed := *src
	typed.Vars = slices.Clone(src.Vars)
	for i, v := range typed.Vars {
		typed.Vars[i].Name += d.Annotation(v)
	}
	return typed.Surround("js")
}

// shown is what the guest tells about a block's value: its text as inspect
// writes it and, for arrays and strings, what is in it.
type shown struct {
	Text  string       `json:"text"`
	Cells *value.Value `json:"cells"`
}

// babel runs the block's function and reads its value or its output.
func (r *run) babel(ctx context.Context) error {
	body, err := r.eval(ctx, r.unit.Script, BlockFile, evalScript)
	if err != nil {
		return err
	}
	wants := "qjs_get_true"
	if r.unit.Results.Has("output") {
		wants = "qjs_get_false"
	}
	flag, err := r.call(ctx, wants)
	if err != nil {
		return err
	}
	v, err := r.control(ctx, "main", body, flag)
	if err != nil {
		return err
	}
	return r.conclude(ctx, v)
}

// conclude lets the program finish and reads its result: its output, or v, which
// is shown as JSON. What is printed after v was there stands behind it.
func (r *run) conclude(ctx context.Context, v handle) error {
	if r.unit.Results.Has("output") {
		if err := r.end(ctx); err != nil {
			return err
		}
		r.out.Value = readPrinted(r.unit.Results, r.stdout.String())
		return nil
	}
	text, err := r.text(ctx, v)
	if err != nil {
		return err
	}
	var s shown
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	before := r.stdout.Len()
	if err := r.end(ctx); err != nil {
		return err
	}
	r.out.Value = readValue(r.unit.Results, s, r.stdout.String()[:before], r.stdout.String()[before:])
	return nil
}

// readValue is what Emacs makes of what node prints: output, the value's text,
// output. A value alone is a number, string, list or table where it is one.
func readValue(results compile.Results, s shown, before, after string) value.Value {
	alone := before == "" && after == ""
	switch {
	case results.Has("discard"):
		return value.Nil()
	case results.AsText() || !alone:
		return value.OfString(before + s.Text + after)
	case s.Cells != nil:
		return *s.Cells
	}
	return compile.ReadCell(s.Text)
}

// readPrinted reads a block's output.
func readPrinted(results compile.Results, text string) value.Value {
	if results.Has("discard") {
		return value.Nil()
	}
	if results.AsText() || strings.Contains(text, "\n") {
		return value.OfString(text)
	}
	return compile.ReadCell(text)
}
