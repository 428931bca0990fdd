package zig

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// version changes when the lane gives other programs for the same source.
const version = "zig lane 2"

// limits bound one run of the compiler on a block.
var limits = sandbox.Limits{Fuel: 20e9, Memory: 2 << 30, Timeout: 3 * time.Minute, Output: 4 << 20, Files: 256 << 20}

// Compiler turns Zig into C and that into wasm. It is safe for concurrent use.
type Compiler struct {
	env   *compile.Env
	clang *clang.Compiler

	ready compile.Loaded[*tool]
}

// tool is an installed compiler.
type tool struct {
	digest  string
	module  *sandbox.Module
	library *sandbox.MemFS
	header  []byte
	// cache holds the compiler's knowledge of the library; every run writes
	// into a copy of its own.
	cache sandbox.FS
}

// remembering is the same compiler with a cache that is kept.
func (t *tool) remembering(cache sandbox.FS) *tool {
	c := *t
	c.cache = cache
	return &c
}

func newCompiler(env *compile.Env, cc *clang.Compiler) *Compiler {
	c := &Compiler{env: env, clang: cc}
	env.Tools.Register(c.recipe())
	return c
}

// Fingerprint identifies this package and the compilers it runs.
func (c *Compiler) Fingerprint() string {
	return version + " " + c.env.Tools.Fingerprint(toolName) + " " + c.clang.Fingerprint()
}

func (c *Compiler) tool(ctx context.Context) (*tool, error) {
	return c.ready.Get(ctx, c.env, toolName, c.load)
}

// load makes the compiler ready to run.
func (c *Compiler) load(ctx context.Context, t toolchain.Toolchain) (*tool, error) {
	loaded := &tool{digest: t.Digest}
	for name, to := range map[string]**sandbox.MemFS{libraryFile: &loaded.library, cacheFile: nil} {
		archive, err := t.ReadFile(name)
		if err != nil {
			return nil, err
		}
		tree, err := unpack(archive)
		if err != nil {
			return nil, fmt.Errorf("toolchain %s: %s: %w", toolName, name, err)
		}
		if to != nil {
			*to = tree
		} else {
			loaded.cache = tree
		}
	}
	var err error
	if loaded.header, err = t.ReadFile(headerFile); err != nil {
		return nil, err
	}
	loaded.module, err = c.env.Program(ctx, t, "zig", programFile, sandbox.FromCompiler())
	if err != nil {
		return nil, err
	}
	return loaded, nil
}

// kind says what a block becomes.
type kind string

const (
	kindProgram kind = "build-exe" // has main
	kindReactor kind = "build-obj" // has exported functions
)

// translation is one run of the compiler.
type translation struct {
	code     []byte // C, nil when there are errors
	messages string
}

// The files that the compiler sees: the block, the code that calls it, and the
// module through which it asks the host.
const (
	bodyFile = "block.zig"
	glueFile = "glue.zig"
	dockFile = "wb.zig"
)

// translate turns a block into C, with glue where there is any.
func (c *Compiler) translate(ctx context.Context, t *tool, k kind, source, glue string) (translation, error) {
	tree := sandbox.NewMemFS()
	root := bodyFile
	if err := tree.WriteFile("w/"+bodyFile, []byte(source)); err != nil {
		return translation{}, err
	}
	if glue != "" {
		root = glueFile
		if err := tree.WriteFile("w/"+glueFile, []byte(glue)); err != nil {
			return translation{}, err
		}
	}
	modules := []string{"-Mroot=" + root}
	if strings.Contains(source, `@import("wb")`) {
		if err := tree.WriteFile("w/"+dockFile, []byte(dock.ZigModule())); err != nil {
			return translation{}, err
		}
		modules = []string{"--dep", "wb", "-Mroot=" + root, "-Mwb=" + dockFile}
	}
	cache := t.cache
	if _, kept := cache.(*sandbox.MemFS); !kept || t.digest != "" {
		cache = sandbox.Overlay(t.cache)
	}
	files, err := sandbox.Mounts(tree, map[string]sandbox.FS{"cache": cache, "lib": sandbox.ReadOnly(t.library)})
	if err != nil {
		return translation{}, err
	}
	var out strings.Builder
	exit, err := c.env.Engine.Run(ctx, sandbox.Command{
		Module: t.module, Stdout: &out, Stderr: &out, Files: files, Dir: "/w", Preopens: []string{".", "/cache", "/lib"}, Limits: limits,
		Args: append([]string{"zig", string(k), "-ofmt=c", "-lc", "-OReleaseFast", "-fstrip", "--name", "block", "-femit-bin=block.c", "-target", "wasm32-wasi"}, modules...),
	})
	if err != nil {
		return translation{}, err
	}
	o := translation{messages: out.String()}
	if exit.Code == 0 {
		o.code, err = tree.ReadFile("w/block.c")
	}
	return o, err
}

// cFlags are for C that Zig has written: it says what it means, and clang need
// not warn about it.
var cFlags = []string{"-std=gnu11", "-w", "-Wno-incompatible-pointer-types", "-Wno-int-conversion", "-fno-strict-aliasing", "-D__builtin_return_address(level)=((void *)0)"}

// wasiSource defines the functions of WASI that Zig's library calls by name.
//
//go:embed guest/wasi.c
var wasiSource []byte

// bareCall is a mention of one of them.
var bareCall = lazyregexp.New(`\b(?:args|clock|environ|fd|path|poll|random)_[a-z_]+\(`)

// assemble turns the C of a block into wasm.
func (c *Compiler) assemble(ctx context.Context, t *tool, k kind, code []byte, exports []string) ([]byte, error) {
	files := map[string][]byte{headerFile: t.header}
	if bareCall.Match(code) {
		files["wasi.c"] = wasiSource
	}
	return cbackend.Assemble(ctx, c.clang, "zig", code, files, clang.Options{Flags: cFlags, Reactor: k == kindReactor, Exports: exports})
}
