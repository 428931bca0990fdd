package ts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"wb/compile/js"
	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
)

// ToolName is the toolchain that holds the compiler.
const ToolName = "typescript"

const compilerFile = "typescript.js"

// recipe pins the TypeScript compiler (npm package typescript, Apache-2.0) and
// the declarations of ES2023's library.
func (c *compiler) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: ToolName, Version: "5.9.3", Summary: "TypeScript compiler: type check and translation",
		Origin: toolchain.NPM{
			Package: "typescript", Version: "5.9.3", Size: 4_377_468,
			Integrity: "sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==",
			Files:     pins,
		},
		Needs: []string{js.ToolName}, Check: c.selfTest, Takes: 15 * time.Second,
	}
}

// selfTest starts the compiler from the files in t, freezes it and has it find
// a mistake.
func (c *compiler) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	tool := c.runtime.NewTool(c.toolConfig(func(context.Context) (toolchain.Toolchain, error) { return t, nil }))
	var answer reply
	if err := tool.Call(ctx, nil, nil, &request{Readings: []reading{{Kind: kindModule, Text: "export const n: number = 'x'"}}}, &answer); err != nil {
		return err
	}
	if len(answer.Diagnostics) != 1 || answer.Diagnostics[0].Code != 2322 {
		return fmt.Errorf("a wrong assignment gives %+v", answer.Diagnostics)
	}
	return nil
}

// reference matches the comments by which library files include each other.
var reference = lazyregexp.New(`(?m)^/// <reference .*$\n?`)

// scripts run in the sandbox: the compiler, the declarations as one
// file each, and the driver.
func scripts(t toolchain.Toolchain) ([]js.Script, error) {
	compiler, err := t.ReadFile(compilerFile)
	if err != nil {
		return nil, err
	}
	var library strings.Builder
	for _, name := range libraryOrder() {
		text, err := t.ReadFile(name)
		if err != nil {
			return nil, err
		}
		library.WriteString(reference.ReplaceAllString(string(text), ""))
	}
	libraries, err := json.Marshal(map[string]string{"lib.d.ts": library.String(), "guest.d.ts": guestTypes})
	if err != nil {
		return nil, err
	}
	return []js.Script{
		{Name: compilerFile, Text: string(compiler)},
		{Name: "libraries.js", Text: "globalThis.libraries = " + string(libraries)},
		{Name: "driver.js", Text: driver},
	}, nil
}

// libraryOrder lists the library's files, lib.es5.d.ts first as the others
// extend it.
func libraryOrder() []string {
	names := slices.Collect(maps.Values(pins))
	var order []string
	for _, p := range names {
		if p.Name != compilerFile {
			order = append(order, p.Name)
		}
	}
	slices.SortFunc(order, func(a, b string) int {
		if (a == "lib.es5.d.ts") != (b == "lib.es5.d.ts") {
			if a == "lib.es5.d.ts" {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return order
}
