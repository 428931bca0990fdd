package rust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"wb/compile"
	"wb/compile/abi"
	"wb/compile/clang"
	"wb/sandbox"
	"wb/value"
)

// lane is Rust as the rest of wb sees it.
type lane struct{ *Compiler }

// New is the lane of Rust blocks, which cc helps to compile. It registers its
// toolchain in env; nothing is installed or loaded yet.
func New(env *compile.Env, cc *clang.Compiler) compile.Lane { return lane{newCompiler(env, cc)} }

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "rust", Aliases: []string{"rs"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName, "clang"}, Summary: "Rust, through mrustc and C; from a build of yours"}
}

// Names of the entries of Artifact.Meta.
const (
	metaArgs  = "args"  // words of :args, NUL between them
	metaSig   = "sig"   // signature at the level of the call
	metaFails = "fails" // the function whose error we have wrapped
)

// Build compiles a block.
func (l lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, compile.Errorf(src.At(1, 1), "rust is compiled: it has no sessions")
	}
	if len(src.Deps) > 0 {
		return nil, compile.Errorf(src.At(1, 1), "crates are not fetched: %s", src.Deps[0]).WithHint("put what it needs into the block, by noweb for instance")
	}
	art := &compile.Artifact{Lane: toolName, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Meta: make(map[string]string)}
	u, err := l.plan(src, art)
	if err != nil {
		return nil, err
	}
	t, err := l.tool(ctx)
	if err != nil {
		return nil, err
	}
	k, exports := kindProgram, []string(nil)
	if src.Shape == compile.ShapeComponent {
		k, exports = kindReactor, []string{abi.AllocFunc, abi.CallFunc}
	}
	o, err := l.translate(ctx, t, k, u.text)
	if err != nil {
		return nil, at(src, err)
	}
	if o.code == nil {
		return nil, u.buildError(o.messages)
	}
	if art.Wasm, err = l.assemble(ctx, t, k, o.code, exports); err != nil {
		return nil, at(src, err)
	}
	return art, nil
}

// plan lays out a block and notes in art how it is run.
func (l lane) plan(src *compile.Source, art *compile.Artifact) (*unit, error) {
	if src.Shape != compile.ShapeComponent {
		art.SetResults(src.Results)
		art.SetWords(metaArgs, append(src.ArgWords("args"), src.ArgWords("cmdline")...))
		return newUnit(src, true, "")
	}
	f, err := chooseFunction(src)
	if err != nil {
		return nil, err
	}
	sig := src.Sig
	if sig == nil {
		if sig, err = f.signature(src); err != nil {
			return nil, err
		}
	}
	code, err := makeGlue(src, sig, f)
	if err != nil {
		return nil, err
	}
	if f.fails() && !declaresError(sig) {
		sig = failing(sig)
		art.Meta[metaFails] = f.name
	}
	art.Meta[metaSig] = sig.String()
	return newUnit(src, false, code)
}

// at places an error that is not about a line.
func at(src *compile.Source, err error) error {
	var limit *sandbox.LimitError
	if errors.As(err, &limit) {
		return compile.Errorf(src.At(1, 1), "compiling this block takes too much: %v", limit)
	}
	return fmt.Errorf("%s: %w", src.At(1, 1), err)
}

// Run executes a built block.
func (l lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	module, err := l.env.Engine.Compile(ctx, "rust block", art.Wasm)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	args := append([]string{"block"}, art.Words(metaArgs)...)
	command := sandbox.Command{
		Module: module, Args: slices.Concat(args, job.Args), Stdin: bytes.NewReader(job.Stdin), Stdout: compile.Tee(&stdout, job.Stdout), Stderr: compile.Tee(&stderr, job.Stderr),
		Files: job.Docked(ctx), Dir: job.Dir, Limits: job.Limits, Caps: job.Caps, Host: job.Host(),
	}
	out := &compile.Outcome{}
	if art.Shape == compile.ShapeComponent {
		err = l.call(ctx, art, job, command, out)
	} else {
		var exit sandbox.Exit
		exit, err = l.env.Engine.Run(ctx, command)
		out.Exit, out.Usage, out.Value = exit.Code, exit.Usage, value.OfString(stdout.String())
		if art.Shape == compile.ShapeBabel {
			out.Value = art.Results().Read(stdout.String())
		}
	}
	var trap *sandbox.TrapError
	if errors.As(err, &trap) {
		fmt.Fprintln(command.Stderr, crash(job.Source, stderr.String(), trap))
		out.Exit, err = 134, nil
	}
	out.Stdout, out.Stderr = stdout.Bytes(), stderr.Bytes()
	return out, err
}

// call calls the function of a component.
func (l lane) call(ctx context.Context, art *compile.Artifact, job *compile.Job, command sandbox.Command, out *compile.Outcome) error {
	sig, err := value.ParseSig(art.Meta[metaSig])
	if err != nil {
		return err
	}
	args, err := abi.Arguments(sig, job.Inputs)
	if err != nil {
		return err
	}
	in, err := l.env.Engine.Start(ctx, command)
	if err != nil {
		return err
	}
	defer in.Close(ctx)
	out.Value, err = abi.Call(ctx, in, sig, args)
	out.Usage = in.Usage()
	if name := art.Meta[metaFails]; err == nil && name != "" {
		if failure, failed := out.Value.Get("err"); failed {
			out.Exit = 1
			place := bodyFile
			if job.Source != nil {
				place = job.Source.At(1, 1).String()
			}
			fmt.Fprintf(command.Stderr, "%s: error: %s: %s\n", place, name, failure.Text())
		}
		out.Value, _ = out.Value.Get("ok")
	}
	return err
}
