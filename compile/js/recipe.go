package js

import (
	"context"
	"fmt"

	"wb/compile/toolchain"
)

// ToolName is the toolchain the runtime needs.
const ToolName = "quickjs"

const wasmFile = "quickjs.wasm"

// recipe pins QuickJS-ng built as a WASI reactor (npm package quickjs-wasi,
// MIT).
func (r *Runtime) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: ToolName, Version: "3.6.2", Summary: "JavaScript engine (QuickJS-ng, ES2023)",
		Origin: toolchain.NPM{
			Package: "quickjs-wasi", Version: "3.6.2", Size: 568_844,
			Integrity: "sha512-FCqGtGOrMgzUiIrMNMA2YnsOxCNwo31dzqXvclXUC6xeT35NJLKXQJsvbeCTjvoFAwZgEAPg8U6+KAPDGXn8Mg==",
			Files: map[string]toolchain.Pinned{
				"quickjs.wasm": {Name: wasmFile, SHA256: "d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"},
			}},
		Check: r.selfTest,
	}
}

// selfTest evaluates something that needs the whole engine.
func (r *Runtime) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	module, err := r.module(ctx, t)
	if err != nil {
		return err
	}
	image := &image{}
	if err := r.start(ctx, module, start{limits: bootLimits, furnish: furnish}, image); err != nil {
		return err
	}
	defer image.snapshot.Close()
	m, err := r.restore(ctx, image, world{})
	if err != nil {
		return err
	}
	defer m.close(ctx)
	v, err := m.eval(ctx, "[1n << 70n, 'é'.normalize('NFD').length, [3,1,2].toSorted()].join()", "self-test.js", evalScript)
	if err != nil {
		return err
	}
	got, err := m.text(ctx, v)
	if err != nil {
		return err
	}
	if want := "1180591620717411303424,2,1,2,3"; got != want {
		return fmt.Errorf("evaluated to %q, want %q", got, want)
	}
	return nil
}
