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

	"wb/compile"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/babel"
	"wb/workbook/plan"
	"wb/workbook/result"
)

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
