package zig

import (
	"context"
	"fmt"
	"slices"

	"wb/compile"
	"wb/compile/abi"
	"wb/compile/cbackend"
	"wb/compile/clang"
	"wb/internal/diag"
)

// lane is Zig as the rest of wb sees it.
type lane struct {
	*Compiler
	cbackend.Backend
}

// New is the lane of Zig blocks, which cc helps to compile. It registers its
// toolchain in env; nothing is installed or loaded yet.
func New(env *compile.Env, cc *clang.Compiler) compile.Lane { return newLane(newCompiler(env, cc)) }

func newLane(c *Compiler) lane {
	return lane{c, cbackend.Backend{Env: c.env, Lane: toolName, File: bodyFile, Crash: crash}}
}

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "zig", Compiles: true, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand, compile.ShapeKernel},
		Toolchains: []string{toolName, "clang"}, Summary: "Zig, through its bootstrap compiler and C; from a source tree of yours"}
}

// Build compiles a block.
func (l lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "zig is compiled: it has no sessions")
	}
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "zig packages are never fetched: %s", src.Deps[0]).WithHint("put the code it needs into the block, for instance with noweb")
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
		cbackend.NoteProgram(art, src)
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
		return nil, u.src.Misbuilt(err)
	}
	if o.code == nil {
		return nil, u.buildError(o.messages)
	}
	wasm, err := l.assemble(ctx, t, k, o.code, exports)
	if err != nil {
		return nil, u.src.Misbuilt(err)
	}
	return wasm, nil
}

func (l lane) buildComponent(ctx context.Context, t *tool, src *compile.Source, art *compile.Artifact) error {
	f, err := chooseFunction(src)
	if err != nil {
		return err
	}
	sig := src.Sig
	if sig == nil {
		if sig, err = signature(src, f); err != nil {
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
	cbackend.NoteComponent(art, f, sig)
	art.Wasm, err = l.make(ctx, t, u, kindReactor, abi.AllocFunc, abi.CallFunc)
	return err
}

// kernelOutput is how many bytes a kernel may write.
const kernelOutput = 1 << 20

func (l lane) buildKernel(ctx context.Context, t *tool, src *compile.Source, art *compile.Artifact) error {
	layout, err := src.KernelLayout()
	if err != nil {
		return err
	}
	list := functions(src.Body)
	process := slices.IndexFunc(list, func(f function) bool { return f.Name == "process" && len(f.Params) == 2 })
	if process < 0 {
		return diag.Errorf(src.At(1, 1), "a kernel defines fn process(in: []const u8, out: []u8) usize").
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
