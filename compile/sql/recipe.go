package sql

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/sandbox"
)

const (
	toolName = "sqlite"
	wasmFile = "sqlite3.wasm"
	upstream = "3.44.2"
	// amalgamation is SQLite's source as its authors publish it, inside the
	// package. This version prints tables, numbers and line ends as the sqlite3 of
	// today's distributions does; from 3.50 on its shell prints them otherwise.
	amalgamation = "deps/sqlite-autoconf-3440200.tar.gz"
	// built is part of the toolchain's identity: raise it when the flags below
	// give another program.
	built = "1"
)

// flags build the sqlite3 shell for one process without others beside it.
var flags = []string{"-O1", "-Wno-everything",
	"-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_OMIT_WAL", "-DSQLITE_DEFAULT_UNIX_VFS=\"unix-none\"", "-DSQLITE_MAX_MMAP_SIZE=0",
	"-DSQLITE_TEMP_STORE=3", "-DSQLITE_DQS=3", "-DSQLITE_DEFAULT_MEMSTATUS=0", "-DSQLITE_ENABLE_FTS5", "-DSQLITE_ENABLE_RTREE", "-DSQLITE_ENABLE_MATH_FUNCTIONS",
	"-DSQLITE_ENABLE_EXPLAIN_COMMENTS", "-DSQLITE_NOHAVE_SYSTEM", "-DSQLITE_OMIT_POPEN", "-DHAVE_READLINE=0", "-D_WASI_EMULATED_GETPID", "-I/work"}

// recipe builds SQLite and its shell (public domain) from the amalgamation that
// the npm package sqlite3 carries.
func (e *engine) recipe(c *clang.Compiler) toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: upstream, Summary: "SQLite with its command-line shell, built from source with clang",
		Needs: []string{"clang"},
		Origin: toolchain.Source{
			Archive: toolchain.NPM{Package: "sqlite3", Version: "5.1.7", Size: 3_237_363,
				Integrity: "sha512-GGIyOiFaG+TUra3JIfkI/zGP8yZYLPQ0pl1bH+ODjiX57sPhrLU5sQJn1y9bDKZUFYkX1crlrPfSYt0BKKdkog=="},
			Files: []string{amalgamation},
			Of:    fmt.Sprintf("%s %q %s", built, flags, c.Fingerprint()),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				return build(ctx, c, job, files)
			},
		},
		Check: e.selfTest,
	}
}

func build(ctx context.Context, c *clang.Compiler, job *toolchain.Job, files map[string][]byte) error {
	sources, err := toolchain.Unpack(bytes.NewReader(files[amalgamation]), []string{"sqlite3.c", "sqlite3.h", "sqlite3ext.h", "shell.c"})
	if err != nil {
		return err
	}
	wasm, err := c.BuildTool(ctx, job, sources, clang.Options{Flags: flags})
	if err != nil {
		return err
	}
	return job.Write(wasmFile, wasm)
}

// selfTest asks for something that needs the parser, the C library and the
// output formats.
func (e *engine) selfTest(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
	module, err := e.loadFrom(ctx, t)
	if err != nil {
		return err
	}
	var out, messages bytes.Buffer
	exit, err := e.env.Engine.Run(ctx, sandbox.Command{Module: module, Args: []string{"sqlite3", "-batch", "-json"}, Stdout: &out, Stderr: &messages,
		Stdin: strings.NewReader("create table t(a, b); insert into t values (1, 'x'), (2.5, null); select a, b, printf('%05.2f', a) c from t;")})
	want := "[{\"a\":1,\"b\":\"x\",\"c\":\"01.00\"},\n{\"a\":2.5,\"b\":null,\"c\":\"02.50\"}]\n"
	if err == nil && (exit.Code != 0 || out.String() != want) {
		err = fmt.Errorf("answered %q %q, want %q", out.String(), messages.String(), want)
	}
	return err
}
