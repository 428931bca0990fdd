package shell

import (
	"bytes"
	"context"
	"embed"
	"fmt"

	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// gawkGuest is compiled with gawk: what its configure would find out, and what
// stands in for processes.
//
//go:embed gawk/*.c gawk/*.h gawk/sys/*.h
var gawkGuest embed.FS

// gawkSources are the files of gawk that are compiled: all but the debugger.
var gawkSources = []string{"array.c", "awkgram.c", "builtin.c", "cint_array.c", "eval.c", "ext.c", "field.c", "floatcomp.c", "gawkapi.c",
	"gawkmisc.c", "int_array.c", "io.c", "main.c", "mpfr.c", "msg.c", "node.c", "profile.c", "re.c", "replace.c", "str_array.c", "symbol.c",
	"version.c", "support/dfa.c", "support/getopt.c", "support/getopt1.c", "support/localeinfo.c", "support/random.c", "support/regex.c",
	"support/malloc/dynarray_resize.c", "gawk/shim.c"}

var gawkFlags = []string{"-O2", "-w", "-DHAVE_CONFIG_H", "-DGAWK",
	"-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_GETPID", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-I/work/gawk", "-I/work", "-I/work/support"}

// awkRecipe builds GNU awk 5.2.1 from the source that Debian keeps.
func awkRecipe(engine *sandbox.Engine, c *clang.Compiler) toolchain.Recipe {
	sum, _ := toolchain.HashFS(gawkGuest)
	return toolchain.Recipe{
		Name: awkName, Version: "5.2.1", Summary: "GNU awk, built from source with clang",
		Needs: []string{"clang"},
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "gawk", Version: "5.2.1", Suite: "bookworm", File: "gawk_5.2.1.orig.tar.xz", Size: 2_729_896,
				SHA256: "2337a0283b180ec1b9c727973a34781c6478b3ae9bcbdcca0a4dc49861d75a65"},
			Files: []string{"*.c", "*.h", "support/*.c", "support/*.h", "support/malloc/*.c", "support/malloc/*.h", "posix/*.c", "!config.h"},
			Of:    "1 " + sum + " " + c.Fingerprint(),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				if err := toolchain.AddFS(files, gawkGuest); err != nil {
					return err
				}
				wasm, err := c.BuildTool(ctx, job, files, clang.Options{Flags: gawkFlags, Main: gawkSources,
					LinkFlags: []string{"-lwasi-emulated-signal", "-lwasi-emulated-getpid", "-lwasi-emulated-process-clocks", "-z", "stack-size=1048576"}})
				if err != nil {
					return err
				}
				return job.Write(awkFile, wasm)
			},
		},
		Check: func(ctx context.Context, t toolchain.Toolchain, _ toolchain.Step) error {
			module, err := load(ctx, engine, t, awkFile)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			p := &process{k: &kernel{limits: sandbox.DefaultLimits}}
			exit, err := engine.Run(ctx, sandbox.Command{Module: module, Args: []string{"awk", "BEGIN { print gensub(/(.)(.)/, \"\\\\2\\\\1\", 1, \"24\"), length(\"ab\") }"},
				Stdout: &out, Host: []sandbox.HostModule{p.hostModule()}})
			if err == nil && (exit.Code != 0 || out.String() != "42 2\n") {
				err = fmt.Errorf("awk exited with %d and printed %q, want 0 and \"42 2\\n\"", exit.Code, out.String())
			}
			return err
		},
	}
}
