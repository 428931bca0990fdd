package run

import (
	"context"
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/workbook/plan"
)

// bind gives a program its inputs, in the way its shape takes them.
func (r binder) bind(ctx context.Context, p *program, this *value.Value) error {
	switch p.src.Shape {
	case compile.ShapeBabel:
		return r.bindBabel(ctx, p, this)
	case compile.ShapeComponent:
		return r.bindComponent(ctx, p, this)
	}
	return r.bindCommand(ctx, p, this)
}

// arguments are a program's inputs by name: the ports of its component, and in
// the babel dialect its variables.
func (r binder) arguments(ctx context.Context, p *program, this *value.Value) (inputs []value.Field, err error) {
	if p.code.Dialect != plan.DialectBabel {
		return r.inputs(p.code)
	}
	if p.vars, err = r.variables(ctx, p.owner, p.args, this); err != nil {
		return nil, err
	}
	for _, v := range p.vars {
		inputs = append(inputs, value.Field{Name: v.name, Value: v.value})
	}
	// In the order in which the block names them, whatever a call says first.
	declared := p.code.Args.Vars()
	place := func(f value.Field) int {
		return slices.IndexFunc(declared, func(v org.Var) bool { return v.Name == f.Name })
	}
	slices.SortStableFunc(inputs, func(a, b value.Field) int { return place(a) - place(b) })
	return inputs, nil
}

// bindBabel resolves variables and standard input.
func (r binder) bindBabel(ctx context.Context, p *program, this *value.Value) error {
	vars, err := r.variables(ctx, p.owner, p.args, this)
	if err != nil {
		return err
	}
	p.vars = vars
	if _, lisp := compile.Unwrapped[compile.Evaluator](p.lane); lisp && this != nil && strings.Contains(p.src.Body, "*this*") {
		p.src.Vars = append(p.src.Vars, compile.Var{Name: "*this*", Value: *this}) // a variable of the Emacs that runs :post
	}
	for _, v := range vars {
		p.src.Vars = append(p.src.Vars, compile.Var{Name: v.name, Value: v.value, ColNames: displayAll(v.colNames), RowNames: displayAll(v.rowNames)})
	}
	stdin, ok := p.args.Get(":stdin")
	if !ok || stdin.Value == "" {
		return nil
	}
	v, err := r.eval(ctx, p.owner, stdin.Value, this)
	if err != nil {
		return err
	}
	p.job.Stdin = stdinText(v, p.lane.Info().Stdin)
	return nil
}

// inputs are the values of a declared component's inputs.
func (r binder) inputs(c *plan.Component) ([]value.Field, error) {
	var fields []value.Field
	for _, in := range c.In {
		v, err := r.input(c, in)
		if err != nil {
			return nil, err
		}
		fields = append(fields, value.Field{Name: plan.PortName(in.Name), Value: v})
	}
	return fields, nil
}

func (r binder) input(c *plan.Component, in plan.Input) (value.Value, error) {
	if v, ok := r.given[in.Name]; ok {
		return v, nil
	}
	if in.Literal != nil {
		return *in.Literal, nil
	}
	if in.From.Component == "" {
		v, ok := r.imports[in.Name]
		if !ok {
			return v, &MissingError{Names: []string{in.Name}, Pos: in.Pos}
		}
		return v, nil
	}
	from := r.plan.ByID(in.From.Component)
	t := r.tasks[from.Index()]
	if err := t.withheld(from); err != nil {
		return value.Nil(), err
	}
	v := from.Output(t.done.Value, in.From.Port)
	if in.Ref != "" {
		return plan.Index(v, plan.ParseReference(in.Ref).Index), nil
	}
	return v, nil
}

// bindComponent passes inputs as arguments of a function.
func (r binder) bindComponent(ctx context.Context, p *program, this *value.Value) error {
	inputs, err := r.arguments(ctx, p, this)
	if err != nil {
		return err
	}
	if first := r.workflowInput(p.code); first != nil {
		inputs = []value.Field{{Name: "input", Value: *first}}
	}
	if r.opts.Input != nil && len(inputs) == 0 {
		p.job.Stdin = streamText(*r.opts.Input) // inputRaw in JavaScript
	}
	p.src.Func = p.code.FunctionName()
	p.src.Outs = plan.PortNames(p.code.Out)
	for i, in := range inputs {
		p.src.Params = append(p.src.Params, in.Name)
		if sig := p.code.Sig; sig != nil && i < len(sig.Params) {
			fitted, err := value.Fit(in.Name, sig.Params[i].Type, in.Value)
			if err != nil {
				return diag.Errorf(p.code.Pos, "%s: %v", p.code.ID, err)
			}
			inputs[i].Value = fitted
		}
	}
	p.job.Inputs = inputs
	return nil
}

// bindCommand passes inputs on standard input: a single one as it is, several
// as a JSON object. A task has each as a word of its command line, too.
func (r binder) bindCommand(ctx context.Context, p *program, this *value.Value) error {
	inputs, err := r.arguments(ctx, p, this)
	if err != nil {
		return err
	}
	if p.code.Shape == plan.ShapeTask {
		for _, in := range inputs {
			p.job.Args = append(p.job.Args, string(streamText(in.Value)))
		}
	}
	if text := streamOf(inputs, r.workflowInput(p.code)); text != nil {
		p.job.Stdin = text
	}
	for _, in := range inputs {
		p.src.Params = append(p.src.Params, in.Name)
	}
	return nil
}

// workflowInput is the input of a workflow's first component: one without inputs
// of its own. It is nil for others, and when nothing was given.
func (r binder) workflowInput(c *plan.Component) *value.Value {
	if c.Dialect != plan.DialectWorkflow || len(c.In) > 0 {
		return nil
	}
	if v, ok := r.given[""]; ok {
		return &v
	}
	return r.opts.Input
}

// variables resolves every :var and takes tables apart as :hlines, :colnames
// and :rownames say.
func (r binder) variables(ctx context.Context, c *plan.Component, args argSet, this *value.Value) ([]variable, error) {
	var vars []variable
	for _, v := range args.Vars() {
		resolved, given := r.given[v.Name]
		if !given {
			var err error
			if resolved, err = r.eval(ctx, c, v.Expr, this); err != nil {
				return nil, err
			}
		}
		one := variable{name: v.Name, value: resolved}
		if err := one.disassemble(args); err != nil {
			return nil, err
		}
		vars = append(vars, one)
	}
	return vars, nil
}
