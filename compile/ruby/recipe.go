package ruby

import (
	"context"
	"fmt"
	"time"

	"wb/compile/toolchain"
	"wb/compile/vm"
)

const (
	toolName = "ruby"
	wasmFile = "ruby.wasm"
)

// recipe pins CRuby 3.4 with its standard library, built for WASI by the
// ruby.wasm project (npm package @ruby/3.4-wasm-wasi, MIT; Ruby under its own
// licence and BSD-2-Clause).
func (l *lane) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "3.4.1", Summary: "Ruby interpreter (CRuby) with its standard library",
		Origin: toolchain.NPM{
			Package: "@ruby/3.4-wasm-wasi", Version: "2.10.1", Size: 29_979_485,
			Integrity: "sha512-qrzIJ/7TGSpsZpFyLJb9OXO6TYAq18XoLd11We17Sr78hWpb5IGGFgMQ9A2Y8Ww5n0k8uKA/I8/P8MJdzlJX0Q==",
			Files: map[string]toolchain.Pinned{
				"dist/ruby+stdlib.wasm": {Name: wasmFile, SHA256: "4b814fc9d13505ea5b4c1f3bd3a7cc7ccca137f551196b9b21f0a7caf9cc5878"},
			}},
		Check: l.selfTest, Takes: 15 * time.Second,
	}
}

// selfTest evaluates something that needs exceptions, fibers and the library.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	const code = `e = [3, 1, 2].each
begin; Integer('x'); rescue ArgumentError => x; end
[e.next, e.next, x.class, 2**70, JSON.generate({a: "é"})].join(' ')`
	return l.Test(ctx, t, func(m *vm.Machine) error {
		a, err := ask(ctx, m, request{Kind: "value", Code: code})
		if want := `3 1 ArgumentError 1180591620717411303424 {"a":"é"}`; err == nil && a.Text != want {
			err = fmt.Errorf("evaluated to %q (%+v), want %q", a.Text, a.Failure, want)
		}
		return err
	})
}
