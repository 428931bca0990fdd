package wat

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
)

const (
	toolName = "wabt"
	wasmFile = "wat2wasm.wasm"
	upstream = "1.0.32"
	// built is part of the toolchain's identity: raise it when the flags below
	// give another program.
	built = "1"
)

// units are the files of wabt that wat2wasm consists of, in two halves that take
// equally long. Each half is compiled as one: the headers of C++ are most of what
// a file of wabt costs to compile. tracing.cc is left out, since nothing of it is
// used and its macros belong to it alone.
var units = [][]string{
	strings.Fields("wast-parser wast-lexer literal lexer-source lexer-source-line-finder token color error-formatter expr-visitor " +
		"common config feature filenames option-parser resolve-names stream utf8 tools/wat2wasm"),
	strings.Fields("binary binary-reader binary-reader-ir binary-reader-logging binary-writer binding-hash apply-names generate-names " +
		"ir ir-util leb128 opcode shared-validator type-checker validator"),
}

// recipe builds wat2wasm of the WebAssembly Binary Toolkit (Apache-2.0).
func (l *lane) recipe(c *clang.Compiler) toolchain.Recipe {
	return toolchain.Recipe{
		Name: toolName, Version: upstream, Summary: "assembler of the WebAssembly text format (wabt), built from source with clang",
		Needs: []string{"clang"},
		Origin: toolchain.Source{
			Archive: toolchain.Debian{Package: "wabt", Version: upstream, Suite: "bookworm", File: "wabt_1.0.32.orig.tar.xz", Size: 514_960,
				SHA256: "2e9fbcbe0ef64042f9691d995116954bc84823fe747a593d80a873566a18cba8"},
			Files: []string{"src/*.cc", "src/*.c", "src/config.h.in", "src/tools/wat2wasm.cc", "src/prebuilt/*.cc", "include/wabt/*.h", "include/wabt/*.def"},
			Of:    fmt.Sprintf("%s %q %q %s", built, units, flags, c.Fingerprint()),
			Build: func(ctx context.Context, job *toolchain.Job, files map[string][]byte) error {
				return build(ctx, c, job, files)
			},
		},
		Check: l.selfTest,
	}
}

var flags = []string{"-O2", "-std=gnu++17", "-I/work", "-I/work/include", "-I/work/src", "-Wno-everything"}

func build(ctx context.Context, c *clang.Compiler, job *toolchain.Job, files map[string][]byte) error {
	files["include/wabt/config.h"] = configure(files["src/config.h.in"])
	main := []string{"src/opcode-code-table.c"}
	for i, unit := range units {
		var text strings.Builder
		for _, name := range unit {
			fmt.Fprintf(&text, "#include \"src/%s.cc\"\n", name)
		}
		name := fmt.Sprintf("unit%d.cc", i)
		files[name] = []byte(text.String())
		main = append(main, name)
	}
	wasm, err := c.BuildTool(ctx, job, files, clang.Options{Main: main, FlagsOf: func(name string) []string {
		if strings.HasSuffix(name, ".c") {
			return []string{"-O2", "-I/work/include"}
		}
		return flags
	}})
	if err != nil {
		return err
	}
	return job.Write(wasmFile, wasm)
}

// settings are the facts about a system that wabt's CMake finds out.
var settings = map[string]string{
	"HAVE_ALLOCA_H": "1", "HAVE_UNISTD_H": "1", "HAVE_SNPRINTF": "1", "HAVE_SSIZE_T": "1", "HAVE_STRCASECMP": "1", "COMPILER_IS_CLANG": "1",
	"WABT_VERSION_STRING": `"` + upstream + `"`, "SIZEOF_SIZE_T": "4",
}

var (
	settingLine = lazyregexp.New(`(?m)^#cmakedefine(01)? (\w+).*$`)
	settingUse  = lazyregexp.New(`@(\w+)@`)
)

// configure fills CMake's template of config.h.
func configure(template []byte) []byte {
	text := settingLine.ReplaceAllFunc(template, func(line []byte) []byte {
		m := settingLine.FindSubmatch(line)
		name := string(m[2])
		switch value, ok := settings[name]; {
		case ok:
			return []byte("#define " + name + " " + value)
		case len(m[1]) > 0:
			return []byte("#define " + name + " 0")
		}
		return []byte("/* " + name + " */")
	})
	return settingUse.ReplaceAllFunc(text, func(use []byte) []byte { return []byte(settings[string(bytes.Trim(use, "@"))]) })
}
