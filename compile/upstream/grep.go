package upstream

import (
	"slices"

	"wb/compile/toolchain"
)

var grep = Package{
	Name: "grep", Version: "3.8", Summary: "GNU grep, built from source with clang",
	Archive: toolchain.Debian{Package: "grep", Version: "3.8", Suite: "bookworm", File: "grep_3.8.orig.tar.xz", Size: 1_709_536,
		SHA256: "498d7cc1b4fb081904d87343febb73475cf771e424fb7e6141aff66013abc382"},
	Files:    []string{"src/*.c", "src/*.h", "lib/*.c", "lib/*.h", "lib/malloc/*.c", "lib/malloc/*.h"},
	Flags:    []string{"-I/work/src", "-DHAVE_LIBPCRE=0"},
	GNU:      true,
	Generate: generateGrep,
	Programs: []Binary{{File: "grep.wasm", Commands: []string{"grep", "egrep", "fgrep"},
		Main: slices.Concat(in("src", "dfasearch grep kwsearch kwset searchutils"),
			in("lib", `argmatch basename-lgpl c-ctype c-strcasecmp c-strncasecmp cloexec close-stream closeout colorize-posix cycle-check dfa
				dirname-lgpl error exclude exitfail fd-hook fd-safer-flag dup-safer-flag dup-safer fd-safer fts getprogname hard-locale hash i-ring
				ialloc localcharset localeinfo malloca mbchar mbscasecmp mbslen memchr2 obstack openat-die openat-safer opendirat
				open-safer propername quotearg regex safe-read save-cwd setlocale_null striconv stripslash strnlen1 trim mbsstr version-etc
				version-etc-fsf xalloc-die xbinary-io xmalloc xstriconv xstrtoimax chdir-long mbuiter mbiter
				malloc/dynarray_resize malloc/dynarray_emplace_enlarge malloc/dynarray_finalize`)),
		Try: []string{"grep", "-oE", "(.).*\\1"}, Input: "xabcay\n", Says: "abca\n"}},
}

// generateGrep lets the program be egrep and fgrep by its name, which the package
// has as scripts.
func generateGrep(files map[string][]byte) error {
	return edit(files, "src/grep.c", "  int matcher = -1;\n", `  int matcher = *argv[0] == 'e' || *argv[0] == 'f' ? setmatcher (argv[0], -1) : -1;
`)
}
