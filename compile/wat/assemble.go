package wat

import (
	"context"

	"wb/compile"
)

// Assembler makes binary modules of text, for those who bring their own host
// functions. The lane is one; see [compile.Unwrapped].
type Assembler interface {
	compile.Lane
	// Assemble returns the module, or what the assembler says is wrong.
	Assemble(ctx context.Context, text string) (wasm []byte, messages string, err error)
}

// Assemble makes a module of text.
func (l *lane) Assemble(ctx context.Context, text string) (wasm []byte, messages string, err error) {
	assembler, err := l.load(ctx)
	if err != nil {
		return nil, "", err
	}
	return l.assemble(ctx, assembler, text, nil)
}
