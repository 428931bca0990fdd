package zig

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

// lane is Zig as the rest of wb sees it.
type lane struct{ *Compiler }

// New is the lane of Zig blocks, which cc helps to compile. It registers its
// toolchain in env; nothing is installed or loaded yet.
func New(env *compile.Env, cc *clang.Compiler) compile.Lane { return lane{newCompiler(env, cc)} }

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "zig", Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel},
		Toolchains: []string{toolName, "clang"}, Summary: "Zig, through its bootstrap compiler and C; from a source tree of yours"}
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
		return nil, compile.Errorf(src.At(1, 1), "zig is compiled: it has no sessions")
	}
	if len(src.Deps) > 0 {
		return nil, compile.Errorf(src.At(1, 1), "zig packages are not fetched: %s", src.Deps[0]).WithHint("put what it needs into the block, by noweb for instance")
	}
	t, err := l.tool(ctx)
	if err != nil {
		return nil, err
	}
	art := &compile.Artifact{Lane: toolName, Shape: src.Shape, Digest: src.Key(l.Fingerprint()), Meta: make(map[string]string)}
	switch src.Shape {
	case compile.ShapeComponent:
		err = l.buildComponent(ctx, t, src, art)
	case compile.ShapeKernel:
		err = l.buildKernel(ctx, t, src, art)
	default:
		art.SetResults(src.Results)
		art.SetWords(metaArgs, append(src.ArgWords("args"), src.ArgWords("cmdline")...))
		var u *unit
		if u, err = newUnit(src, true); err == nil {
			art.Wasm, err = l.make(ctx, t, u, kindProgram)
		}
	}
	if err != nil {
		return nil, err
	}
	return art, nil
}

// make takes a unit the whole way to wasm.
func (l lane) make(ctx context.Context, t *tool, u *unit, k kind, exports ...string) ([]byte, error) {
	o, err := l.translate(ctx, t, k, u.text(), u.glue)
	if err != nil {
		return nil, at(u.src, err)
	}
	if o.code == nil {
		return nil, u.buildError(o.messages)
	}
	wasm, err := l.assemble(ctx, t, k, o.code, exports)
	if err != nil {
		return nil, at(u.src, err)
	}
	return wasm, nil
}

// at places an error that is not about a line.
func at(src *compile.Source, err error) error {
	var limit *sandbox.LimitError
	if errors.As(err, &limit) {
		return compile.Errorf(src.At(1, 1), "compiling this block takes too much: %v", limit)
	}
	return fmt.Errorf("%s: %w", src.At(1, 1), err)
}

func (l lane) buildComponent(ctx context.Context, t *tool, src *compile.Source, art *compile.Artifact) error {
	f, err := chooseFunction(src)
	if err != nil {
		return err
	}
	sig := src.Sig
	if sig == nil {
		if sig, err = f.signature(src); err != nil {
			return err
		}
	}
	code, err := makeGlue(src, sig, f)
	if err != nil {
		return err
	}
	u, err := newUnit(src, false)
	if err != nil {
		return err
	}
	u.publish(f)
	u.glue = code
	if f.fails() && !declaresError(sig) {
		sig = failing(sig)
		art.Meta[metaFails] = f.name
	}
	art.Meta[metaSig] = sig.String()
	art.Wasm, err = l.make(ctx, t, u, kindReactor, abi.AllocFunc, abi.CallFunc)
	return err
}

// kernelOutput is how many bytes a kernel may write.
const kernelOutput = 1 << 20

func (l lane) buildKernel(ctx context.Context, t *tool, src *compile.Source, art *compile.Artifact) error {
	layout, err := compile.KernelLayoutOf(src.Arg)
	if err != nil {
		return compile.Errorf(src.At(1, 1), "%v", err)
	}
	list := functions(src.Body)
	process := slices.IndexFunc(list, func(f function) bool { return f.name == "process" && len(f.params) == 2 })
	if process < 0 {
		return compile.Errorf(src.At(1, 1), "a kernel defines fn process(in: []const u8, out: []u8) usize").
			WithHint("it reads in, writes out and returns how many bytes it wrote")
	}
	u, err := newUnit(src, false)
	if err != nil {
		return err
	}
	u.publish(list[process])
	u.glue = fmt.Sprintf(`const block = @import("block.zig");
var wb_buffers: extern struct { in: [%d]u8, out: [%d]u8 } = undefined;
export fn wb_in() u32 {
    return @intFromPtr(&wb_buffers.in);
}
export fn wb_out() u32 {
    return @intFromPtr(&wb_buffers.out);
}
fn wb_process(n: i32) callconv(.c) i32 {
    return @intCast(block.process(wb_buffers.in[0..@intCast(n)], &wb_buffers.out));
}
comptime {
    @export(&wb_process, .{ .name = "process" });
}
`, layout.Out-layout.In, kernelOutput)
	art.Wasm, err = l.make(ctx, t, u, kindReactor, compile.KernelInFunc, compile.KernelOutFunc, "process")
	return err
}

// command is how a program is started.
func (l lane) command(ctx context.Context, art *compile.Artifact, job *compile.Job, stdout, stderr *bytes.Buffer) (sandbox.Command, error) {
	module, err := l.env.Engine.Compile(ctx, "zig block", art.Wasm)
	args := append([]string{"block"}, art.Words(metaArgs)...)
	return sandbox.Command{
		Module: module, Args: append(args, job.Args...), Stdin: bytes.NewReader(job.Stdin), Stdout: compile.Tee(stdout, job.Stdout), Stderr: compile.Tee(stderr, job.Stderr),
		Files: job.Docked(ctx), Dir: job.Dir, Limits: job.Limits, Caps: job.Caps, Host: job.Host(),
	}, err
}

// Run executes a built block.
func (l lane) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	var stdout, stderr bytes.Buffer
	command, err := l.command(ctx, art, job, &stdout, &stderr)
	if err != nil {
		return nil, err
	}
	var out *compile.Outcome
	switch art.Shape {
	case compile.ShapeComponent:
		out, err = l.call(ctx, art, job, command)
	case compile.ShapeKernel:
		out, err = l.callKernel(ctx, job, command)
	default:
		exit, failed := l.env.Engine.Run(ctx, command)
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
			fmt.Fprintf(command.Stderr, "%s: error: %s: %s\n", place(job.Source), art.Meta[metaFails], failure.Text())
		}
		out.Value, _ = out.Value.Get("ok")
	}
	if line, exit := crash(job.Source, stderr.String(), err); line != "" {
		fmt.Fprintln(command.Stderr, line)
		out.Exit, err = exit, nil
	}
	out.Stderr = stderr.Bytes()
	return out, err
}

// call calls the function of a component.
func (l lane) call(ctx context.Context, art *compile.Artifact, job *compile.Job, command sandbox.Command) (*compile.Outcome, error) {
	sig, err := value.ParseSig(art.Meta[metaSig])
	if err != nil {
		return nil, err
	}
	args, err := abi.Arguments(sig, job.Inputs)
	if err != nil {
		return nil, err
	}
	in, err := l.env.Engine.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	defer in.Close(ctx)
	v, err := abi.Call(ctx, in, sig, args)
	return &compile.Outcome{Value: v, Usage: in.Usage()}, err
}

// callKernel calls a kernel once, with the job's standard input.
func (l lane) callKernel(ctx context.Context, job *compile.Job, command sandbox.Command) (*compile.Outcome, error) {
	k, err := l.startKernel(ctx, command)
	if err != nil {
		return nil, err
	}
	defer k.Close(ctx)
	got, err := k.Call(ctx, job.Stdin)
	return &compile.Outcome{Value: value.OfString(string(got)), Stdout: bytes.Clone(got), Usage: k.Usage()}, err
}

// OpenKernel implements [compile.KernelOpener].
func (l lane) OpenKernel(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Kernel, error) {
	var stdout, stderr bytes.Buffer
	command, err := l.command(ctx, art, job, &stdout, &stderr)
	if err != nil {
		return nil, err
	}
	return l.startKernel(ctx, command)
}

func (l lane) startKernel(ctx context.Context, command sandbox.Command) (*compile.Kernel, error) {
	in, err := l.env.Engine.Start(ctx, command)
	if err != nil {
		return nil, err
	}
	k, err := compile.NewPlacedKernel(ctx, in)
	if err != nil {
		in.Close(ctx)
	}
	return k, err
}
