package cbackend

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"wb/compile"
	"wb/compile/abi"
	"wb/internal/value"
	"wb/sandbox"
)

// Names of the entries of Artifact.Meta.
const (
	metaArgs  = "args"  // words of :args
	metaSig   = "sig"   // signature at the level of the call
	metaFails = "fails" // the function whose error we have wrapped
)

// NoteProgram keeps in an artifact how a program is started and its output read.
func NoteProgram(art *compile.Artifact, src *compile.Source) {
	art.SetResults(src.Results)
	art.SetWords(metaArgs, append(src.ArgWords("args"), src.ArgWords("cmdline")...))
}

// NoteComponent keeps in an artifact how its function is called.
func NoteComponent(art *compile.Artifact, f Function, sig *value.Sig) {
	called := f.Called(sig)
	if called != sig {
		art.Meta[metaFails] = f.Name
	}
	art.Meta[metaSig] = called.String()
}

// Backend runs what one of the lanes has built.
type Backend struct {
	Env  *compile.Env
	Lane string
	File string // the block as the compiler knows it, which stands for a block that is not known
	// Crash is the line about a program that trapped; stderr is its output.
	Crash func(src *compile.Source, stderr string, trap *sandbox.TrapError) string
}

// command is how a program is started.
func (r Backend) command(ctx context.Context, art *compile.Artifact, job *compile.Job, stdout, stderr *bytes.Buffer) (sandbox.Command, error) {
	module, err := r.Env.Engine.Compile(ctx, r.Lane+" block", art.Wasm, sandbox.MayBeBrief())
	args := append([]string{"block"}, art.Words(metaArgs)...)
	command := job.Command(module, append(args, job.Args...), compile.Tee(stdout, job.Stdout), compile.Tee(stderr, job.Stderr))
	command.Files = job.Docked(ctx)
	return command, err
}

// place is where the block stands.
func (r Backend) place(src *compile.Source) string {
	if src == nil {
		return r.File
	}
	return src.At(1, 1).String()
}

// Run executes a built block.
func (r Backend) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var stdout, stderr bytes.Buffer
	command, err := r.command(ctx, art, job, &stdout, &stderr)
	if err != nil {
		return nil, err
	}
	var out *compile.Outcome
	switch art.Shape {
	case compile.ShapeComponent:
		out, err = abi.Run(ctx, r.Env.Engine, command, art.Meta[metaSig], job.Inputs)
	case compile.ShapeKernel:
		var k *compile.Kernel
		if k, err = compile.StartPlacedKernel(ctx, r.Env.Engine, command); err == nil {
			out, err = k.Once(ctx, job.Stdin)
		}
	default:
		exit, failed := r.Env.Engine.Run(ctx, command)
		out, err = &compile.Outcome{Value: value.OfString(stdout.String()), Exit: exit.Code, Usage: exit.Usage}, failed
		if art.Shape == compile.ShapeBabel {
			out.Value = art.Results().Read(stdout.String())
		}
	}
	if out == nil {
		return nil, err
	}
	if art.Shape != compile.ShapeKernel {
		out.Stdout = stdout.Bytes()
	}
	if failure, failed := out.Value.Get("err"); err == nil && art.Meta[metaFails] != "" {
		if failed {
			out.Exit = 1
			fmt.Fprintf(command.Stderr, "%s: error: %s: %s\n", r.place(job.Source), art.Meta[metaFails], failure.Text())
		}
		out.Value, _ = out.Value.Get("ok")
	}
	if trap, ok := errors.AsType[*sandbox.TrapError](err); ok {
		fmt.Fprintln(command.Stderr, r.Crash(job.Source, stderr.String(), trap))
		out.Exit, err = 134, nil
	}
	out.Stderr = stderr.Bytes()
	return out, err
}

// OpenKernel implements [compile.KernelOpener].
func (r Backend) OpenKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	var stdout, stderr bytes.Buffer
	command, err := r.command(ctx, art, job, &stdout, &stderr)
	if err != nil {
		return nil, err
	}
	return compile.StartPlacedKernel(ctx, r.Env.Engine, command)
}

// Ship implements [compile.Portable].
func (r Backend) Ship(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Shipment, error) {
	recipe := &compile.Shipment{Name: r.Lane + " block", Wasm: art.Wasm, Args: append([]string{"block"}, art.Words(metaArgs)...), Stdin: job.Stdin, Dir: job.Dir,
		Limits: job.Limits, Fails: art.Meta[metaFails], Crash: &compile.CrashGuide{Style: r.Lane, At: r.place(job.Source)}}
	recipe.Args = append(recipe.Args, job.Args...)
	var err error
	switch art.Shape {
	case compile.ShapeComponent:
		recipe.Entry, recipe.Inputs = compile.EntryABI, job.Inputs
		recipe.Sig, err = value.ParseSig(art.Meta[metaSig])
	case compile.ShapeKernel:
		recipe.Entry, recipe.Placed = compile.EntryKernel, true
	default:
		recipe.Entry, recipe.Read = compile.EntryStart, compile.ReadText
		if art.Shape == compile.ShapeBabel {
			recipe.Read = art.Results().Reading()
		}
	}
	return recipe, err
}
