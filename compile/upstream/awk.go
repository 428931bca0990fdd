package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

// awk is all of gawk but its debugger.
var awk = Package{
	Name: "awk", Version: "5.2.1", Summary: "GNU awk, built from source with clang",
	Archive: toolchain.Debian{Package: "gawk", Version: "5.2.1", Suite: "bookworm", File: "gawk_5.2.1.orig.tar.xz", Size: 2_729_896,
		SHA256: "2337a0283b180ec1b9c727973a34781c6478b3ae9bcbdcca0a4dc49861d75a65"},
	Files: []string{"*.c", "*.h", "support/*.c", "support/*.h", "support/malloc/*.c", "support/malloc/*.h", "posix/*.c", "!config.h"},
	Flags: []string{"-DHAVE_CONFIG_H", "-DGAWK", "-I/work/gawk", "-I/work", "-I/work/support"},
	Guest: "gawk",
	Generate: func(files map[string][]byte) error { // close(command) gives a status, as it does where pipes are real
		return edit(files, "io.c", "return (rval < 0 ? rval : aval);", "return rval < 0 ? rval : sanitize_exit_status(aval);")
	},
	Revision: 1,
	Programs: []Binary{{File: "awk.wasm", Commands: []string{"awk", "gawk"},
		Main: slices.Concat(in(".", `array awkgram builtin cint_array eval ext field floatcomp gawkapi gawkmisc int_array io main mpfr msg node profile re replace
				str_array symbol version`),
			in("support", "dfa getopt getopt1 localeinfo random regex malloc/dynarray_resize"), []string{"gawk/debug.c"}),
		Try: []string{"awk", `BEGIN { print gensub(/(.)(.)/, "\\2\\1", 1, "24"), length("ab") }`}, Says: "42 2\n"}},
}
