package lua

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"

	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/compile/vm"
	"wb/sandbox"
)

// guest is compiled with Lua; boot runs in it when it starts.
var (
	//go:embed guest/*.c guest/*.h
	guest embed.FS
	//go:embed guest/boot.lua
	boot []byte
)

const (
	toolName = "lua"
	wasmFile = "lua.wasm"
	// built is part of the toolchain's identity: raise it when the flags below
	// give another program.
	built = "1"
)

// flags compile Lua for WASI. wb.h stands in for what WASI lacks.
var flags = []string{"-O2", "-I/work/src", "-I/work/guest", "-include", "/work/guest/wb.h", "-Wno-unused-value"}

// recipe builds PUC-Rio's Lua 5.4.4 (MIT) from the source that Debian keeps.
func (l *lane) recipe(c *clang.Compiler) toolchain.Recipe {
	sum, _ := toolchain.HashFS(guest)
	return toolchain.Recipe{
		Name: toolName, Version: "5.4.4", Summary: "Lua interpreter (PUC-Rio), built from source with clang",
		Needs: []string{"clang"},
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "lua5.4", Version: "5.4.4", Suite: "bookworm", File: "lua5.4_5.4.4.orig.tar.gz", Size: 360_876,
				SHA256: "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61"},
			Files: []string{"src/*.c", "src/*.h", "!src/lua.c", "!src/luac.c"},
			Of:    built + " " + sum + " " + c.Fingerprint(),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				return build(ctx, c, job, files)
			},
		},
		Check: l.selfTest,
	}
}

// stackLimit replaces LUAI_MAXSTACK, a million slots, which with everything
// else can be more memory than a block has: deep recursion shall be Lua's
// "stack overflow", which a block can handle.
const stackLimit = "400000"

func build(ctx context.Context, c *clang.Compiler, job *toolchain.Job, files map[string][]byte) error {
	if err := toolchain.AddFS(files, guest); err != nil {
		return err
	}
	conf := files["src/luaconf.h"]
	files["src/luaconf.h"] = bytes.Replace(conf, []byte("#define LUAI_MAXSTACK\t\t1000000"), []byte("#define LUAI_MAXSTACK\t\t"+stackLimit), 1)
	if bytes.Equal(conf, files["src/luaconf.h"]) {
		return errors.New("luaconf.h does not say LUAI_MAXSTACK as expected")
	}
	wasm, err := c.BuildTool(ctx, job, files, clang.Options{Flags: flags, Reactor: true})
	if err != nil {
		return err
	}
	return job.Write(wasmFile, wasm)
}

// selfTest runs something that needs errors, coroutines and the C library.
func (l *lane) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	const code = `local ok, e = pcall(error, {n = 1})
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
return tostring(ok) .. e.n .. gen() .. gen() .. string.format("%5.2f", math.pi) .. #utf8.char(0x20AC)`
	return l.Test(ctx, t, func(m *vm.Machine) error {
		a, err := ask(ctx, m, request{Kind: "value", Code: code})
		if err == nil && (a.Failure != nil || a.Text != "false112 3.143") {
			err = fmt.Errorf("evaluated to %q, %+v", a.Text, a.Failure)
		}
		return err
	})
}

// host are the functions that stand in for setjmp and longjmp; see
// [sandbox.ErrUnwind].
var host = []sandbox.HostModule{{Name: "wb", Funcs: []sandbox.HostFunc{
	{Name: "try", Params: []sandbox.ValueType{sandbox.I32, sandbox.I32, sandbox.I32}, Results: []sandbox.ValueType{sandbox.I32},
		Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) error {
			_, err := in.Call(ctx, "wb_protected", stack[0], stack[1], stack[2])
			stack[0] = 0
			if errors.Is(err, sandbox.ErrUnwind) {
				stack[0], err = 1, nil
			}
			return err
		}},
	{Name: "throw", Call: func(context.Context, *sandbox.Instance, []uint64) error { return sandbox.ErrUnwind }},
}}}
