package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"wb/compile"
	"wb/sandbox"
	"wb/value"
)

// version is part of every cache key: raise it when the same source may give
// another result.
const version = "2"

// lane is JavaScript as the rest of wb sees it.
type lane struct {
	env *compile.Env

	mu    sync.Mutex
	image *image

	sessions sessions
}

// New makes the lane and registers its toolchain.
func New(env *compile.Env) compile.Lane {
	l := &lane{env: env}
	env.Tools.Register(l.recipe())
	return l
}

// Info describes the lane.
func (l *lane) Info() compile.Info {
	return compile.Info{
		Name: "js", Aliases: []string{"javascript", "node", "ecmascript", "mjs"},
		Shapes:     []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName}, Summary: "JavaScript (ES2023 on QuickJS-ng): modules, promises, console, fs",
	}
}

// Fingerprint names lane and engine.
func (l *lane) Fingerprint() string { return "js/" + version + "/" + l.env.Tools.Fingerprint(toolName) }

// Build checks the block's syntax and its imports and lays out the program.
func (l *lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, compile.Errorf(src.At(1, 1), "packages (:deps %s) cannot be fetched for JavaScript yet", strings.Join(src.Deps, " ")).
			WithHint("put them into node_modules below a directory and name that with :dir")
	}
	if src.Shape == compile.ShapeKernel {
		return nil, compile.Errorf(src.At(1, 1), "JavaScript has no kernel shape").WithHint("kernels are written in C")
	}
	readings := []*program{moduleProgram(src)}
	if src.Shape == compile.ShapeBabel {
		readings = babelPrograms(src)
	}
	p, err := l.firstSound(ctx, src, readings)
	if err != nil {
		return nil, err
	}
	art := &compile.Artifact{Lane: "js", Shape: src.Shape, Digest: src.Key(l.Fingerprint())}
	return art, p.pack(art)
}

// moduleProgram is a block that is an ES module.
func moduleProgram(src *compile.Source) *program {
	p := newProgram(src)
	p.Script, p.Module = src.Body, true
	p.Func, p.Outs = src.Func, src.Outs
	return p
}

// newProgram has what all shapes need.
func newProgram(src *compile.Source) *program {
	return &program{Lines: 1 + strings.Count(src.Body, "\n"), Results: src.Results, Sources: src.Files}
}

// firstSound is the first reading of a block that compiles. When none does, the
// error is that of the first.
func (l *lane) firstSound(ctx context.Context, src *compile.Source, readings []*program) (*program, error) {
	var first *thrown
	for _, p := range readings {
		err := l.compiles(ctx, p)
		if err == nil {
			return p, nil
		}
		var t *thrown
		if !errors.As(err, &t) {
			return nil, err
		}
		if first == nil {
			first = t
		}
	}
	return nil, &compile.BuildError{Diagnostics: []compile.Diagnostic{readings[0].diagnostic(src, first)}}
}

// compiles reports the first mistake in a program as a *thrown.
func (l *lane) compiles(ctx context.Context, p *program) error {
	img, err := l.boot(ctx)
	if err != nil {
		return err
	}
	m, err := l.restore(ctx, img, world{sources: p.Sources})
	if err != nil {
		return err
	}
	defer m.close(ctx)
	flags := uint64(evalScript)
	if p.Module {
		flags = evalModule
	}
	for _, code := range []string{p.Vars, p.Script} {
		if _, err := m.eval(ctx, code, mainFile, flags|compileOnly); err != nil {
			return err
		}
	}
	return nil
}

// Run executes a built block.
func (l *lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	p, err := unpack(art)
	if err != nil {
		return nil, err
	}
	img, err := l.boot(ctx)
	if err != nil {
		return nil, err
	}
	r := &run{program: p, job: job, out: &compile.Outcome{}, output: newOutput(job)}
	w := world{
		limits: job.Limits, caps: job.Caps, stdin: job.Stdin, sources: p.Sources,
		stdout: r.output.stream(&r.stdout, job.Stdout), stderr: r.output.stream(&r.stderr, job.Stderr),
		tree: newFiles(job.Files, job.Dir, job.Limits),
	}
	m, release, err := l.machineFor(ctx, img, w, job)
	if err != nil {
		return nil, err
	}
	r.machine = m
	err = r.do(ctx, art.Shape)
	r.out.Usage = m.in.Usage()
	release(ctx, err == nil && !r.stopped)
	r.out.Stdout, r.out.Stderr = r.stdout.Bytes(), r.stderr.Bytes()
	return r.out, err
}

// run is one job on one machine.
type run struct {
	*machine
	program        *program
	job            *compile.Job
	out            *compile.Outcome
	output         *output
	stdout, stderr bytes.Buffer
	stopped        bool // the program ended itself, and its VM with it
}

// do runs the program and turns its failures, and its wish to end, into an
// outcome.
func (r *run) do(ctx context.Context, shape compile.Shape) error {
	err := r.begin(ctx)
	if err == nil {
		err = r.start(ctx, shape)
	}
	var quit *exited
	var t *thrown
	switch {
	case errors.As(err, &quit):
		r.stopped = true
		r.out.Exit = quit.code
		r.out.Value = r.printed(shape)
		return nil
	case errors.As(err, &t) && r.outOfMemory(t):
		r.stopped = true
		return &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: orDefault(r.job.Limits.Memory, sandbox.DefaultLimits.Memory)}
	case errors.As(err, &t):
		r.fail(t)
		r.out.Value = r.printed(shape)
		return nil
	}
	return err
}

// start runs the program in its shape.
func (r *run) start(ctx context.Context, shape compile.Shape) error {
	switch {
	case shape == compile.ShapeComponent:
		return r.component(ctx)
	case r.program.Session:
		return r.converse(ctx)
	case shape == compile.ShapeBabel && !r.program.Module:
		return r.babel(ctx)
	}
	namespace, err := r.eval(ctx, r.program.Script, mainFile, evalModule)
	if err != nil {
		return err
	}
	if _, err := r.settle(ctx, namespace); err != nil {
		return err
	}
	if err := r.end(ctx); err != nil {
		return err
	}
	r.out.Value = r.printed(shape)
	return nil
}

// begin tells the VM about its job.
func (r *run) begin(ctx context.Context) error {
	request, err := json.Marshal(map[string]any{"args": append([]string{}, r.job.Args...), "dir": r.world.tree.dir, "random": r.job.Caps.Random})
	if err != nil {
		return err
	}
	v, err := r.newString(ctx, string(request))
	if err != nil {
		return err
	}
	_, err = r.control(ctx, "begin", v)
	return err
}

// end lets the event loop run out and takes the exit code the program set.
func (r *run) end(ctx context.Context) error {
	if err := r.drain(ctx); err != nil {
		return err
	}
	code, err := r.controlText(ctx, "end")
	if err != nil {
		return err
	}
	_, err = fmt.Sscan(code, &r.out.Exit)
	return err
}

// printed is the value of a program that is its output.
func (r *run) printed(shape compile.Shape) value.Value {
	switch shape {
	case compile.ShapeCommand:
		return value.OfString(r.stdout.String())
	case compile.ShapeBabel:
		return readPrinted(r.program.results(), r.stdout.String())
	}
	return value.Nil()
}

// fail records an exception: exit code 1, and on standard error the message
// with its place in the org file.
func (r *run) fail(t *thrown) {
	r.out.Exit = 1
	fmt.Fprintf(r.output.stream(&r.stderr, r.job.Stderr), "%s: %s\n%s", r.program.place(r.job.Source, t), t.Error(), r.program.stack(r.job.Source, t))
}

func orDefault(limit, otherwise int64) int64 {
	if limit == 0 {
		return otherwise
	}
	return limit
}
