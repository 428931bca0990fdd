package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/babel"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// program is a component ready to run: what to build, what to feed it, and
// what its outcome depends on.
type program struct {
	owner *plan.Component // whose result it makes
	code  *plan.Component // whose source it runs: owner, or what a call names
	args  argSet
	words result.Words // of :results
	lane  compile.Lane
	src   *compile.Source
	job   *compile.Job

	vars    []variable // babel variables, for reassembling tables
	profile string
	caps    []string // granted, sorted
	digests *Digests
	// volatile says why the outcome must not be kept; "" when it may be.
	volatile string
	warnings []diag.Finding
	where    string      // the worker it ran at, "" when in this process
	denied   atomic.Bool // it was refused something it asked the host for
}

// argSet reads header arguments as org-babel does: numbers, strings in quotes
// and Lisp forms are evaluated.
type argSet struct{ org.Args }

// text is a header argument's value as text, and whether it is there.
func (a argSet) text(key string) (string, bool, error) { return plan.ArgValue(a.Args, key) }

// UnknownLanguageError says that no lane runs a block's language.
type UnknownLanguageError struct {
	Lang, Near string
	Pos        diag.Position
}

func (e *UnknownLanguageError) Error() string {
	return fmt.Sprintf("%s: no lane runs %s", e.Pos, e.Lang)
}

// Hint offers the nearest language there is.
func (e *UnknownLanguageError) Hint() string {
	if e.Near != "" {
		return "did you mean " + e.Near + "?"
	}
	return ":eval no keeps a block from running"
}

// program prepares a component.
func (r binder) program(ctx context.Context, c *plan.Component) (*program, error) {
	return r.prepare(ctx, c, c.Args, nil)
}

// prepare readies a component with the given header arguments. this is the
// value of *this*, nil outside :post.
func (r binder) prepare(ctx context.Context, c *plan.Component, args org.Args, this *value.Value) (*program, error) {
	args, err := r.evaluated(ctx, c, args)
	if err != nil {
		return nil, err
	}
	p := &program{owner: c, code: c, args: argSet{args}, words: result.WordsOf(args)}
	if c.Target().Present() {
		if p.code = c.Callee(); p.code == nil {
			return nil, diag.Errorf(c.Pos, "call of %q, which names no block", c.Target().Text)
		}
		p.words = p.words.And(result.WordsOf(p.code.Args))
	}
	lane, ok := r.opts.Lanes.Lookup(p.code.Lang)
	if !ok {
		return nil, &UnknownLanguageError{Lang: p.code.Lang, Near: r.opts.Lanes.Nearest(p.code.Lang), Pos: p.code.Pos}
	}
	p.lane = lane
	shape, err := p.shape()
	if err != nil {
		return nil, err
	}
	p.src = &compile.Source{Pos: p.code.CodePos(), Lang: p.code.Lang, Shape: shape, Sig: p.code.Sig, Deps: p.code.Packages,
		Args: p.programArgs(), Results: p.programWords()}
	p.job = &compile.Job{}
	if p.src.Body, p.src.Lines, err = r.expand(ctx, p.code, args); err != nil {
		return nil, err
	}
	if err := r.bind(ctx, p, this); err != nil {
		return nil, err
	}
	if err := r.directory(p); err != nil {
		return nil, err
	}
	if p.words.Has("file") {
		if _, err := p.file(); err != nil { // before it runs, rather than after
			return nil, err
		}
	}
	showDocument(p.src, p.lane, p.owner)
	if err := r.packages(ctx, p); err != nil {
		return nil, err
	}
	if err := r.grant(p); err != nil {
		return nil, err
	}
	p.digest()
	r.chain(p)
	return p, nil
}

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

// chain makes a program of a session depend on what ran there before it.
func (r binder) chain(p *program) {
	for _, e := range r.plan.Incoming(p.owner) {
		if e.Why != plan.WhySession {
			continue
		}
		before := r.taskOf(e.From.Component)
		if before != nil && before.src != nil && p.lane.Info().KnowsSession {
			bare := *before.src
			p.src.Session, bare.Session = append(slices.Clone(bare.Session), &bare), nil
		}
		if before == nil || before.digests == nil || before.volatile {
			p.volatile = "its session's earlier results were not kept"
			continue
		}
		p.digests.Session = before.digests.Key()
	}
}

// shape is the exec shape, checked against what the lane can do.
func (p *program) shape() (compile.Shape, error) {
	shape := p.code.Shape
	if called := p.owner.Kind == plan.KindCall || p.owner.Kind == plan.KindInlineCall; called && p.code.Dialect != plan.DialectBabel {
		shape = compile.ShapeBabel
	}
	known, ok := plan.ShapeOf[string(shape)]
	if !ok {
		return "", diag.Errorf(p.code.Pos, "unknown :exec %s", shape).WithHint("use babel, component, command, kernel or task")
	}
	can := p.lane.Info().Shapes
	if known == plan.ShapeTask {
		if p.lane.Info().Name != "sh" {
			return "", diag.Errorf(p.code.Pos, ":exec task runs shell recipes, but this block is %s", p.code.Lang).WithHint(":exec command passes its inputs on standard input")
		}
		return compile.ShapeCommand, nil
	}
	if slices.Contains(can, known) {
		return known, nil
	}
	_, said := p.args.Get(":exec")
	said = said || p.code.Exec() != ""
	if known == compile.ShapeComponent && !said && p.code.Sig == nil && slices.Contains(can, compile.ShapeCommand) {
		return compile.ShapeCommand, nil
	}
	if known == "posix" {
		return "", diag.Errorf(p.code.Pos, ":exec posix is refused: workbooks never run native programs").WithHint("write it in a language that compiles to wasm")
	}
	if !slices.Contains([]compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel}, known) {
		return "", diag.Errorf(p.code.Pos, ":exec %s cannot be run as part of a workbook yet", known)
	}
	return "", diag.Errorf(p.code.Pos, "%s has no exec shape %s", p.code.Lang, known).WithHint(fmt.Sprintf("it has %v", can))
}

// programArgs are the header arguments that lanes look at.
func (p *program) programArgs() map[string][]string {
	args := plan.ByName(p.args.Args)
	for name := range args {
		argument, _ := babel.Lookup(name)
		if !argument.Computes() && !slices.Contains(p.lane.Info().Args, name) || name == "session" && !plan.IsSet(p.args.Args, ":session") {
			delete(args, name)
		}
	}
	return args
}

// programWords are the words of :results that lanes look at: not those about
// where a result goes.
func (p *program) programWords() []string {
	var words []string
	for _, w := range p.words {
		switch w {
		case "replace", "silent", "none", "append", "prepend", "drawer":
		default:
			words = append(words, w)
		}
	}
	return words
}

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

func displayAll(values []value.Value) []string {
	if values == nil {
		return nil
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = result.Display(v)
	}
	return texts
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

// streamText is a value on a stream: a string raw, anything else as JSON.
func streamText(v value.Value) []byte {
	if v.Kind() == value.String {
		return []byte(v.Text())
	}
	return v.AppendJSON(nil)
}

var drive = lazyregexp.New(`^[A-Za-z]:`)

// directory settles where the program stands in the tree of files: :dir,
// relative to the workbook.
func (r binder) directory(p *program) error {
	dir, ok, err := p.args.text(":dir")
	if err != nil {
		return diag.Errorf(p.owner.Pos, "%v", err)
	}
	if !ok || dir == "" {
		return nil
	}
	if err := p.inside(":dir", dir); err != nil {
		return err
	}
	clean := path.Clean("/" + dir)
	p.job.Dir, p.src.Dir = clean, strings.TrimPrefix(clean, "/")
	if p.code.Dialect == plan.DialectWorkflow {
		p.src.Files, err = r.seenBy(p.owner).sources(clean)
	} else if endings := compile.SourceEndings(p.lane, p.src); endings != nil {
		p.src.Files, err = r.seenBy(p.owner).sources(clean, endings...)
	}
	if errors.Is(err, fs.ErrNotExist) { // :mkdirp makes it, or the run says that it is not there
		return nil
	}
	return err
}

// packages pins what :deps of the block asks for, in a file beside the
// workbook.
func (r binder) packages(ctx context.Context, p *program) error {
	if len(p.src.Deps) == 0 || r.opts.File == "" {
		return nil
	}
	var err error
	p.src.Packages, err = compile.ResolvePackages(ctx, p.lane, compile.PackageRequest{
		Deps: p.src.Deps, Lock: filepath.Join(filepath.Dir(r.opts.File), toolchain.LockName),
		Keep: !r.opts.Write.files(), Offline: r.dry,
	})
	var wrong *toolchain.DepsError
	if errors.As(err, &wrong) {
		return diag.Errorf(p.code.Pos, "%v", err).WithHint(wrong.Hint())
	}
	return err
}
