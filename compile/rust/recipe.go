package rust

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"wb/compile/toolchain"
)

// toolName is the toolchain this package registers and needs.
const toolName = "rust"

// The files of the toolchain, below libDir the compiled crates and their C.
const (
	programFile = "mrustc.wasm"
	targetFile  = "target.toml"
	versionFile = "version"
	libDir      = "lib/"
)

// recipe takes what the user has built.
func (c *Compiler) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "1",
		Summary: "mrustc and its standard library as wasm and C, from a build of yours",
		Needs:   []string{"clang"},
		Origin: toolchain.Given{
			Holds: "a build of mrustc: mrustc.wasm, lib/*.rlib with lib/*.rlib.c, target.toml and version",
			Why:   "no published Rust compiler runs as wasm",
			Of:    "mrustc 1",
			Build: install,
		},
		Check: c.selfTest, Takes: time.Minute,
	}
}

// install copies the compiler and its crates.
func install(_ context.Context, job *toolchain.Job, dir fs.FS) error {
	for _, name := range []string{programFile, targetFile, versionFile} {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		if err := job.Write(name, data); err != nil {
			return err
		}
	}
	crates, err := fs.Glob(dir, libDir+"*")
	if err != nil {
		return err
	}
	found := false
	for _, name := range crates {
		data, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		found = found || strings.HasPrefix(name, libDir+"libstd") && strings.HasSuffix(name, ".rlib")
		if err := job.Write(name, data); err != nil {
			return err
		}
	}
	if !found {
		return &fs.PathError{Op: "open", Path: libDir + "libstd.rlib", Err: fs.ErrNotExist}
	}
	return nil
}

const selfTestProgram = `fn half(x: u64) -> Result<u64, String> {
    if x % 2 == 0 { Ok(x / 2) } else { Err(format!("{} is odd", x)) }
}
fn main() {
    let sum: f64 = vec![1.5, 2.5].iter().sum();
    println!("{} {}", half(84).unwrap(), sum);
}
`

// selfTest takes a program the whole way.
func (c *Compiler) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	loaded, err := c.ready.From(ctx, t, c.load)
	if err != nil {
		return err
	}
	o, err := c.translate(ctx, loaded, kindProgram, selfTestProgram)
	if err != nil {
		return err
	}
	if o.code == nil {
		return errors.New(strings.TrimSpace(o.messages))
	}
	wasm, err := c.assemble(ctx, loaded, kindProgram, o.code, nil)
	if err != nil {
		return err
	}
	return c.env.Prints(ctx, wasm, "42 4\n")
}
