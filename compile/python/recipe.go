package python

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"
	"time"

	"wb/compile/clang"
	"wb/compile/toolchain"
)

// Names of the toolchains, and of the files in them.
const (
	toolName    = "python"
	wasmFile    = "python.wasm"
	stdlibFile  = "stdlib.zip"
	zlibName    = "zlib-source"
	sqliteName  = "sqlite-source"
	buildFormat = "1" // changes when the same sources are built differently
)

// cpythonFiles are what wb adds to CPython's sources, and which of them it
// takes.
//
//go:embed cpython
var cpythonFiles embed.FS

// sources is CPython as Debian has it.
var sources = toolchain.Debian{Package: "python3.11", Version: "3.11.2", Suite: "bookworm",
	File: "python3.11_3.11.2.orig.tar.gz", Size: 26_437_858,
	SHA256: "2411c74bda5bbcfcddaf4531f66d1adc73f247f529aee981b029513aefdbf849"}

// recipe builds CPython from Debian's source archive with the C lane, inside
// the sandbox: no native compiler and no native Python takes part.
func (l *lane) recipe(c *clang.Compiler) toolchain.Recipe {
	b := &builder{lane: l, compiler: c}
	return toolchain.Recipe{
		Name: toolName, Version: "3.11.2", Summary: "CPython, built for WASI from Debian's source, with its standard library",
		Needs: []string{"clang", zlibName, sqliteName},
		Origin: toolchain.Source{
			Archive: sources,
			Files:   sourceFiles(),
			Of:      b.identity(),
			Build:   b.build,
		},
		Check: l.selfTest,
		Takes: 12 * time.Second,
	}
}

// identity is what decides the program besides CPython's sources.
func (b *builder) identity() string {
	own, err := toolchain.HashFS(cpythonFiles)
	return fmt.Sprintf("%s %s %v %s", buildFormat, own, err, b.compiler.Fingerprint())
}

// zlibRecipe keeps the sources of zlib, which become part of Python.
func zlibRecipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: zlibName, Version: "1.2.13", Summary: "zlib's sources, for Python",
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "zlib", Version: "1.2.13", Suite: "bookworm",
				File: "zlib_1.2.13.dfsg.orig.tar.bz2", Size: 1_239_825,
				SHA256: "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1"},
			Files: []string{"*.c", "*.h"},
			Of:    "1",
			Build: keepSources,
		},
	}
}

// amalgamation is SQLite's source as its authors publish it, inside the npm
// package.
const amalgamation = "deps/sqlite-autoconf-3520000.tar.gz"

// sqliteRecipe keeps the sources of SQLite, for the sqlite3 module.
func sqliteRecipe() toolchain.Recipe {
	return toolchain.Recipe{
		Name: sqliteName, Version: "3.52.0", Summary: "SQLite's sources, for Python",
		Origin: toolchain.Source{
			Archive: toolchain.NPM{Package: "sqlite3", Version: "6.0.1", Size: 3_292_871,
				Integrity: "sha512-X0czUUMG2tmSqJpEQa3tCuZSHKIx8PwM53vLZzKp/o6Rpy25fiVfjdbnZ988M8+O3ZWR1ih0K255VumCb3MAnQ=="},
			Files: []string{amalgamation},
			Of:    "1",
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				sources, err := toolchain.Unpack(bytes.NewReader(files[amalgamation]), []string{"sqlite3.c", "sqlite3.h", "sqlite3ext.h"})
				if err != nil {
					return err
				}
				return keepSources(ctx, job, sources)
			},
		},
	}
}

// sourceFiles are the patterns of the files that are wanted of the archive.
func sourceFiles() []string {
	patterns := []string{"Include/", "Modules/", "Objects/", "Parser/", "Python/", "Lib/"}
	text, _ := cpythonFiles.ReadFile("cpython/stdlib.txt") // embedded
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			patterns = append(patterns, line)
		}
	}
	return patterns
}
