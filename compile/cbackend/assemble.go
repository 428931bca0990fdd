package cbackend

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"wb/compile/clang"
	"wb/internal/diag"
	"wb/sandbox/dock"
)

// Assemble turns the C that a compiler wrote for a block into wasm, with further
// files of its own. A mistake in that C is the compiler's, not the author's.
func Assemble(ctx context.Context, cc *clang.Compiler, writer string, code []byte, files map[string][]byte, o clang.Options) ([]byte, error) {
	files["block.c"] = code
	if bytes.Contains(code, []byte("wb_dock_")) {
		files["wb_dock.c"] = []byte(dock.CShim())
	}
	wasm, err := cc.CompileC(ctx, files, o)
	if _, ok := errors.AsType[*diag.FindingsError](err); ok {
		return nil, fmt.Errorf("the C that %s wrote does not compile: %w", writer, err)
	}
	return wasm, err
}
