package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

var sed = Package{
	Name: "sed", Version: "4.9", Summary: "GNU sed, built from source with clang",
	Archive: toolchain.Debian{Package: "sed", Version: "4.9", Suite: "bookworm", File: "sed_4.9.orig.tar.xz", Size: 1_397_092,
		SHA256: "6e226b732e1cd739464ad6862bd1a1aba42d7982922da7a53519631d24975181"},
	Files: []string{"sed/*.c", "sed/*.h", "basicdefs.h", "lib/*.c", "lib/*.h", "lib/malloc/*.c", "lib/malloc/*.h"},
	Flags: []string{"-I/work/sed", "-DHAVE_POPEN=1"},
	GNU:   true,
	Generate: func(files map[string][]byte) error {
		files["sed/version.h"] = []byte("extern const char *Version;\n")
		files["sed/version.c"] = []byte("const char *Version = VERSION;\n")
		return nil
	},
	Programs: []Binary{{File: "sed.wasm", Commands: []string{"sed"},
		Main: slices.Concat(in("sed", "version compile debug execute mbcs regexp sed utils"),
			in("lib", `acl-errno-valid acl-internal basename-lgpl c-ctype c-strcasecmp c-strncasecmp close-stream closeout copy-acl dfa dirname-lgpl error exitfail
				fd-hook get-permissions getprogname hard-locale localcharset localeinfo obstack progname qcopy-acl qset-acl quotearg regex
				se-context se-label se-selinux set-acl set-permissions setlocale_null stripslash tempname version-etc
				version-etc-fsf xalloc-die xmalloc malloc/dynarray_resize`)),
		Try: []string{"sed", "-nE", `s/(.)(.)/\2\1/p`}, Input: "24\n", Says: "42\n"}},
}
