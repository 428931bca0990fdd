package zig

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// toolName is the toolchain this package registers and needs.
const toolName = "zig"

// The files of the toolchain.
const (
	programFile = "zig1.wasm"
	libraryFile = "lib.tar"   // Zig's lib directory, what programs need of it
	cacheFile   = "cache.tar" // what the compiler keeps about the library
	headerFile  = "zig.h"     // included by all C that it writes
)

// recipe takes the compiler out of a Zig source tree.
func (c *Compiler) recipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: "1",
		Summary: "Zig's bootstrap compiler, from a source tree of yours",
		Needs:   []string{"clang"},
		Origin: toolchain.Given{
			Holds: "a Zig source tree, with stage1/zig1.wasm and lib/ in it (Zig 0.14 is what this lane is tried with)",
			Why:   "no package registry has Zig's bootstrap compiler",
			Of:    "zig 1",
			Build: c.install,
		},
		Check: c.selfTest, Takes: 20 * time.Second,
	}
}

// wantedDirs are the parts of lib that programs are made of.
var wantedDirs = []string{"std", "compiler_rt", "c", "compiler_rt.zig", "c.zig", "ubsan_rt.zig", "zig.h"}

// install copies the compiler and its library, and compiles a program once so
// that what the compiler remembers about the library is installed as well.
func (c *Compiler) install(ctx context.Context, job *toolchain.Job, dir fs.FS) error {
	program, err := fs.ReadFile(dir, "stage1/zig1.wasm")
	if err != nil {
		return err
	}
	header, err := fs.ReadFile(dir, "lib/zig.h")
	if err != nil {
		return err
	}
	if _, err := fs.Stat(dir, "lib/std/std.zig"); err != nil {
		return err
	}
	library := make(map[string][]byte)
	for _, wanted := range wantedDirs {
		err := fs.WalkDir(dir, path.Join("lib", wanted), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			library[strings.TrimPrefix(name, "lib/")], err = fs.ReadFile(dir, name)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // older and newer trees lack some
			return err
		}
	}
	module, err := c.env.Engine.Compile(ctx, "zig", program, sandbox.FromCompiler())
	if err != nil {
		return err
	}
	t := &tool{module: module, library: treeOf(library), header: header, cache: sandbox.NewMemFS()}
	step := job.Step("reading Zig's library", 0)
	cache := sandbox.NewMemFS()
	o, err := c.translate(ctx, t.remembering(cache), kindProgram, selfTestProgram, "")
	step.Done(err)
	if err != nil {
		return err
	}
	if o.code == nil {
		return fmt.Errorf("zig1.wasm does not compile a small program with this lib:\n%s", o.messages)
	}
	remembered := make(map[string][]byte)
	if err := collect(cache, ".", remembered); err != nil {
		return err
	}
	for name, data := range map[string][]byte{programFile: program, headerFile: header, libraryFile: pack(library), cacheFile: pack(remembered)} {
		if err := job.Write(name, data); err != nil {
			return err
		}
	}
	return nil
}

// selfTestProgram has integers wider than a word, floats, an error and text
// formatting in it.
const selfTestProgram = `const std = @import("std");
fn half(x: u128) !u128 {
    if (x % 2 != 0) return error.Odd;
    return x / 2;
}
pub fn main() !void {
    const list = [_]f64{ 1.5, 2.5 };
    var sum: f64 = 0;
    for (list) |x| sum += x;
    var buffer: [64]u8 = undefined;
    const text = try std.fmt.bufPrint(&buffer, "{d} {d}\n", .{ try half(84), sum });
    _ = std.c.write(1, text.ptr, text.len);
}
`

// selfTest takes a program the whole way.
func (c *Compiler) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	loaded, err := c.ready.From(ctx, t, c.load)
	if err != nil {
		return err
	}
	o, err := c.translate(ctx, loaded, kindProgram, selfTestProgram, "")
	if err != nil {
		return err
	}
	if o.code == nil {
		return errors.New(o.messages)
	}
	wasm, err := c.assemble(ctx, loaded, kindProgram, o.code, nil)
	if err != nil {
		return err
	}
	return c.env.Prints(ctx, wasm, "42 4\n")
}

// pack writes files as a tar.
func pack(files map[string][]byte) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(keys(files)) {
		_ = w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}) // a buffer does not fail
		_, _ = w.Write(files[name])
	}
	_ = w.Close()
	return b.Bytes()
}

func keys(files map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}
}

// unpack reads what pack wrote.
func unpack(archive []byte) (*sandbox.MemFS, error) {
	tree := sandbox.NewMemFS()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return tree, nil
		}
		if err != nil {
			return nil, err
		}
		data := make([]byte, h.Size)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		if err := tree.WriteFile(h.Name, data); err != nil {
			return nil, err
		}
	}
}

// treeOf is a tree of files.
func treeOf(files map[string][]byte) *sandbox.MemFS {
	tree := sandbox.NewMemFS()
	for name, data := range files {
		_ = tree.WriteFile(name, data) // the names come from a directory walk
	}
	return tree
}

// collect reads all files of a tree.
func collect(tree sandbox.FS, dir string, into map[string][]byte) error {
	entries, err := tree.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			err = collect(tree, name, into)
		} else {
			into[name], err = sandbox.ReadFile(tree, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
