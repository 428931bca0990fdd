package clang

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// toolName is the toolchain this package registers and needs.
const toolName = "clang"

// The files of the toolchain: all of clang and lld as one WASI program, and
// the tar of what it expects below /usr.
const (
	programFile   = "llvm.core.wasm"
	resourcesFile = "llvm-resources.tar"
)

// recipe pins clang 22.1 with lld, libc++ and wasi-libc, built for WASI by the
// YoWASP project (npm package licence ISC; LLVM under Apache-2.0 with the LLVM
// exception).
func (c *Compiler) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "22.0.0-git20542-10",
		Summary: "C and C++ compiler and linker (clang 22.1, lld, libc++, wasi-libc)",
		Origin: toolchain.NPM{
			Package: "@yowasp/clang", Version: "22.0.0-git20542-10", Size: 27_112_311,
			Integrity: "sha512-V31/z9GrJECKeACTDUyvg2llbEUiFi3bxtL5HSg7H/6sydSxdI/AoVAD9F5ozrfLjotWl0B9rghR87m+DUM/zg==",
			Files: map[string]toolchain.Pinned{
				"gen/llvm.core.wasm":     {Name: programFile, SHA256: "24fbed474c7b5b4968fd73fc4827440b93fb351c1b6264516130300eff3e7bf5"},
				"gen/llvm-resources.tar": {Name: resourcesFile, SHA256: "79eef0c336fe55cf03ff8f5b42b784c8168f929a3603138b2c6301f4601e4c86"},
			}},
		Check: c.selfTest, Takes: 30 * time.Second,
	}
}

// selfTest compiles, links and runs a program with the toolchain being
// installed. The first use turns 75 MB of wasm into machine code, half a
// minute of computing that is cached for later.
func (c *Compiler) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	tool, err := c.ready.From(ctx, t, c.load)
	if err != nil {
		return err
	}
	const program = "#include <stdio.h>\nint main(void) { return printf(\"%.2Lf\", 6.5L * 7) == 5 ? 42 : 1; }\n"
	wasm, err := c.compileC(ctx, tool, map[string][]byte{"test.c": []byte(program)}, Options{})
	if err != nil {
		return err
	}
	module, err := c.env.Engine.Compile(ctx, "self-test", wasm)
	if err != nil {
		return err
	}
	var out strings.Builder
	exit, err := c.env.Engine.Run(ctx, sandbox.Command{Module: module, Args: []string{"self-test"}, Stdout: &out})
	if err != nil {
		return err
	}
	if exit.Code != 42 || out.String() != "45.50" {
		return fmt.Errorf("the program exited with %d and printed %q, want 42 and \"45.50\"", exit.Code, out.String())
	}
	return nil
}
