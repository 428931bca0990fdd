package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wb/compile"
	"wb/internal/value"
)

// Run executes a built block.
func (l *Lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	u, err := unpack(art)
	if err != nil {
		return nil, err
	}
	sources, err := l.runtime.sourcesOf(ctx, u)
	if err != nil {
		return nil, err
	}
	r := &run{unit: u, job: job, out: &compile.Outcome{}, output: newOutput(job)}
	w := world{
		limits: job.Limits, caps: job.Caps, stdin: job.Stdin, sources: sources,
		stdout: r.output.stream(&r.stdout, job.Stdout), stderr: r.output.stream(&r.stderr, job.Stderr),
		tree: newFiles(job.Files, job.Dir, job.Limits), dock: job.Dock,
	}
	m, release, err := l.machineFor(ctx, w, job)
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
	unit           *Unit
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
		return r.in.OutOfMemory()
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
	case r.unit.Session:
		return r.converse(ctx)
	case shape == compile.ShapeBabel && !r.unit.Module:
		return r.babel(ctx)
	}
	namespace, err := r.eval(ctx, r.unit.Script, BlockFile, evalModule)
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
		return readPrinted(r.unit.Results, r.stdout.String())
	}
	return value.Nil()
}

// fail records an exception: exit code 1, and on standard error the message
// with its place in the org file.
func (r *run) fail(t *thrown) {
	r.out.Exit = 1
	fmt.Fprintf(r.output.stream(&r.stderr, r.job.Stderr), "%s: %s\n%s", r.unit.place(r.job.Source, t), t.Error(), r.unit.stack(r.job.Source, t))
}
