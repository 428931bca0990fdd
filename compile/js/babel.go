package js

import (
	"context"
	"encoding/json"
	"strings"

	"wb/compile"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/tangle/babel"
)

// babelUnits are the ways to read a block, likeliest first. As in ob-js,
// prologue, variables, body and epilogue are one function, so the body may
// return; where its output is wanted it may be an ES module instead, as its
// import statements say. In a session it is a script, whose declarations stay,
// or else a function.
func babelUnits(src *compile.Source, d Dialect) ([]*Unit, error) {
	s, err := surroundingsOf(src, d)
	if err != nil {
		return nil, err
	}
	function := s.unit(src)
	if src.InSession() {
		const head = "(function () {"
		function.Session, function.Vars, function.Script, function.Lead = true, s.before, head+src.Body+s.after+"\n})()", len(head)
		return []*Unit{s.session(src), function}, nil
	}
	head := d.FunctionHead()
	function.Script, function.Lead = head+s.before+src.Body+s.after+"\n})", len(head)
	function.Skip = strings.Count(s.before, "\n")
	if !src.Results.Has("output") {
		return []*Unit{function}, nil
	}
	module := s.unit(src)
	module.Script, module.Module, module.Skip = s.before+src.Body+s.after, true, function.Skip
	return []*Unit{function, module}, nil
}

// SessionScript is a block as what is evaluated at the top of a session.
func SessionScript(src *compile.Source, d Dialect) (*Unit, error) {
	s, err := surroundingsOf(src, d)
	return s.session(src), err
}

// surroundings are the lines before and after a body. Large values are not in
// them but for a mark each, which leads to the expression that it stands for.
type surroundings struct {
	before, after string
	large         map[string]string
}

func surroundingsOf(src *compile.Source, d Dialect) (s surroundings, err error) {
	params := src.Babel()
	for i, v := range src.Vars {
		params.Vars[i].Name += d.Annotation(v)
	}
	s.large = map[string]string{}
	params.Keep = func(_, json string) string {
		mark := "JSON.parse('" + trace.Digest([]byte(json)) + "')"
		s.large[mark] = "JSON.parse(" + babel.SingleQuoted(json) + ")"
		return mark
	}
	s.before, s.after, err = babel.Surround("js", params)
	return s, src.BabelError(err)
}

func (s surroundings) unit(src *compile.Source) *Unit {
	u := newUnit(src)
	u.large = s.large
	return u
}

func (s surroundings) session(src *compile.Source) *Unit {
	u := s.unit(src)
	u.Session, u.Vars, u.Script = true, s.before, src.Body+s.after
	return u
}

// insertLarge puts large values where their marks are. TypeScript's compiler, which
// takes a second and a half to read a megabyte, has seen the marks.
func (u *Unit) insertLarge() {
	for mark, expression := range u.large {
		u.Script = strings.Replace(u.Script, mark, expression, 1)
		u.Vars = strings.Replace(u.Vars, mark, expression, 1)
	}
}

// shown is the guest's description of a block's value: its text as inspect
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
	if v := compile.ReadCell(strings.TrimSuffix(s.Text, "n")); holdsBig(v) {
		return v // a BigInt that no number holds: other languages know no n
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
