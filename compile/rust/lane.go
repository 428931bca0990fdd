package rust

import (
	"context"

	"wb/compile"
	"wb/compile/abi"
	"wb/compile/cbackend"
	"wb/compile/clang"
	"wb/internal/diag"
)

// lane is Rust as the rest of wb sees it.
type lane struct {
	*Compiler
	cbackend.Backend
}

// New is the lane of Rust blocks, which cc helps to compile. It registers its
// toolchain in env; nothing is installed or loaded yet.
func New(env *compile.Env, cc *clang.Compiler) compile.Lane {
	return lane{newCompiler(env, cc), cbackend.Backend{Env: env, Lane: toolName, File: bodyFile, Crash: crash}}
}

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "rust", Compiles: true, Aliases: []string{"rs"}, Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand},
		Toolchains: []string{toolName, "clang"}, Summary: "Rust, through mrustc and C; from a build of yours"}
}

// Build compiles a block.
func (l lane) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.InSession() {
		return nil, diag.Errorf(src.At(1, 1), "rust is compiled: it has no sessions")
	}
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "crates are never fetched: %s", src.Deps[0]).WithHint("put the code it needs into the block, for instance with noweb")
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
		return nil, src.Misbuilt(err)
	}
	if o.code == nil {
		return nil, u.buildError(o.messages)
	}
	if art.Wasm, err = l.assemble(ctx, t, k, o.code, exports); err != nil {
		return nil, src.Misbuilt(err)
	}
	return art, nil
}

// plan lays out a block and notes in art how it is run.
func (l lane) plan(src *compile.Source, art *compile.Artifact) (*unit, error) {
	if src.Shape != compile.ShapeComponent {
		cbackend.NoteProgram(art, src)
		return newUnit(src, true, "")
	}
	f, err := chooseFunction(src)
	if err != nil {
		return nil, err
	}
	sig := src.Sig
	if sig == nil {
		if sig, err = signature(src, f); err != nil {
			return nil, err
		}
	}
	code, err := makeGlue(src, sig, f)
	if err != nil {
		return nil, err
	}
	cbackend.NoteComponent(art, f, sig)
	return newUnit(src, false, code)
}
